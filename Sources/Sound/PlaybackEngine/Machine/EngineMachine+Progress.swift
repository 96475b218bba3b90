import AudioCore
import Clocks
import MediaTime
import SystemSupport

extension EngineMachine {
  /// Updates position, steps and time control to the frame heard now. `timing`: the open stream's timing.
  mutating func conduct(now: HostTime, timing: OutputTiming?) -> NextLook {
    // A timing may begin in the future, because a started device reports when its first frame will be heard.
    isMoving =
      output.phase == .open && timing.map { $0.frameRate > 0 && !Self.startsLater($0, now: now) } ?? false
    // Time control first, so that the start's observer calls carry the start position.
    if isMoving { updateTimeControl(now: now) }
    if let timing { progress(toFrame: timing.heardFrame(at: now), now: now) }
    handOverInTime(now: now, timing: timing)
    applyActionAtEnd(now: now)
    if isOffline, let timing { noteWritten(timing.heardFrame) }
    lookAtBuffer()
    updateTimeControl(now: now)
    if stopCallPending, !isMoving {
      stopCallPending = false
      callObservers()
    }
    isSteady =
      isMoving && timeControl == .playing && endedAt == nil && synchronizedStart == nil
      && !output.flushPending
      && !isOffline && !isShort
    return nextLook(now: now, timing: timing)
  }

  /// Delivers the steps and tags due now, and returns the time of the next check. Nil if `conduct` must be called,
  /// because more can be due. Takes a third of its instructions.
  mutating func advance(now: HostTime, timing: OutputTiming) -> WorkerNext? {
    guard isSteady, timing.frameRate > 0, !Self.startsLater(timing, now: now), let itemRate,
      let (run, _) = output.timeline.first(since: heardGeneration), let current, run.item == current
    else { return nil }
    let heard = timing.heardFrame(at: now)
    let frames = heard - Double(run.firstFrame)
    guard frames > 0, heard < Double(run.endFrame) - 1 else { return nil }
    move(to: position(in: run, frames: frames, itemRate), isItemEnd: false)
    // If the next step is not in the run, `conduct` finds the time of the next check.
    guard let seconds = nextDue else { return nil }
    let due = run.streamFrame(atSeconds: seconds, start: position(in: run, frames: 0, itemRate))
    guard due <= Double(run.endFrame) else { return nil }
    return timing.hostTime(ofFrame: due).map { Self.check(at: $0, now: now) }
  }

  /// Records the frames written by an offline output. The output takes each arriving frame of a slowly
  /// loading medium at once, so it may be still at every check; the frame count proves progress.
  private mutating func noteWritten(_ frame: Double) {
    if frame > output.writtenFrame, rate != 0, !output.flushPending { output.hasMoved = true }
    output.writtenFrame = frame
  }

  /// Whether sound begins later than `now`. A timing read after `now` is only some microseconds ahead; the
  /// tolerance is 1 ms.
  private static func startsLater(_ timing: OutputTiming, now: HostTime) -> Bool {
    timing.hostTime.seconds(since: now) > 0.001
  }

  /// Delivers the steps, tags and ends between the last check and frame `heard`, item by item.
  mutating func progress(toFrame heard: Double, now: HostTime) {
    output.timeline.dropRuns(before: heardGeneration)
    dropOutdatedEnds()
    while let (run, isLast) = output.timeline.first(since: heardGeneration) {
      // If the run is of a newer generation, all frames that a splice kept have been heard.
      heardGeneration = max(heardGeneration, run.generation)
      guard let current, run.item == current, let itemRate, endedAt == nil else {
        // The run is not of the current item. Its item was removed, or follows an item that has ended and
        // stays current. In the second case the run is kept.
        guard endedAt == nil, heard >= Double(run.endFrame), !isLast || run.ending != .none else { return }
        output.timeline.removeFirst()
        continue
      }
      let isOver = heard >= Double(run.endFrame) - 0.01 && (run.ending != .none || !isLast)
      let reached =
        isOver ? Double(run.frameCount) : min(heard - Double(run.firstFrame), Double(run.frameCount))
      guard reached >= 0 else { return }
      let place = position(in: run, frames: reached, itemRate, isEnd: isOver && run.ending == .end)
      if reached > 0 || isOver || isMoving {
        // At most rates the end lies within the last frame, where a look may fall before the run is over.
        move(to: place, isItemEnd: run.ending != .none && (isOver || heard > Double(run.endFrame) - 1))
      }
      guard isOver else { return }
      // An end without frames (a seek to the end, an empty item) waits until playback is requested.
      if run.frameCount == 0, !wantsSound { return }
      output.timeline.removeFirst()
      guard run.ending != .none else { continue }
      let failure = run.ending == .failure ? queue[current]?.failure : nil
      emit(failure.map { .failedToPlayToEnd(current, $0) } ?? .playedToEnd(current))
      endedAt = now
      overrun = 0
      applyActionAtEnd(now: now)
    }
  }

