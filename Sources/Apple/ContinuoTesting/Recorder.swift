import AppLifecycle
import Clocks
import MediaTime
import Synchronization

final class Recorder: Sendable {
  private enum Item {
    case line(String)
    /// Consecutive times passed to a time observer, each `step` after the previous one.
    case times(player: String, first: CMTime, last: CMTime, step: CMTime, count: Int)
  }

  private struct State {
    var items: [(moment: HostTime, item: Item)] = []
    var describer = RecordDescriber()
  }

  private let clock: any HostClock
  private let state = Mutex(State())

  init(clock: any HostClock) { self.clock = clock }

  func add(_ record: LifecycleRecord) {
    state.withLock { state in
      guard let text = state.describer.text(of: record) else { return }
      state.items.append((record.time, .line(text)))
    }
  }

  func add(_ text: String) {
    let now = clock.now
    state.withLock { $0.items.append((now, .line(text))) }
  }

  /// Adds a time passed to an observer. Merges the time with the last item if that contains times of the same player and
  /// step, the last of them exactly one `step` earlier. `player` is the prefix of the line.
  func add(_ time: CMTime, step: CMTime, player: String) {
    let now = clock.now
    state.withLock { state in
      if case .times(player, let first, let last, step, let count)? = state.items.last?.item,
        last + step == time
      {
        state.items[state.items.count - 1].item = .times(
          player: player, first: first, last: time, step: step, count: count + 1)
      } else {
        state.items.append((now, .times(player: player, first: time, last: time, step: step, count: 1)))
      }
    }
  }

  func record(with heard: HeardSound, now: Duration) -> DeviceRecord {
    let lines = state.withLock { state in
      state.items.map { DeviceRecord.Entry(moment: Duration($0.moment), text: Self.text(of: $0.item)) }
    }
    return DeviceRecord(entries: merge(lines, sounds(in: heard, now: now)))
  }

  private static func text(of item: Item) -> String {
    switch item {
    case .line(let text): text
    case .times(let player, let first, _, _, 1): "\(player)time \(seconds(first))"
    case .times(let player, let first, let last, _, let count):
      "\(player)times \(seconds(first))…\(seconds(last)) (\(count) steps)"
    }
  }

  /// Returns a time in seconds with two decimals, or three if the third is not 0.
  private static func seconds(_ time: CMTime) -> String {
    let text = HostTime(nanoseconds: Int64((time.seconds * 1e9).rounded())).inSeconds
    return text.hasSuffix("0") ? String(text.dropLast()) : text
  }

  /// Returns the lines for beginnings, changes and ends of audible sound.
  private func sounds(in heard: HeardSound, now: Duration) -> [DeviceRecord.Entry] {
    var entries = heard.stretches.map { stretch in
      let text = stretch.passage.map { "sound \($0.song ?? "of a file") from frame \($0.frames.lowerBound)" }
      return DeviceRecord.Entry(moment: stretch.start, text: text ?? "silence")
    }
    if let end = heard.stretches.last?.end, end < now {
      entries.append(DeviceRecord.Entry(moment: end, text: "silence"))
    }
    return entries
  }

  /// The duration of a PCM frame at 8 kHz, the lowest usual sample rate. Sound ends at a frame boundary, up to a frame
  /// before the event that ended it. The line for the silence must follow the event's line.
  private static let frameAtMost = Duration.microseconds(125)

  private func merge(_ lines: [DeviceRecord.Entry], _ sounds: [DeviceRecord.Entry]) -> [DeviceRecord.Entry] {
    var merged: [DeviceRecord.Entry] = []
    var lines = lines[...]
    for sound in sounds {
      let moment = sound.text == "silence" ? sound.moment + Self.frameAtMost : sound.moment
      while let line = lines.first, line.moment <= moment {
        merged.append(line)
        lines = lines.dropFirst()
      }
      var sound = sound
      if let last = merged.last { sound.moment = max(sound.moment, last.moment) }
      merged.append(sound)
    }
    return merged + lines
  }
}
