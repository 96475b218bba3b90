import Clocks
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import JukeboxPlayback
import MusicFiles
import RunTimeline
import Synchronization
import SystemSupport

final class TimelineRecorder: Sendable {
  private struct State {
    var timeline: Timeline
    var isWritten = false
  }

  private let path: MediaPath
  private let title: RunTitle
  private let clock: any HostClock
  private let state: Mutex<State>

  /// Creates a recording, after a check that its file can be written. May block on the disk.
  init(path: MediaPath, title: RunTitle, clock: any HostClock) throws(FileBytes.Problem) {
    try AtomicFile.check(path)
    self.path = path
    self.title = title
    self.clock = clock
    state = Mutex(State(timeline: Timeline(start: clock.now)))
  }

  /// Returns the recording that `--timeline` requests. Ends the command if the file cannot be written.
  static func orExit(
    option path: String?, notes: String, clock: any HostClock
  ) throws -> TimelineRecorder? {
    let title = RunTitle(
      program: "continuo", arguments: RawArguments.forRecords(), version: Version.number,
      secondsSince1970: Date().timeIntervalSince1970, notes: notes)
    return try path.map { path in
      try ExitStatus.usage.orExit("--timeline \(path)") {
        try TimelineRecorder(path: RawArguments.bytes(of: path), title: title, clock: clock)
      }
    }
  }

  /// Records an event at `time`, by default now. Any thread; never blocks for long.
  func record(_ entry: Timeline.Entry, at time: HostTime? = nil) {
    let time = time ?? clock.now
    state.withLock { $0.timeline.record(entry, at: time) }
  }

  func writeAtEnd() {
    do { try write() } catch { StandardOutput.complain("cannot write the timeline: \(error)") }
  }

  /// Draws the recording up to now and writes it, on the first call only. Any thread; may block on the disk.
  func write() throws(FileBytes.Problem) {
    let timeline: Timeline? = state.withLock { state in
      if state.isWritten { return nil }
      state.isWritten = true
      return state.timeline
    }
    guard let timeline else { return }
    let document = TimelineDrawing.document(timeline, end: clock.now, title: title)
    try AtomicFile.write(document.utf8, to: path, mode: 0o666)
  }
}

extension Timeline.Entry {
  init?(_ event: JukeboxEvent, _ host: JukeboxHost) {
    switch event {
    case .currentItem(let song?): self = .item(index: host.index(of: song.id), name: song.fileName)
    case .currentItem(nil): self = .noItem
    case .timeJumped: self = .jumped
    case .timeControlStatus(.paused, _): self = .sound(.silent)
    case .timeControlStatus(.waitingToPlayAtSpecifiedRate, _): self = .sound(.waiting)
    case .timeControlStatus(.playing, _): self = .sound(.audible)
    case .didPlayToEndTime, .failed, .interruption, .playerFailed, .stalled, .loaded, .network, .learned,
      .station, .timedMetadata:
      return nil
    }
  }
}