  /// Returns the position `frames` output frames after the start of `run`, whose item has the sample rate
  /// `itemRate`. `isEnd`: whether that position is the item's end. Inlined, as a call from a mutating method
  /// copies the whole machine.
  @inline(__always)
  func position(
    in run: RenderedTimeline.Run, frames: Double, _ itemRate: Int, isEnd: Bool = false
  ) -> ItemPosition {
    var place = ItemPosition(
      origin: run.origin, offset: Double(run.offset) + frames, itemRate: itemRate,
      outputRate: format?.sampleRate ?? itemRate)
    guard run.speed != 1 else { return place }
    place.offset *= run.speed
    // Rounding to whole output frames moves the item's end by up to one frame in either direction.
    let info = queue[run.item]?.info
    let duration: Double? = if case .exact? = info?.frameCount { info?.duration.seconds } else { nil }
    if let end = [duration, queue[run.item]?.endSeconds].compactMap(\.self).min() {
      let left = place.outputFrames(untilSeconds: end)
      place.offset += isEnd ? left : min(0, left)
    }
    return place
  }

  private mutating func move(to place: ItemPosition, isItemEnd: Bool) {
    guard place.seconds >= resting || isItemEnd else { return }
    let start = resting
    resting = max(start, place.seconds)
    restingPosition = place
    let told = tellTags(from: start, upTo: place)
    schedule.advance(from: told, to: resting, isItemEnd: isItemEnd) { deliveries.append($0) }
  }

  /// Performs `actionAtItemEnd` if the current item's end was reached.
  mutating func applyActionAtEnd(now: HostTime) {
    guard endedAt != nil, let current else { return }
    switch actionAtItemEnd {
    case .advance:
      endedAt = nil
      depart(current)
      becomeCurrent(queue.first)
    case .pause: setRate(0, reason: .itemEnded, now: now)
    case .none: break
    }
  }

  mutating func becomeCurrent(_ id: ItemID?) {
    buffering = Buffering()
    waitingSince = nil
    rest(at: id.flatMap { queue[$0]?.startSeconds } ?? 0)
    schedule.reset(to: resting)
    emit(.currentItemChanged(id))
    guard rate != 0 else { return }
    // The status is set without checking the output, so that the caller that changed the queue sees it at
    // once.
    if id == nil {
      setTimeControl(.waiting(.noItemToPlay))
    } else if timeControl == .waiting(.noItemToPlay) {
      // The silence since the end of the previous item is not starvation.
      output.hasMoved = false
      setTimeControl(.waiting(.evaluatingBufferingRate))
    }
  }

  /// Returns the current item's position now; never earlier than a position returned since the last jump. Nil
  /// if no item is current or the item is not open yet.
  mutating func position(now: HostTime, timing: OutputTiming?) -> ItemPosition? {
    guard var place = seenPosition(now: now, timing: timing) else { return nil }
    if let toldPosition, toldPosition.seconds > place.seconds { place = toldPosition }
    toldPosition = place
    return place
  }

  private func seenPosition(now: HostTime, timing: OutputTiming?) -> ItemPosition? {
    guard let rate = itemRate else { return nil }
    let beyond = beyondEnd(now: now)
    if beyond > 0 {
      return ItemPosition(seconds: Self.place(resting + beyond), itemRate: rate, rounding: .down)
    }
    let rest = restingPosition ?? ItemPosition(seconds: resting, itemRate: rate)
    guard let timing, let (run, _) = output.timeline.first(since: heardGeneration), run.item == current
    else { return rest }
    let frames = min(timing.heardFrame(at: now) - Double(run.firstFrame), Double(run.frameCount))
    guard frames > 0 else { return rest }
    let place = position(in: run, frames: frames, rate)
    return place.seconds > rest.seconds ? place : rest
  }

