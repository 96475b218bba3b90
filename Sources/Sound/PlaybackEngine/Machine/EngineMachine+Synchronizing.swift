import AudioCore
import Clocks

// Synchronized starts: silence plays until the output knows which frame is heard at the requested time. From
// that frame on, the item's sound replaces the silence.
extension EngineMachine {
  /// A position in the current item, with the time at which a listener hears it.
  struct SynchronizedStart: Hashable {
    var moment: HostTime
    /// The position in seconds of the item.
    var seconds: Double
  }

  /// The handover lead in seconds, in addition to the output's `replacementLead`. The value suffices to
  /// decode the sound; a later handover uses a more precise output timing.
  private static let handOver = 0.1

  /// Seeks to `seconds` of the current item (nil: the present position) and sets the rate, so that this
  /// position is heard at `moment`. Called for the application; if `id` is not current, only the rate
  /// is set. An offline output takes position and rate at once.
  ///
  /// If `moment` cannot be met, playback starts at the position that an on-time start would have reached.
  /// `timing`: the open stream's timing.
  mutating func start(
    _ value: Float, at seconds: Double?, of id: ItemID, moment: HostTime, now: HostTime, timing: OutputTiming?
  ) {
    guard id == current, !hasFailedToOpen, seconds != nil || !isOffline else {
      return requestRate(value, reason: .setRateCalled, now: now, timing: timing)
    }
    let place = Self.place(seconds ?? position(now: now, timing: timing)?.seconds ?? resting)
    endSeek(finished: false)
    discontinue(to: .start(id, .seconds(place)), resting: place)
    // Without a seek, steps that were delivered are not delivered again.
    if seconds != nil { schedule.reset(to: place) }
    if currentInfo == nil {
      queue.update(id) { $0.startSeconds = place }
    } else if seconds != nil {
      emit(.timeJumped(id))
    }
    requestRate(value, reason: .setRateCalled, now: now, timing: timing)
    // An offline output does not play in real time.
    if !isOffline { synchronizedStart = SynchronizedStart(moment: moment, seconds: place) }
  }

  /// Cancels a synchronized start, because another rate was requested first.
  mutating func endSynchronizedStart() {
    guard synchronizedStart != nil, let current else { return }
    discontinue(to: .start(current, .seconds(resting)), resting: resting)
  }

  /// Replaces the silence with the item's sound once the handover is due. `timing`: the open stream's timing.
  mutating func handOverInTime(now: HostTime, timing: OutputTiming?) {
    if synchronizedStart != nil { silentGeneration = generation }
    guard let start = synchronizedStart, let current, cursor == .decoding(current), isMoving,
      !output.flushPending, let timing, let moment = handOverMoment(timing), moment <= now
    else { return }
    let exact = timing.heardFrame + start.moment.seconds(since: timing.hostTime) * timing.frameRate
    let earliest =
      timing.replacementLead.map { timing.heardFrame(at: now) + $0 } ?? Double(timing.renderedFrames)
    let frame = max(exact.rounded(), min(earliest, Double(timing.renderedFrames)).rounded(.up))
    let late = max(0, frame - exact - 0.5) / timing.frameRate * speed
    beginGeneration()
    silentGeneration = generation
    rest(at: start.seconds + late)
    cursor = .start(current, .seconds(resting))
    output.needsReplacing = true
    replacement = Replacement(generation: generation, frame: Int64(frame), replaced: nil)
    guard late > 0 else { return }
    schedule.reset(to: resting)
    emit(.timeJumped(current))
    callObservers()
  }

  /// Returns the time of the handover; nil if no synchronized start is pending or the output does not move.
  /// Inlined, as a call from a mutating method copies the whole machine.
  @inline(__always)
  func handOverMoment(_ timing: OutputTiming) -> HostTime? {
    guard let start = synchronizedStart, timing.frameRate > 0 else { return nil }
    let lead = Self.handOver + (timing.replacementLead ?? 0) / timing.frameRate
    return start.moment.advanced(bySeconds: -lead)
  }
}
