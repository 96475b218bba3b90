import AudioCore
import Clocks

/// A simulated stream as a value without threads: inputs are orders and the time, outputs are actions.
struct SimulatedMachine: Sendable {
  /// An action for the worker.
  enum Action: Sendable {
    case emit(OutputEvent)
    case complete(@Sendable (Int64) -> Void, Int64)
    case render(firstFrame: Int64, samples: Int)
    /// Asks the source for the first frame that it replaces.
    case askForReplacement
    case rest(WorkerNext)
  }

  private enum Phase {
    case connecting(until: HostTime)
    case open
    case over
  }

  /// The maximum number of frames per render, unless one block is larger: half of the engine's ring, so that
  /// the ring does not run empty.
  private static let pieceLimit = 32_768

  private let format: PCMFormat
  private let personality: SimulatedOutput.Personality
  private let tape: SimulatedTape
  private let happenings: SimulatedHappenings
  private let failsToOpen: Bool
  private let rate: Double
  private let capacityFrames: Int

  private var phase: Phase
  private var orders: [StreamOrder] = []
  private var outbox: [Action] = []

  private var isStarted = false
  private var isSuspended = false
  private var isMoved: Bool
  /// The number of frames requested by the render in progress; nil if none is in progress.
  private var asked: Int?
  /// Whether the last render returned fewer frames than requested, without new data, a flush or a replacement since.
  private var isDry = false
  /// Whether the last render returned fewer frames than requested because the source was at its end.
  private var isAtEnd = false
  /// Whether the device waits for enough frames to start.
  private var isPrebuffering = true
  /// Whether the next start of sound takes `startDelay`.
  private var needsStartDelay = true
  /// The time at which a starting device becomes ready.
  private var readyAt: HostTime?
  /// The time at which the last frame that a flush could not drop has been heard.
  private var busyUntil: HostTime?
  /// Whether an empty device still reports motion.
  private var claimsMotion = false
  private var gaveEarlyNotice = false

  private var line: SimulatedLine
  private var renderedFrames: Int64 = 0
  private var buffer: SimulatedBuffer
  private var clerk: SimulatedTimingClerk

  init(
    format: PCMFormat, personality: SimulatedOutput.Personality, created: HostTime, opening: HostTime,
    number: Int, tape: SimulatedTape
  ) {
    self.format = format
    self.personality = personality
    self.tape = tape
    happenings = SimulatedHappenings(personality, created: created, opening: opening)
    failsToOpen = number < personality.failingConnections
    rate = Double(format.sampleRate) * (1 + personality.clockDrift)
    capacityFrames = max(personality.blockFrames, Int(personality.latency * Double(format.sampleRate)))
    phase = .connecting(until: opening.advanced(bySeconds: personality.connectDelay))
    isMoved = happenings.move.map { $0 <= opening } ?? false
    line = SimulatedLine(time: opening, frame: 0, rate: 0)
    buffer = SimulatedBuffer(stream: number, format: format, tape: tape)
    clerk = SimulatedTimingClerk(interval: personality.timingInterval, opening: opening)
  }

  /// Queues an order; returns whether the worker must run for it.
  mutating func accept(_ order: StreamOrder) -> Bool {
    if case .over = phase { return false }
    // While a render is in progress, its result decides whether new data matters.
    if case .data = order, !isDry, asked == nil { return false }
    orders.append(order)
    return true
  }

  /// Returns the next action at `now`; call until the action is `rest`. `quietUntil`: see `HostClock`.
  mutating func next(at now: HostTime, quietUntil: HostTime?) -> Action {
    while true {
      if !outbox.isEmpty { return outbox.removeFirst() }
      switch phase {
      case .over: return .rest(.whenSignalled)
      case .connecting(let moment):
        guard now >= moment else { return .rest(.at(moment)) }
        connect(at: now)
        continue
      case .open: break
      }
      advance(to: now)
      letHappen(at: now)
      if case .over = phase { continue }
      if !orders.isEmpty {
        execute(orders.removeFirst(), at: now)
        continue
      }
      // The buffer is filled before playback starts.
      if wantsFrames(at: now) {
        let frames = pieceFrames(at: now, quietUntil: quietUntil)
        asked = frames
        return .render(firstFrame: renderedFrames, samples: frames * format.channelCount)
      }
      startIfPossible(at: now)
      giveEarlyNotice(at: now)
      if clerk.update(at: now, timing: exactTiming(at: now)) { outbox.append(.emit(.timingChanged)) }
      if !outbox.isEmpty { continue }
      return .rest(nextMoment(after: now).map(WorkerNext.at) ?? .whenSignalled)
    }
  }

