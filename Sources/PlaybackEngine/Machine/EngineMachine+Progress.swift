import AudioCore
import HostTime
import MediaTime

// What is heard: places, steps, ends.
extension EngineMachine {
  /// Brings everything up to what is heard now, by the open stream's timing.
  mutating func conduct(now: HostTime, timing: OutputTiming?) -> NextLook {
    // A line may begin in the future: a device that was started says when its first frame will sound.
    isMoving = output.phase == .open && timing.map { $0.frameRate > 0 && !startsLater($0, now: now) } ?? false
    // First the start of sound, so that observers are called with the place where it starts.
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
    return nextLook(now: now, timing: timing)
  }

  /// A file takes what comes little by little at once, so that no look may see it move: what it has taken shows it.
  private mutating func noteWritten(_ frame: Double) {
    if frame > output.writtenFrame, rate != 0, !output.flushPending { output.hasMoved = true }
    output.writtenFrame = frame
  }

  /// Whether sound begins only later. A timing that was read after `now` is no more than some microseconds ahead.
  private func startsLater(_ timing: OutputTiming, now: HostTime) -> Bool {
    timing.hostTime.seconds(since: now) > 0.001
  }

  /// Delivers what lies between the last look and `heard`, item by item.
  mutating func progress(toFrame heard: Double, now: HostTime) {
    output.timeline.dropRuns(before: heardGeneration)
    dropOutdatedEnds()
    while let (run, isLast) = output.timeline.first(since: heardGeneration) {
      // What a splice kept was heard.
      heardGeneration = max(heardGeneration, run.generation)
      guard let current, run.item == current, let info = currentInfo, endedAt == nil else {
        // The last frames of an item that was taken out, or what follows an end that was to be the last one.
        guard endedAt == nil, heard >= Double(run.endFrame), !isLast || run.ending != .none else { return }
        output.timeline.removeFirst()
        continue
      }
      let isOver = heard >= Double(run.endFrame) - 0.01 && (run.ending != .none || !isLast)
      let reached =
        isOver ? Double(run.frameCount) : min(heard - Double(run.firstFrame), Double(run.frameCount))
      guard reached >= 0 else { return }
      let place = position(in: run, frames: reached, info: info, isEnd: isOver && run.ending == .end)
      if reached > 0 || isOver || isMoving {
        move(to: place, isItemEnd: isOver && run.ending != .none)
      }
      guard isOver else { return }
      // An end to which nobody listened (a seek led there, or the item is empty) waits until it is played.
      if run.frameCount == 0, !wantsSound { return }
      output.timeline.removeFirst()
      switch run.ending {
      case .none: break
      case .end: finishItem(current, failure: nil, now: now)
      case .failure: finishItem(current, failure: queue[current]?.failure, now: now)
      }
    }
  }

  /// The place `frames` behind the start of a run. `isEnd`: that is the item's end.
  func position(
    in run: RenderedTimeline.Run, frames: Double, info: ItemInfo, isEnd: Bool = false
  ) -> ItemPosition {
    var place = ItemPosition(
      origin: run.origin, offset: Double(run.offset) + frames, itemRate: info.format.sampleRate,
      outputRate: format?.sampleRate ?? info.format.sampleRate)
    guard run.speed != 1 else { return place }
    place.offset *= run.speed
    // Whole frames of the output end up to one frame before or behind the item's end.
    let duration: Double? = if case .exact = info.frameCount { info.duration.seconds } else { nil }
    if let end = [duration, queue[run.item]?.endSeconds].compactMap(\.self).min() {
      let left = place.outputFrames(untilSeconds: end)
      place.offset += isEnd ? left : min(0, left)
    }
    return place
  }

  /// Moves the place in the current item forward and delivers the steps on the way.
  private mutating func move(to place: ItemPosition, isItemEnd: Bool) {
    guard place.seconds >= resting || isItemEnd else { return }
    let start = resting
    resting = max(start, place.seconds)
    restingPosition = place
    let told = tellTags(from: start, upTo: place)
    schedule.advance(from: told, to: resting, isItemEnd: isItemEnd) { deliveries.append($0) }
  }

