import AudioCore
import HostTime

// A start at a given moment: silence flows until the output knows which of its frames is heard then, and from that frame on
// the item's sound takes the place of the silence.
extension EngineMachine {
  /// A place in the current item, and when it is to be heard.
  struct SynchronizedStart: Hashable {
    var moment: HostTime
    /// In seconds of the item.
    var seconds: Double
  }

  /// How long before its moment, and before the frames that can be replaced no more, sound is handed over: enough to
  /// decode it. As late as that, because what the output knows of its frames becomes better with time.
  private static let handOver = 0.1

  /// A call of the application: goes to `seconds` of the current item (nil for where it stands), which is to be `id`, and
  /// sets the rate, so that this place is heard at `moment`. One that cannot be met any more is when it was: the item is
  /// then where it would be had it begun in time. `timing` is the open stream's.
  mutating func start(
    _ value: Float, at seconds: Double?, of id: ItemID, moment: HostTime, now: HostTime, timing: OutputTiming?
  ) {
    // A file has no moments.
    guard id == current, !isOffline else {
      return requestRate(value, reason: .setRateCalled, now: now, timing: timing)
    }
    let place = Self.place(seconds ?? position(now: now, timing: timing)?.seconds ?? resting)
    endSeek(finished: false)
    discontinue(to: .start(id, .seconds(place)), resting: place)
    // Where it stands what was told stays told.
    if seconds != nil { schedule.reset(to: place) }
    if currentInfo == nil {
      queue.update(id) { $0.startSeconds = place }
    } else if seconds != nil {
      emit(.timeJumped(id))
    }
    requestRate(value, reason: .setRateCalled, now: now, timing: timing)
    synchronizedStart = SynchronizedStart(moment: moment, seconds: place)
  }

  /// Another rate is asked for before that moment has come: it counts from now on.
  mutating func endSynchronizedStart() {
    guard synchronizedStart != nil, let current else { return }
    discontinue(to: .start(current, .seconds(resting)), resting: resting)
  }

  /// Hands the sound over if it is time. `timing` is the open stream's.
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
    if late > 0 { schedule.reset(to: resting) }
    cursor = .start(current, .seconds(resting))
    output.needsReplacing = true
    replacement = Replacement(generation: generation, frame: Int64(frame), replaced: nil)
  }

  /// When sound that is to be heard in time is handed over; nil if none is.
  func handOverMoment(_ timing: OutputTiming) -> HostTime? {
    guard let start = synchronizedStart, timing.frameRate > 0 else { return nil }
    let lead = Self.handOver + (timing.replacementLead ?? 0) / timing.frameRate
    return start.moment.advanced(bySeconds: -lead)
  }
}
