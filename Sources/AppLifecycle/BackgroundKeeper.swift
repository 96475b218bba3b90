/// A reason for which the system lets an application run in the background.
public enum BackgroundKeeper: String, Hashable, Sendable, CaseIterable {
  /// A player is really playing. Counts only with the background mode `audio`.
  case audio
  /// A background task was begun and not ended. Needs no mode. The device knows by itself.
  case task
  /// A background fetch is in progress. Counts only with the background mode `fetch`. The device knows by itself.
  case fetch
}

/// Takes assertions of the kind "this must keep the application running".
///
/// It is all that a player (or whatever joins players and applications) needs to know of the system side. Whether
/// an assertion counts is the system's decision and not the caller's.
public protocol RunningAssertions: AnyObject, Sendable {
  /// Says that `keeper` holds from now on, or no longer.
  ///
  /// The caller decides what counts as stopping. For audio: pausing and the end of the queue do, going from one
  /// item to the next does not, and a player that starves or has lost its server passes a `grace`, so that a short
  /// gap does not get it suspended for good.
  ///
  /// - Parameters:
  ///   - keeper: the reason. Each has one holder: saying the same twice changes nothing. Only `audio` is asked for
  ///     in this way; the others are without effect here.
  ///   - isKeeping: whether it holds.
  ///   - grace: seconds for which a reason that no longer holds still counts. It ends early when the reason holds
  ///     again, or when the caller says without grace that it does not. Saying it again never makes it longer.
  ///     0 or less, and NaN: it stops counting at once.
  ///
  /// Any thread; does not block. A suspension that follows does not run on the caller's stack.
  func setKeeping(_ keeper: BackgroundKeeper, _ isKeeping: Bool, grace: Double)
}

extension RunningAssertions {
  /// `setKeeping(_:_:grace:)` without grace.
  public func setKeeping(_ keeper: BackgroundKeeper, _ isKeeping: Bool) {
    setKeeping(keeper, isKeeping, grace: 0)
  }
}