  mutating func takeRendered(
    _ frames: Int, from samples: UnsafeMutableBufferPointer<Float>, isAtEnd: Bool, at now: HostTime
  ) {
    let room = asked ?? 0
    precondition((0...room).contains(frames), "render() wrote more frames than there was room for")
    asked = nil
    guard case .open = phase else { return }
    // Advance before the new frames are counted, because the device has underrun if they came too late.
    advance(to: now)
    renderedFrames += Int64(frames)
    buffer.append(UnsafeMutableBufferPointer(rebasing: samples[..<(frames * format.channelCount)]))
    isDry = frames < room
    self.isAtEnd = isDry && isAtEnd
    if frames > 0 { gaveEarlyNotice = false }
  }

  /// Drops the frames from `frame` on, because the source has replacements.
  mutating func replace(from frame: Int64, at now: HostTime) {
    guard case .open = phase, frame < renderedFrames else { return }
    advance(to: now)
    buffer.truncate(from: frame)
    renderedFrames = frame
    isDry = false
  }

  /// Inlined, as a call under the lock copies the whole machine.
  @inline(__always)
  func timing(at now: HostTime) -> OutputTiming { clerk.snapshot ?? exactTiming(at: now) }

  /// Stops at the present position and ends the stream.
  mutating func close(at now: HostTime) {
    advance(to: now)
    stand(at: now)
    clerk.refresh(exactTiming(at: now))
    phase = .over
    orders = []
    outbox = []
  }

  // MARK: - Opening and events

  private mutating func connect(at now: HostTime) {
    if failsToOpen { return fail(personality.connectionError, at: now) }
    if happenings.isDead(at: now) { return fail(OutputError("no device", isRecoverable: true), at: now) }
    phase = .open
    outbox.append(.emit(.opened(route: isMoved ? "simulated.2" : "simulated")))
  }

  private mutating func fail(_ error: OutputError, at now: HostTime) {
    close(at: now)
    outbox = [.emit(.failed(error, heardFrame: Int64((line.frame + SimulatedLine.tolerance).rounded(.down))))]
  }

  private mutating func letHappen(at now: HostTime) {
    if happenings.isDead(at: now) {
      return fail(
        OutputError("the device went away", isRecoverable: true, cause: personality.deathCause), at: now)
    }
    let suspended = happenings.isSuspended(at: now)
    if suspended != isSuspended {
      isSuspended = suspended
      outbox.append(.emit(.suspended(suspended)))
      if suspended { stand(at: now) }
    }
    if !isMoved, let move = happenings.move, move <= now {
      isMoved = true
      outbox.append(.emit(.moved(route: "simulated.2")))
    }
  }

  private mutating func execute(_ order: StreamOrder, at now: HostTime) {
    switch order {
    case .start: isStarted = true
    case .stop:
      isStarted = false
      stand(at: now)
      clerk.refresh(exactTiming(at: now))
    case .flush(let completion):
      let first = flush(at: now)
      clerk.refresh(exactTiming(at: now))
      outbox.append(.complete(completion, first))
    case .data: isDry = false
    case .replace: outbox.append(.askForReplacement)
    case .volume(let volume, let muted):
      tape.append(SimulatedOutput.Recording.VolumeChange(time: now, volume: volume, muted: muted))
    }
  }

  /// Drops the frames that are not heard yet, except the undroppable ones. Returns the number of the first
  /// dropped frame.
  private mutating func flush(at now: HostTime) -> Int64 {
    let held = line.rate > 0 ? personality.undroppable * rate : 0
    let position = line.frame(at: now, limit: renderedFrames) + held
    let first = min(renderedFrames, Int64((position - SimulatedLine.tolerance).rounded(.up)))
    buffer.play(upTo: first, along: line)
    // The frames that cannot be dropped keep the device busy.
    if held > 0 { busyUntil = line.time(of: Double(first)) }
    buffer.drop(upTo: renderedFrames)
    stand(at: now, needsDelay: false)
    if line.frame < Double(renderedFrames) { clerk.noteChange() }
    line.frame = Double(renderedFrames)
    isPrebuffering = true
    isDry = false
    return first
  }

  // MARK: - Motion

  /// Records the frames heard until `now`, and detects an empty buffer.
  mutating func advance(to now: HostTime) {
    guard line.rate > 0 else { return }
    let position = line.frame(at: now, limit: renderedFrames)
    guard Double(renderedFrames) - position < SimulatedLine.tolerance else {
      return buffer.play(upTo: Int64((position - SimulatedLine.tolerance).rounded(.up)), along: line)
    }
    buffer.play(upTo: renderedFrames, along: line)
    line = SimulatedLine(time: now, frame: Double(renderedFrames), rate: 0)
    isPrebuffering = true
    claimsMotion = !personality.acknowledgesEnd
    if !claimsMotion { clerk.noteChange() }
  }

