import AudioCore
import Clocks
import DequeModule
import MediaTime
import Testing

@testable import PlaybackEngine

/// Plays decoder, output and conductor to an `EngineMachine`, one event at a time, and checks after each that the
/// machine still makes sense. No clock, no threads.
struct MachineDriver: CustomStringConvertible {
  enum Event: CaseIterable, Hashable {
    case append, insertNext, insertFirst, removeCurrent, removeLast, removeAll, advance, replace,
      replaceByItself
    case play, playFast, playSlowly, pause, actAdvance, actPause, actNone, endEarly, endLate, startLater
    case seekStart, seekMiddle, seekBeyond, cancelSeek, suspend, resume, volume
    case open, position, positionShort, finish, breakOff, failToOpen, unusable
    case conduct, obey, opened, takenAway, givenBack, dies, diesForGood, outdated, answerFlush
    case take, hear, hearAll, stand
  }

  private final class Media: MediaSource {
    func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
      MediaOpening { () throws(DecodingError) in
        throw DecodingError(reason: .unusable, message: "never asked")
      }
    }
  }

  private static let format = PCMFormat(sampleRate: 1000, channelCount: 2)
  private static let itemFrames: Int64 = 2000

  private(set) var machine: EngineMachine
  private(set) var trail: [Event] = []
  private var now = HostTime(nanoseconds: 0)
  private var timing: OutputTiming?
  private var lastID: UInt64 = 0
  private let media = Media()
  /// The number of checks for which `advance` sufficed; each has found what `conduct` finds.
  private(set) var shortChecks = 0
  /// Where the decoder stands.
  private var order: (item: ItemID, generation: UInt64, origin: Int64, offset: Int64)?
  private var isOpening: (item: ItemID, generation: UInt64, asked: Int64)?
  private var flushes: [UInt64] = []
  private var openSerial: UInt64 = 0
  private var isConnected = false
  private var lastGeneration: UInt64 = 0
  /// Seeks that were begun, and completions that came.
  private(set) var seeks = 0
  private(set) var completions = 0
  /// Ends of items that were told.
  private(set) var ends = 0
  private var playing = EngineTimeControl.paused
  private var current: ItemID?
  private var rate: Float = 0

  init(isQueuePlayer: Bool = true, isOffline: Bool = false) {
    machine = EngineMachine(isQueuePlayer: isQueuePlayer, isOffline: isOffline)
    machine.schedule.addPeriodic(1, interval: CMTime(value: 1, timescale: 10), position: 0)
    machine.schedule.addBoundary(2, times: [CMTime(value: 1, timescale: 1)])
  }

  mutating func apply(_ events: Event...) { for event in events { apply(event) } }

  mutating func apply(_ event: Event) {
    trail.append(event)
    now = now.advanced(bySeconds: 0.01)
    if ![.conduct, .hear, .hearAll].contains(event) { machine.isSteady = false }
    if !applyToQueue(event), !applyToDecoder(event) { applyToOutput(event) }
    takeDeliveries()
    check()
  }

  private mutating func applyToQueue(_ event: Event) -> Bool {
    lastID += 1
    let id = ItemID(rawValue: lastID)
    switch event {
    case .append: _ = machine.insert(id, source: media, after: nil)
    case .insertNext: _ = machine.insert(id, source: media, after: machine.current)
    case .insertFirst: if machine.current == nil { _ = machine.insert(id, source: media, after: nil) }
    case .removeCurrent: if let current = machine.current { machine.remove(current) }
    case .removeLast: if let last = machine.queue.last { machine.remove(last) }
    case .removeAll: machine.removeAll()
    case .advance: machine.advanceToNext()
    case .replace: _ = machine.replaceCurrent(id, source: media)
    case .replaceByItself:
      guard let current = machine.current else { break }
      let isThere = machine.replaceCurrent(current, source: media)
      #expect(isThere)
    case .play: setRate(1)
    case .playFast: setRate(2)
    case .playSlowly: setRate(0.5)
    case .pause: machine.setRate(0, reason: .setRateCalled, now: now)
    case .actAdvance: machine.setActionAtItemEnd(.advance, now: now)
    case .actPause: machine.setActionAtItemEnd(.pause, now: now)
    case .actNone: machine.setActionAtItemEnd(.none, now: now)
    case .endEarly: if let current = machine.current { machine.setEnd(0.3, of: current) }
    case .endLate: if let current = machine.current { machine.setEnd(nil, of: current) }
    case .startLater: if let last = machine.queue.last { machine.setStart(0.5, of: last) }
    case .seekStart: seek(0)
    case .seekMiddle: seek(1)
    case .seekBeyond: seek(99)
    case .cancelSeek: machine.endSeek(finished: false)
    case .suspend: machine.setSuspended(true, now: now)
    case .resume: machine.setSuspended(false, now: now)
    case .volume: machine.volume = machine.volume == 1 ? 0.5 : 1
    default: return false
    }
    return true
  }

  private mutating func setRate(_ rate: Float) {
    machine.setRate(
      rate, reason: .setRateCalled, now: now, timing: machine.output.phase == .open ? timing : nil)
  }

  private mutating func seek(_ seconds: Double) {
    seeks += 1
    completions += machine.seek(to: seconds, completion: { _ in }).count
  }

  private mutating func applyToDecoder(_ event: Event) -> Bool {
    switch event {
    case .open:
      guard case .open(let item, _, let start, let generation) = machine.nextDecodeOrder() else { break }
      isOpening = nil
      let count = item.rawValue % 3 == 0 ? FrameCount.estimate(100) : .exact(Self.itemFrames)
      let info = ItemInfo(format: Self.format, frameCount: count)
      guard machine.decoderOpened(item, info: info, generation: generation) != nil else { break }
      let asked =
        switch start {
        case .frame(let frame): frame
        case .seconds(let seconds), .exactSeconds(let seconds): Int64(seconds * 1000)
        }
      isOpening = (item, generation, asked)
    case .position, .positionShort:
      guard let opening = isOpening.take() else { break }
      let frame = min(opening.asked, event == .position ? Self.itemFrames : 700)
      order = (opening.item, opening.generation, frame, 0)
      machine.decoderPositioned(
        opening.item, frame: frame, asked: opening.asked, generation: opening.generation)
    case .finish: take(at: .end)
    case .breakOff: take(at: .failure)
    case .failToOpen, .unusable:
      guard let opening = isOpening.take() else { break }
      let error = DecodingError(scope: event == .unusable ? .engine : .item, reason: .unusable, message: "no")
      machine.decoderFailed(opening.item, error: error, generation: opening.generation, now: now)
    default: return false
    }
    return true
  }

  private mutating func applyToOutput(_ event: Event) {
    switch event {
    case .conduct: conduct()
    case .obey: for command in machine.outputCommands(now: now) { obey(command) }
    case .opened:
      guard openSerial != 0, !isConnected else { break }
      isConnected = true
      timing = OutputTiming(heardFrame: 0, hostTime: now, frameRate: 0, renderedFrames: 0)
      receive(.opened(route: "test"))
    case .takenAway: if isConnected { receive(.suspended(true)) }
    case .givenBack: if isConnected { receive(.suspended(false)) }
    case .dies: die(isRecoverable: true)
    case .diesForGood: die(isRecoverable: false)
    case .outdated:
      machine.receive(.opened(route: "old"), serial: machine.output.serial &- 1, now: now)
      machine.flushed(serial: machine.output.flushSerial &- 1, firstDropped: 0)
    case .answerFlush:
      guard isConnected, !flushes.isEmpty else { break }
      let heard = timing?.heardFrame(at: now) ?? 0
      let rendered = timing?.renderedFrames ?? 0
      timing?.heardFrame = Double(rendered)
      timing?.hostTime = now
      machine.flushed(serial: flushes.removeFirst(), firstDropped: Int64(heard))
    case .take: take()
    case .hear: hear(0.3)
    case .hearAll: hear(1000)
    case .stand: timing?.frameRate = 0
    default: break
    }
  }

  /// A block from the decoder goes straight to the device; the item's last one, or its last if `ending` says so.
  private mutating func take(at ending: Chunk.Ending? = nil) {
    guard isConnected, flushes.isEmpty, isOpening == nil,
      case .decode(let item, let generation, let end, let pace, _, _) = machine.nextDecodeOrder(),
      let order, order.item == item, order.generation == generation
    else { return }
    let limit = end.map { Int64($0 * 1000) } ?? Self.itemFrames
    let length = Double(max(0, min(limit, Self.itemFrames) - order.origin)) / pace.speed
    let left = max(0, Int64(length.rounded(.up)) - order.offset)
    let count = min(left, 400)
    let ending: Chunk.Ending = ending ?? (count == left ? .end : .none)
    if ending != .none {
      let error = DecodingError(reason: .decodeFailed, message: "broken on purpose")
      machine.decoderFinished(
        item, frameCount: .exact(Self.itemFrames), failure: ending == .failure ? error : nil,
        generation: generation)
    }
    // The first frames of a generation may take the place of some that the device has.
    if order.offset == 0, let replacement = machine.replacement, replacement.generation == generation {
      let (rendered, heard) = (timing?.renderedFrames ?? 0, timing?.heardFrame ?? 0)
      timing?.renderedFrames = min(replacement.frame, rendered)
      timing?.heardFrame = min(Double(replacement.frame), heard)
    }
    let chunk = Chunk(
      generation: generation, item: item, origin: order.origin, offset: order.offset, frameCount: Int(count),
      ending: ending, speed: pace.speed)
    // What a stream took that the machine has given up is told to nobody.
    if machine.output.phase == .open, machine.output.serial == openSerial {
      machine.output.timeline.append(.init(chunk, count: Int(count), firstFrame: timing?.renderedFrames ?? 0))
    }
    timing?.renderedFrames += count
    self.order?.offset += count
  }

  private mutating func hear(_ seconds: Double) {
    guard isConnected, machine.output.isRunning, var moved = timing else { return }
    now = now.advanced(bySeconds: seconds)
    moved.heardFrame = min(moved.heardFrame + seconds * 1000, Double(moved.renderedFrames))
    moved.hostTime = now
    moved.frameRate = moved.heardFrame < Double(moved.renderedFrames) ? 1000 : 0
    moved.replacementLead = moved.frameRate > 0 ? 20 : nil
    timing = moved
    conduct()
  }

  private mutating func conduct() {
    let present = machine.output.phase == .open ? timing : nil
    var short = machine
    let shortNext = present.flatMap { short.advance(now: now, timing: $0) }
    let next = machine.conduct(now: now, timing: present)
    if let shortNext {
      shortChecks += 1
      #expect("\(shortNext)" == "\(next.moment)" && short.resting == machine.resting, "\(self)")
      #expect(short.deliveries.map { "\($0)" } == machine.deliveries.map { "\($0)" }, "\(self)")
    }
    if case .at(let moment) = next.moment { #expect(moment > now, "a deadline in the past: \(self)") }
  }

  private mutating func receive(_ event: OutputEvent) {
    machine.receive(event, serial: openSerial, now: now)
  }

  private mutating func die(isRecoverable: Bool) {
    guard openSerial != 0 else { return }
    let heard = Int64(timing?.heardFrame(at: now) ?? 0)
    receive(.failed(OutputError("dead", isRecoverable: isRecoverable), heardFrame: heard))
    forgetStream()
  }

  private mutating func forgetStream() {
    isConnected = false
    openSerial = 0
    flushes = []
    timing = nil
  }

  private mutating func obey(_ command: OutputCommand) {
    if case .open(_, let serial, let generation) = command {
      #expect(generation == machine.generation)
      forgetStream()
      openSerial = serial
      return
    }
    #expect(openSerial == machine.output.serial, "a command without a stream: \(command) after \(self)")
    if case .flush(let serial) = command { flushes.append(serial) }
  }

  /// How it came here, and what it waits for.
  var description: String {
    "\(trail.map { "\($0)".split(separator: ".").last ?? "" }): \(machine.cursor), \(machine.queue.ids), \(machine.output)"
  }

  // MARK: What must hold

  /// Whether every seek has been answered.
  var completionsAreComplete: Bool { seeks == completions }

  private mutating func takeDeliveries() {
    for delivery in machine.deliveries {
      guard case .notice(let notice) = delivery else { continue }
      switch notice {
      case .seekCompleted: completions += 1
      case .playedToEnd: ends += 1
      case .currentItemChanged(let id):
        #expect(id != current || id == nil, "the same item twice: \(self)")
        current = id
      case .rateChanged(let value, _):
        #expect(value != rate, "the same rate twice: \(self)")
        rate = value
      case .timeControlChanged(let control):
        #expect(control != playing, "the same state twice: \(self)")
        playing = control
      default: break
      }
    }
    machine.deliveries.removeAll()
  }

  private mutating func check() {
    let output = machine.output
    #expect(current == machine.current && rate == machine.rate && playing == machine.timeControl, "\(self)")
    #expect(machine.heardGeneration <= machine.generation && lastGeneration <= machine.generation)
    lastGeneration = machine.generation
    #expect(machine.resting >= 0 && machine.resting.isFinite)
    #expect(
      completions + (machine.pendingSeek == nil ? 0 : 1) == seeks, "a seek was lost or ended twice: \(self)")
    if output.flushPending || output.flushRequested { #expect(output.phase == .open) }
    if machine.cursor == .flushing { #expect(output.flushPending, "waits for no flush: \(self)") }
    // A copy, to see what would be done now without doing it.
    var copy = machine
    let commands = copy.outputCommands(now: now)
    let hasStream = output.phase == .open || output.phase == .opening
    for (index, command) in commands.enumerated() {
      switch command {
      case .open: #expect(index == 0 && !hasStream)
      default: #expect(hasStream || index > 0, "a command without a stream: \(command) after \(self)")
      }
    }
    if output.needsKick, !output.flushPending, hasStream {
      #expect(commands.contains { if case .dataAvailable = $0 { true } else { false } }, "\(self)")
    }
    copy = machine
    switch copy.nextDecodeOrder() {
    case .open(let item, _, _, let generation):
      #expect(machine.queue.contains(item) && generation == machine.generation)
    case .decode(let item, let generation, _, _, _, let stream):
      #expect(machine.queue.contains(item) && generation == machine.generation)
      #expect(hasStream && !output.flushPending && stream == output.serial)
    case .idle(let isAtEnd):
      // Whoever has nothing to do and is not at the end waits for somebody.
      let waits = output.flushPending || !hasStream && machine.cursor.item != nil
      #expect(isAtEnd || waits, "the decoder waits for nobody: \(self)")
    }
  }
}