  /// Returns the seconds that time has advanced after the item's end. AVPlayer.h: under `.none` "the current
  /// time keeps incrementing".
  private func beyondEnd(now: HostTime) -> Double {
    guard let endedAt else { return 0 }
    guard actionAtItemEnd == .none, rate != 0, !isSuspended else { return overrun }
    return overrun + max(0, now.seconds(since: endedAt)) * Double(rate)
  }

  /// Stores the overrun so far; call before changing any input of `beyondEnd`.
  mutating func settleOverrun(now: HostTime) {
    guard endedAt != nil else { return }
    overrun = beyondEnd(now: now)
    endedAt = now
  }

  /// The time of the next check, if no signal comes earlier. `whenMoreIsTaken`: whether to check as soon as
  /// the output takes more frames, even if those only extend the last run.
  typealias NextLook = (moment: WorkerNext, whenMoreIsTaken: Bool)

  /// Inlined, as a call from a mutating method copies the whole machine.
  @inline(__always)
  private func nextLook(now: HostTime, timing: OutputTiming?) -> NextLook {
    var next: HostTime?
    var awaitsMore = false
    func consider(_ moment: HostTime?) {
      if let moment { next = min(next ?? moment, moment) }
    }
    if case .retrying(let moment) = output.phase, wantsSound { consider(moment) }
    if let since = output.standingSince { consider(since.advanced(bySeconds: Self.stallDelay)) }
    if let end = waitingSince?.advanced(bySeconds: Self.evaluationTime), end > now { consider(end) }
    if let timing {
      if timing.frameRate > 0, Self.startsLater(timing, now: now) { consider(timing.hostTime) }
      if let moment = handOverMoment(timing), moment > now { consider(moment) }
      if endedAt == nil, let (run, isLast) = output.timeline.first(since: heardGeneration) {
        func considerEnd() { consider(timing.hostTime(ofFrame: Double(run.endFrame))) }
        if !isLast || run.ending != .none { considerEnd() }
        if run.item == current, let itemRate, let due = nextDue {
          let frame = run.streamFrame(atSeconds: due, start: position(in: run, frames: 0, itemRate))
          let isHeard = timing.heardFrame(at: now) >= Double(run.endFrame)
          if frame <= Double(run.endFrame) {
            if !isHeard { consider(timing.hostTime(ofFrame: frame)) }
          } else if isLast, run.ending == .none {
            // The output has not taken that frame yet, so check when the taken frames were heard or when it
            // takes more.
            if isHeard { awaitsMore = true } else { considerEnd() }
          }
        } else if isLast, run.ending == .none, let end = timing.hostTime(ofFrame: Double(run.endFrame)),
          end > now
        {
          consider(max(end, now.advanced(bySeconds: Self.starvationInterval)))
        }
      }
    }
    return (next.map { Self.check(at: $0, now: now) } ?? .whenSignalled, awaitsMore)
  }

  /// Returns when the conductor checks again for what is due at `moment`.
  private static func check(at moment: HostTime, now: HostTime) -> WorkerNext {
    // An extra nanosecond keeps rounding from waking the conductor just before the frame.
    .at(max(moment.advanced(byNanoseconds: 1), now.advanced(byNanoseconds: shortestWait)))
  }

  /// The time of the current item's next call or tag in seconds; nil if none is known. Inlined like `nextLook`.
  @inline(__always)
  private var nextDue: Double? {
    guard let step = schedule.nextDue(after: resting) else { return nextTagSeconds }
    return nextTagSeconds.map { min($0, step) } ?? step
  }