  /// The current item was heard to its end, or to where it broke off.
  private mutating func finishItem(_ id: ItemID, failure: DecodingError?, now: HostTime) {
    emit(failure.map { .failedToPlayToEnd(id, $0) } ?? .playedToEnd(id))
    endedAt = now
    overrun = 0
    applyActionAtEnd(now: now)
  }

  /// Does what is to be done at the end of an item, once it was reached; also when the action is changed later.
  mutating func applyActionAtEnd(now: HostTime) {
    guard endedAt != nil, let current else { return }
    switch actionAtItemEnd {
    case .advance:
      endedAt = nil
      depart(current)
      becomeCurrent(queue.first)
    case .pause:
      if rate != 0 { setRate(0, reason: .itemEnded, now: now) }
    case .none:
      break
    }
  }

  /// Another item is current; its place is its start.
  mutating func becomeCurrent(_ id: ItemID?) {
    buffering = Buffering()
    rest(at: id.flatMap { queue[$0]?.startSeconds } ?? 0)
    schedule.reset(to: resting)
    emit(.currentItemChanged(id))
    guard rate != 0 else { return }
    // This needs no look at the output, so a caller who changed the queue sees it at once.
    if id == nil {
      setTimeControl(.waiting(.noItemToPlay))
    } else if timeControl == .waiting(.noItemToPlay) {
      setTimeControl(.waiting(.evaluatingBufferingRate))
    }
  }

  // MARK: Time

  /// The current item's place now, as it was last seen or as it must have moved since; never before one that was
  /// told already.
  mutating func position(now: HostTime, timing: OutputTiming?) -> ItemPosition? {
    guard var place = seenPosition(now: now, timing: timing) else { return nil }
    if let toldPosition, toldPosition.seconds > place.seconds { place = toldPosition }
    toldPosition = place
    return place
  }

  private func seenPosition(now: HostTime, timing: OutputTiming?) -> ItemPosition? {
    guard let info = currentInfo else { return nil }
    let rate = info.format.sampleRate
    let beyond = beyondEnd(now: now)
    if beyond > 0 {
      let seconds = Self.place(resting + beyond)
      return ItemPosition(frame: Int64((seconds * Double(rate)).rounded(.down)), itemRate: rate)
    }
    let rest =
      restingPosition
      ?? ItemPosition(frame: Int64((resting * Double(rate)).rounded()), itemRate: rate)
    guard let timing, let (run, _) = output.timeline.first(since: heardGeneration), run.item == current
    else { return rest }
    let frames = min(timing.heardFrame(at: now) - Double(run.firstFrame), Double(run.frameCount))
    guard frames > 0 else { return rest }
    let place = position(in: run, frames: frames, info: info)
    return place.seconds > rest.seconds ? place : rest
  }

  /// How far time has run on behind the end of the item. AVPlayer.h: under `.none` "the current time keeps
  /// incrementing".
  private func beyondEnd(now: HostTime) -> Double {
    guard let endedAt else { return 0 }
    guard actionAtItemEnd == .none, rate != 0, !isSuspended else { return overrun }
    return overrun + max(0, now.seconds(since: endedAt)) * Double(rate)
  }

  /// Before anything changes that `beyondEnd` depends on.
  mutating func settleOverrun(now: HostTime) {
    guard endedAt != nil else { return }
    overrun = beyondEnd(now: now)
    endedAt = now
  }

  /// When to look again, if nobody says so earlier.
  struct NextLook {
    var moment: WorkerNext
    /// Also as soon as the output takes more, which need not be anything new.
    var whenMoreIsTaken = false
  }

