import AudioCore
import MediaTime

extension EngineMachine {
  /// Goes to `seconds` of the current item. A seek that is not over yet is, without success. Returns the completion
  /// handlers to call at once, outside the lock, with their values.
  mutating func seek(
    to seconds: Double, completion: (@Sendable (Bool) -> Void)?
  ) -> [(completion: @Sendable (Bool) -> Void, finished: Bool)] {
    var immediate: [(completion: @Sendable (Bool) -> Void, finished: Bool)] = []
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
      generation += 1
      heardGeneration = generation
      cursor = .start(current, .seconds(place))
      rest(at: place)
      schedule.reset(to: place)
      if let completion { immediate.append((completion, true)) }
      return immediate
    }
    // Beyond the end there is nothing to hear; the end itself is the nearest place. An estimate is no end: there
    // the decoder says how far it came.
    var target = Self.place(seconds)
    if case .exact = info.frameCount { target = min(target, info.duration.seconds) }
    discontinue(to: .start(current, .seconds(target)), resting: target)
    pendingSeek = PendingSeek(completion: completion)
    schedule.reset(to: target)
    emit(.timeJumped(current))
    callObservers()
    return immediate
  }

  /// Ends a seek that is not over, by `cancelPendingSeeks` or because its item is gone.
  mutating func endSeek(finished: Bool) {
    guard let seek = pendingSeek else { return }
    pendingSeek = nil
    if let completion = seek.completion { emit(.seekCompleted(completion, finished: finished)) }
  }

  mutating func completeSeek(_ seek: PendingSeek) {
    if let completion = seek.completion { emit(.seekCompleted(completion, finished: true)) }
  }
}
