import AudioCore
import MediaTime

extension EngineMachine {
  /// Seeks to `seconds` of the current item. A position that is not seekable changes nothing; otherwise a
  /// pending seek ends without success. If `id` is not nil and not current, only `completion` is scheduled,
  /// with false.
  ///
  /// `isExact`: whether the position must not be estimated. `heard`: the present position in seconds; nil if
  /// unknown.
  ///
  /// - Returns: the completion handlers to call at once, outside the lock, with their arguments.
  mutating func seek(
    to seconds: Double, of id: ItemID? = nil, isExact: Bool = false, heard: Double? = nil,
    completion: (@Sendable (Bool) -> Void)?
  ) -> [(completion: @Sendable (Bool) -> Void, finished: Bool)] {
    guard id == nil || id == current else {
      if let completion { emit(.seekCompleted(completion, finished: false)) }
      return []
    }
    func ends(
      _ completion: (@Sendable (Bool) -> Void)?, _ finished: Bool
    ) -> [(completion: @Sendable (Bool) -> Void, finished: Bool)] {
      completion.map { [($0, finished)] } ?? []
    }
    let place = Self.place(seconds)
    // If the position is not seekable, the state stays unchanged.
    if let current, queue[current]?.extent?.canBeEntered(at: place) == false {
      return ends(completion, false)
    }
    let superseded = ends(pendingSeek.take()?.completion, false)
    guard let current, !hasFailedToOpen else { return superseded + ends(completion, false) }
    guard let info = currentInfo else {
      // The item is not open yet, so it will start at the target without waiting.
      queue.update(current) { $0.startSeconds = place }
      beginGeneration()
      cursor = .start(current, .seconds(place))
      rest(at: place)
      schedule.reset(to: place)
      return superseded + ends(completion, true)
    }
    guard info.live == nil else { return superseded + ends(completion, false) }
    // Targets after the end are clamped to the exact length. A length that is an estimate, or that playback
    // has exceeded (files joined to one announce the length of the first), does not limit the target, because
    // the decoder reports the frame reached.
    let length = info.duration.seconds
    // After the item's end, `heard` includes time that advanced without sound, so the resting position counts.
    let isValid = (endedAt == nil ? heard ?? resting : resting) <= length
    let target = if case .exact = info.frameCount, isValid { min(place, length) } else { place }
    discontinue(to: .start(current, isExact ? .exactSeconds(target) : .seconds(target)), resting: target)
    pendingSeek = PendingSeek(completion: completion)
    schedule.reset(to: target)
    emit(.timeJumped(current))
    callObservers()
    return superseded
  }

  /// Ends the pending seek, if any, and schedules its completion handler.
  mutating func endSeek(finished: Bool) {
    guard let seek = pendingSeek.take() else { return }
    if let completion = seek.completion { emit(.seekCompleted(completion, finished: finished)) }
  }
}