  private func nextLook(now: HostTime, timing: OutputTiming?) -> NextLook {
    var next: HostTime?
    var awaitsMore = false
    func consider(_ moment: HostTime?) {
      if let moment { next = min(next ?? moment, moment) }
    }
    if case .retrying(let moment) = output.phase, wantsSound { consider(moment) }
    if let since = output.standingSince { consider(since.advanced(bySeconds: Self.stallDelay)) }
    if let evaluated = evaluationEnd, evaluated > now { consider(evaluated) }
    if let timing {
      if timing.frameRate > 0, startsLater(timing, now: now) { consider(timing.hostTime) }
      if let moment = handOverMoment(timing), moment > now { consider(moment) }
      if endedAt == nil, let (run, isLast) = output.timeline.first(since: heardGeneration) {
        let end = timing.hostTime(ofFrame: Double(run.endFrame))
        if !isLast || run.ending != .none { consider(end) }
        if run.item == current, let info = currentInfo,
          let due = [schedule.nextDue(after: resting), nextTagSeconds].compactMap(\.self).min()
        {
          let isHeard = timing.heardFrame(at: now) >= Double(run.endFrame)
          let start = position(in: run, frames: 0, info: info)
          let frame = Double(run.firstFrame) + start.outputFrames(untilSeconds: due) / run.speed
          if frame <= Double(run.endFrame) {
            if !isHeard { consider(timing.hostTime(ofFrame: frame)) }
          } else if isLast, run.ending == .none {
            // The output has not taken that frame yet: look again when what it took was heard, or when it takes more.
            if isHeard { awaitsMore = true } else { consider(end) }
          }
        }
      }
    }
    // A nanosecond more, so that rounding never wakes us just before the frame.
    let earliest = now.advanced(bySeconds: Self.shortestWait)
    return NextLook(
      moment: next.map { .at(max($0.advanced(bySeconds: 1e-9), earliest)) } ?? .whenSignalled,
      whenMoreIsTaken: awaitsMore)
  }

  // MARK: Time control

  mutating func updateTimeControl(now: HostTime) {
    if isMoving {
      // What moves before a flush is what was heard before the jump, and after a pause what is on its way out.
      if rate != 0, !output.flushPending { output.hasMoved = true }
      // Only sound proves that the device is there: one that opens and dies at once is not.
      output.failedAttempts = 0
    }
    let state: EngineTimeControl
    if rate == 0 {
      state = .paused
    } else if current == nil {
      state = .waiting(.noItemToPlay)
    } else if isSuspended || endedAt != nil {
      state = timeControl  // Suspended, or time runs on behind the end of the item.
    } else if isMoving {
      state = .playing
    } else if isOffline, output.phase == .open, output.hasMoved {
      // A file is written when the next frame comes.
      output.standingSince = nil
      state = .playing
    } else if !buffering.holdsBack || buffering.phase == .stalled && timeControl == .playing,
      isBriefPause(now: now)
    {
      state = .playing
    } else if buffering.holdsBack {
      state = .waiting(buffering.phase == .starting ? evaluation(now: now) : .toMinimizeStalls)
    } else if output.phase == .opening && output.failedAttempts == 0 || output.phase == .none
      || output.phase == .open && !output.hasMoved
    {
      // What was waited for is about to sound.
      state =
        isShort && timeControl == .waiting(.toMinimizeStalls)
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

  /// Whether the current item is still to be opened, or its decoder to come to the place.
  private var isAwaited: Bool {
    guard let current, waitsToMinimizeStalling else { return false }
    return currentInfo == nil || cursor.item == current && nextToOpen == current
  }

  /// Why nothing sounds while there is not enough to begin: that is found out for a second, then waited for.
  private mutating func evaluation(now: HostTime) -> EngineTimeControl.WaitingReason {
    let since = waitingSince ?? now
    waitingSince = since
    return now.seconds(since: since) < Self.evaluationTime ? .evaluatingBufferingRate : .toMinimizeStalls
  }

  /// When that second is over; nil where nothing is found out.
  private var evaluationEnd: HostTime? { waitingSince?.advanced(bySeconds: Self.evaluationTime) }

  /// Whether silence now is only the way to the next sound: an item that is open starts on an output that is open, or
  /// starts anew behind a seek's flush, or hiccups. After a while it counts as what it is.
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
      // The device takes some milliseconds to stop; the place is exact when it has.
      stopCallPending = true
    }
  }

  /// Calls the periodic observers with the very time: playback started, stopped or jumped.
  mutating func callObservers() {
    guard let info = currentInfo else { return }
    let calls = schedule.calls(at: resting)
    for run in calls.steps { deliveries.append(.steps(run)) }
    let rate = info.format.sampleRate
    let time =
      restingPosition?.time
      ?? CMTime(value: CMTimeValue((resting * Double(rate)).rounded()), timescale: CMTimeScale(rate))
    for id in calls.exact { deliveries.append(.call(id, time)) }
  }
}
