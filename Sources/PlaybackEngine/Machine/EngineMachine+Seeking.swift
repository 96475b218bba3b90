import AudioCore
import MediaTime

extension EngineMachine {
  /// Goes to `seconds` of the current item, which is to be `id` unless that is nil. A seek that is not over yet is,
  /// without success. Returns the completion handlers to call at once, outside the lock, with their values. `isExact`: where
  /// the place is must not be estimated.
  mutating func seek(
    to seconds: Double, of id: ItemID? = nil, isExact: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) -> [(completion: @Sendable (Bool) -> Void, finished: Bool)] {
    guard id == nil || id == current else {
      if let completion { emit(.seekCompleted(completion, finished: false)) }
      return []
    }
    var immediate: [(completion: @Sendable (Bool) -> Void, finished: Bool)] = []
    if let current, queue[current]?.extent?.canBeEntered(at: Self.place(seconds)) == false {
      // Nothing leads there, so that all stays as it is.
      return completion.map { [($0, false)] } ?? []
    }
    if let superseded = pendingSeek?.completion { immediate.append((superseded, false)) }
    pendingSeek = nil
    guard let current else {
      if let completion { immediate.append((completion, false)) }
      return immediate
    }
    guard let info = currentInfo else {
      // Not opened yet: it starts there, and there is nothing to wait for.
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
    // Beyond the end there is nothing to hear; the end itself is the nearest place. An estimate is no end: there
    // the decoder says how far it came.
    var target = Self.place(seconds)
    if case .exact = info.frameCount { target = min(target, info.duration.seconds) }
    discontinue(to: .start(current, isExact ? .exactSeconds(target) : .seconds(target)), resting: target)
    pendingSeek = PendingSeek(completion: completion)
    schedule.reset(to: target)
    emit(.timeJumped(current))
    callObservers()
    return immediate
  }

  /// Ends the seek that is under way, if there is one, and has its handler told whether it got there.
  mutating func endSeek(finished: Bool) {
    guard let seek = pendingSeek.take() else { return }
    if let completion = seek.completion { emit(.seekCompleted(completion, finished: finished)) }
  }
}
