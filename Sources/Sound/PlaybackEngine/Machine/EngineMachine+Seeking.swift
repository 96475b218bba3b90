import AudioCore
import MediaTime

extension EngineMachine {
  /// Seeks to `seconds` of the current item and ends a pending seek without success. If `id` is not nil and
  /// not current, only `completion` is scheduled, with false.
  ///
  /// `isExact`: whether the position must not be estimated.
  ///
  /// - Returns: the completion handlers to call at once, outside the lock, with their arguments.
  mutating func seek(
    to seconds: Double, of id: ItemID? = nil, isExact: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) -> [(completion: @Sendable (Bool) -> Void, finished: Bool)] {
    guard id == nil || id == current else {
      if let completion { emit(.seekCompleted(completion, finished: false)) }
      return []
    }
    var immediate: [(completion: @Sendable (Bool) -> Void, finished: Bool)] = []
    if let current, queue[current]?.extent?.canBeEntered(at: Self.place(seconds)) == false {
      // The position is not seekable, so the state stays unchanged.
      return completion.map { [($0, false)] } ?? []
    }
    if let superseded = pendingSeek?.completion { immediate.append((superseded, false)) }
    pendingSeek = nil
    guard let current else {
      if let completion { immediate.append((completion, false)) }
      return immediate
    }
    guard let info = currentInfo else {
      // The item is not open yet, so it will start at the target without waiting.
      let place = Self.place(seconds)
      queue.update(current) { $0.startSeconds = place }
      beginGeneration()
      cursor = .start(current, .seconds(place))
      rest(at: place)
      schedule.reset(to: place)
      if let completion { immediate.append((completion, true)) }
      return immediate
    }
    guard info.live == nil else {
      if let completion { immediate.append((completion, false)) }
      return immediate
    }
    // Targets after the end are clamped to the exact length. An estimated length does not limit the target:
    // the decoder reports the frame reached.
    var target = Self.place(seconds)
    if case .exact = info.frameCount { target = min(target, info.duration.seconds) }
    discontinue(to: .start(current, isExact ? .exactSeconds(target) : .seconds(target)), resting: target)
    pendingSeek = PendingSeek(completion: completion)
    schedule.reset(to: target)
    emit(.timeJumped(current))
    callObservers()
    return immediate
  }

  /// Ends the pending seek, if any, and schedules its completion handler.
  mutating func endSeek(finished: Bool) {
    guard let seek = pendingSeek.take() else { return }
    if let completion = seek.completion { emit(.seekCompleted(completion, finished: finished)) }
  }
}