  mutating func updateTimeControl(now: HostTime) {
    if isMoving {
      // Frames that leave the device at rate 0 still belong to the paused sound, and during a pending flush
      // to the sound before the jump. Neither counts.
      if rate != 0, !output.flushPending { output.hasMoved = true }
      // A device may open and fail immediately, so sound resets the back-off, and opening does not.
      output.backoff.reset()
    }
    let state: EngineTimeControl
    if rate == 0 {
      state = .paused
    } else if current == nil {
      state = .waiting(.noItemToPlay)
    } else if isSuspended {
      state = timeControl
    } else if endedAt != nil {
      // Under `.none` time advances after the item's end; under `.pause` the rate becomes 0.
      state = actionAtItemEnd == .none && !hasFailedToOpen ? .playing : timeControl
    } else if isMoving {
      state = .playing
    } else if isOffline, output.phase == .open, output.hasMoved {
      // An offline output writes again when the next frame arrives.
      output.standingSince = nil
      state = .playing
    } else if !buffering.holdsBack || buffering.phase == .stalled && timeControl == .playing,
      isBriefPause(now: now)
    {
      state = .playing
    } else if buffering.holdsBack {
      state = .waiting(buffering.phase == .starting ? evaluation(now: now) : .toMinimizeStalls)
    } else if output.phase == .opening && output.backoff.failures == 0 || output.phase == .none
      || output.phase == .open && !output.hasMoved
    {
      // The output is about to start. A start that already waits to minimize stalls keeps that reason.
      state =
        waitsToMinimizeStalling && isShort && timeControl == .waiting(.toMinimizeStalls)
        ? timeControl : .waiting(isAwaited ? evaluation(now: now) : .evaluatingBufferingRate)
    } else {
      state = .waiting(.toMinimizeStalls)
    }
    if isMoving || state != .playing || isSuspended || endedAt != nil { output.standingSince = nil }
    if state == .playing || state == .paused { waitingSince = nil }
    let isStall = state == .waiting(.toMinimizeStalls) && timeControl == .playing && !output.isTakenAway
    if state == .waiting(.toMinimizeStalls), !waitsToMinimizeStalling {
      setRate(0, reason: .setRateFailed, now: now)
    } else {
      setTimeControl(state)
    }
    if isStall, let current {
      emit(.playbackStalled(current))
      if isShort { buffering.stall(now: now) }
    }
  }

  /// Whether the current item is not open yet, or the decoder has not reached the item's position. Always
  /// false without `waitsToMinimizeStalling`.
  private var isAwaited: Bool {
    guard let current, waitsToMinimizeStalling else { return false }
    return currentInfo == nil || cursor.item == current && nextToOpen == current
  }

  /// Returns the waiting reason before a start: `evaluatingBufferingRate` for the first second, then
  /// `toMinimizeStalls`.
  private mutating func evaluation(now: HostTime) -> EngineTimeControl.WaitingReason {
    let since = waitingSince ?? now
    waitingSince = since
    return now.seconds(since: since) < Self.evaluationTime ? .evaluatingBufferingRate : .toMinimizeStalls
  }

  /// Whether the present silence is a normal short interruption: an open item starting on an open output, the
  /// flush of a seek, or a short delay of the device. False after `stallDelay`.
  private mutating func isBriefPause(now: HostTime) -> Bool {
    guard output.phase == .open, !output.isTakenAway || !output.hasMoved,
      timeControl == .playing || timeControl == .paused && currentInfo != nil
    else { return false }
    let since = output.standingSince ?? now
    output.standingSince = since
    return now.seconds(since: since) < Self.stallDelay
  }

  private mutating func setTimeControl(_ state: EngineTimeControl) {
    guard state != timeControl else { return }
    let before = timeControl
    timeControl = state
    emit(.timeControlChanged(state))
    if state == .playing {
      stopCallPending = false
      callObservers()
    } else if before == .playing {
      // The device takes some milliseconds to stop; the position is exact only after that.
      stopCallPending = true
    }
  }

  /// Calls the periodic observers with the exact time, because playback started, stopped or jumped.
  mutating func callObservers() {
    guard let itemRate else { return }
    let calls = schedule.calls(at: resting)
    for run in calls.steps { deliveries.append(.steps(run)) }
    let rest = restingPosition ?? ItemPosition(seconds: resting, itemRate: itemRate)
    let time = rest.time
    for id in calls.exact { deliveries.append(.call(id, time)) }
  }
}
