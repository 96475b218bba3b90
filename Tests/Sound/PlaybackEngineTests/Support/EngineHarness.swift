import AudioCore
import AudioOutput
import Clocks
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

/// What an application sees, in order.
enum Seen: Equatable, CustomStringConvertible {
  case item(Int?)
  case rate(Float)
  case control(EngineTimeControl)
  case ready(Int)
  case failed(Int)
  case ended(Int)
  case broke(Int)
  case jumped(Int)
  case stalled(Int)
  case buffer(Int, BufferState)
  case extent(Int, MediaExtent)
  case duration(Int, Int64)
  case lost(retry: Bool)
  case opened
  case coalesced
  case step(Int64)
  case time(Double)
  case boundary
  case title(String, Double)
  case seek(Bool)

  var description: String {
    switch self {
    case .item(let item): "item \(item.map(String.init) ?? "nil")"
    case .rate(let rate): "rate \(rate)"
    case .control(let control): "\(control)"
    case .ready(let item): "ready \(item)"
    case .failed(let item): "failed \(item)"
    case .ended(let item): "ended \(item)"
    case .broke(let item): "broke \(item)"
    case .jumped(let item): "jumped \(item)"
    case .stalled(let item): "stalled \(item)"
    case .buffer(let item, let buffer): "buffer \(item) \(buffer)"
    case .extent(let item, let extent): "extent \(item) \(extent)"
    case .duration(let item, let frames): "duration \(item) \(frames)"
    case .lost(let retry): "lost \(retry)"
    case .opened: "opened"
    case .coalesced: "coalesced"
    case .step(let step): "step \(step)"
    case .time(let time): "time \(time)"
    case .boundary: "boundary"
    case .title(let title, let time): "title \(title) \(time)"
    case .seek(let finished): "seek \(finished)"
    }
  }
}

/// An engine in virtual time, on a simulated device if no other is given, with a log of all it says.
final class EngineHarness: Sendable {
  let clock: VirtualClock
  let device: SimulatedOutput
  let engine: PlaybackEngine
  private let log = Collected<Seen>()
  private let numbers = Mutex<[ItemID: Int]>([:])
  private let nextNumber = Mutex(0)

  init(
    _ personality: SimulatedOutput.Personality = .init(), isQueuePlayer: Bool = true,
    recordsSound: Bool = true, clock: VirtualClock = VirtualClock(runLimit: 1_000_000),
    output: (any AudioOutputDevice)? = nil, stretching: any TimeStretching = FramePicker()
  ) {
    self.clock = clock
    let device = SimulatedOutput(clock: clock, personality: personality, recordsSound: recordsSound)
    self.device = device
    engine = PlaybackEngine(
      clock: clock, device: output ?? device, stretching: stretching, isQueuePlayer: isQueuePlayer,
      mainQueue: ClockQueue(clock: clock))
    engine.start { [weak self] in self?.note($0) }
  }

  var seen: [Seen] { log.all }
  /// All but steps, times and what the output says of itself.
  var story: [Seen] {
    seen.filter {
      switch $0 {
      case .step, .time, .opened, .ready: false
      default: true
      }
    }
  }
  var steps: [Int64] {
    seen.compactMap { if case .step(let step) = $0 { step } else { nil } }
  }
  /// The steps of each item, in the order of the items.
  var stepsByItem: [[Int64]] {
    var result: [[Int64]] = [[]]
    for event in seen {
      if case .step(let step) = event { result[result.count - 1].append(step) }
      if case .item = event, result.last?.isEmpty == false { result.append([]) }
    }
    return result.filter { !$0.isEmpty }
  }

  /// The samples of the left channel that were heard, in order.
  var heard: [Float] {
    let samples = device.recording.samples
    return stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
  }

  @discardableResult
  func add(_ media: SyntheticMedia, after: ItemID? = nil, startSeconds: Double = 0) -> ItemID {
    let id = ItemID.next()
    numbers.withLock { $0[id] = media.number }
    #expect(engine.insert(id, source: media, after: after, startSeconds: startSeconds))
    return id
  }

  /// Adds items 1… of so many frames.
  @discardableResult
  func add(frames: Int64...) -> [ItemID] {
    frames.map { count in
      let number = nextNumber.withLock { number in
        number += 1
        return number
      }
      return add(SyntheticMedia(number: number, frames: count))
    }
  }

  func observe(_ interval: CMTime = CMTime(value: 1, timescale: 100), on queue: (any DeliveryQueue)? = nil)
    -> ObserverID
  {
    engine.addPeriodicTimeObserver(forInterval: interval, queue: queue) { [log] time in
      log.add(time.timescale == interval.timescale ? .step(time.value) : .time(time.seconds))
    }
  }

  func observe(boundaries: [CMTime]) -> ObserverID {
    engine.addBoundaryTimeObserver(forTimes: boundaries, queue: nil) { [log] in log.add(.boundary) }
  }

  func seek(_ seconds: Double) {
    engine.seek(toSeconds: seconds) { [log] in log.add(.seek($0)) }
  }

  func advance(_ seconds: Double) { clock.advance(bySeconds: seconds) }

  /// Advances until nothing is current, at most `limit` seconds.
  func playOut(limit: Double = 120) {
    let end = clock.now.advanced(bySeconds: limit)
    while engine.currentItem != nil, clock.now < end { advance(0.25) }
    advance(0.5)
    #expect(engine.currentItem == nil, "not played out within \(limit) s")
  }

  private func note(_ notice: EngineNotice) {
    func number(_ id: ItemID) -> Int { numbers.withLock { $0[id] } ?? -1 }
    switch notice {
    case .currentItemChanged(let id): log.add(.item(id.map(number)))
    case .rateChanged(let rate, _): log.add(.rate(rate))
    case .timeControlChanged(let control): log.add(.control(control))
    case .itemReady(let id, _): log.add(.ready(number(id)))
    case .durationChanged(let id, let info): log.add(.duration(number(id), info.frameCount.value ?? -1))
    case .itemFailed(let id, _): log.add(.failed(number(id)))
    case .playedToEnd(let id): log.add(.ended(number(id)))
    case .failedToPlayToEnd(let id, _): log.add(.broke(number(id)))
    case .timeJumped(let id): log.add(.jumped(number(id)))
    case .playbackStalled(let id): log.add(.stalled(number(id)))
    case .bufferChanged(let id, let buffer): log.add(.buffer(number(id), buffer))
    case .extentChanged(let id, let extent): log.add(.extent(number(id), extent))
    case .timedTag(_, let tag, let time): log.add(.title(tag.text("StreamTitle") ?? "-", time.seconds))
    case .seekCompleted(let completion, let finished): completion(finished)
    case .outputUnavailable(_, let retry): log.add(.lost(retry: retry != nil))
    case .outputOpened: log.add(.opened)
    case .replayGainIgnored: break
    case .stepsCoalesced: log.add(.coalesced)
    }
  }

  /// What frames `range` of item `number` sound like.
  static func sound(_ number: Int, _ range: Range<Int64>) -> [Float] {
    range.map { SyntheticMedia.sample(number: number, frame: $0) }
  }
}