  private mutating func stand(at now: HostTime, needsDelay: Bool = true) {
    let wasMoving = line.rate > 0 || claimsMotion
    line = SimulatedLine(time: now, frame: line.frame(at: now, limit: renderedFrames), rate: 0)
    readyAt = nil
    claimsMotion = false
    if needsDelay { needsStartDelay = true }
    if wasMoving { clerk.noteChange() }
  }

  private var bufferedFrames: Double { Double(renderedFrames) - line.frame }

  private mutating func startIfPossible(at now: HostTime) {
    guard line.rate == 0, isStarted, !isSuspended, bufferedFrames > SimulatedLine.tolerance else { return }
    let enough = min(personality.prebufferFrames, capacityFrames - personality.blockFrames + 1)
    guard !isPrebuffering || bufferedFrames >= Double(enough) || (isDry && isAtEnd) else { return }
    if needsStartDelay, personality.startDelay > 0 {
      readyAt = now.advanced(bySeconds: personality.startDelay)
    }
    needsStartDelay = false
    if let readyAt, now < readyAt { return }
    if let busyUntil, now < busyUntil { return }
    readyAt = nil
    busyUntil = nil
    isPrebuffering = false
    claimsMotion = false
    line = SimulatedLine(time: now, frame: line.frame, rate: rate)
    clerk.noteChange()
  }

  /// The position at which the buffer has room for another block.
  private var refillPosition: Double {
    Double(renderedFrames - Int64(capacityFrames) + Int64(personality.blockFrames))
  }

  private func wantsFrames(at now: HostTime) -> Bool {
    !isDry && (isStarted || personality.rendersWhileStopped)
      && line.frame(at: now, limit: renderedFrames) >= refillPosition - SimulatedLine.tolerance
  }

  /// Returns the number of frames to render at once: a block, or several blocks until `quietUntil` if no one
  /// can observe the difference.
  private func pieceFrames(at now: HostTime, quietUntil: HostTime?) -> Int {
    let block = personality.blockFrames
    guard let quietUntil, line.rate > 0, personality.earlyNotice == 0, personality.timingInterval == 0 else {
      return block
    }
    let end = min(quietUntil, happenings.next(after: now) ?? .distantFuture)
    let frames =
      line.frame + end.seconds(since: line.time) * rate + Double(capacityFrames) - Double(renderedFrames)
    let blocks = (max(0, min(frames, Double(Self.pieceLimit))) / Double(block)).rounded(.down)
    return max(1, Int(blocks)) * block
  }

  private var earlyNoticePosition: Double { Double(renderedFrames) - personality.earlyNotice * rate }

  private mutating func giveEarlyNotice(at now: HostTime) {
    guard personality.earlyNotice > 0, !gaveEarlyNotice, line.rate > 0,
      line.frame(at: now, limit: renderedFrames) >= earlyNoticePosition
    else { return }
    gaveEarlyNotice = true
    clerk.noteChange()
  }

  /// Returns the time of the next event that occurs without an order; nil if none is scheduled.
  private mutating func nextMoment(after now: HostTime) -> HostTime? {
    var moments = [happenings.next(after: now), clerk.nextUpdate(after: now, isMoving: line.rate > 0)]
    if line.rate > 0 {
      moments.append(line.time(of: Double(renderedFrames)))
      if !isDry { moments.append(line.time(of: refillPosition)) }
      if personality.earlyNotice > 0, !gaveEarlyNotice { moments.append(line.time(of: earlyNoticePosition)) }
    } else {
      moments += [readyAt, busyUntil].filter { $0.map { $0 > now } ?? false }
    }
    return moments.compactMap(\.self).min()
  }

  /// Inlined like `timing`.
  @inline(__always)
  private func exactTiming(at now: HostTime) -> OutputTiming {
    var frame = line.frame(at: now, limit: renderedFrames)
    let isMoving = line.rate > 0 && (frame < Double(renderedFrames) || !personality.acknowledgesEnd)
    if isMoving, personality.timingStepFrames > 0 {
      let step = Double(personality.timingStepFrames)
      frame = line.frame + ((frame - line.frame) / step).rounded(.down) * step
    }
    return OutputTiming(
      heardFrame: frame, hostTime: now, frameRate: isMoving || claimsMotion ? rate : 0,
      renderedFrames: renderedFrames,
      replacementLead: isMoving && personality.replacesFrames
        ? personality.undroppable * rate + Double(personality.timingStepFrames) : nil)
  }
}
