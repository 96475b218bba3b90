import AudioSession
public import Foundation
import Synchronization

/// A remote command, given by a media key, `playerctl` or the desktop's player controls.
///
/// A command is offered while it is enabled and has a handler. Handlers end with the application that added
/// them. Any thread; nothing blocks.
public class MPRemoteCommand: NSObject, @unchecked Sendable {
  // Unchecked because the class is not final; mutexes protect the mutable state here and in the subclasses.

  /// A handler. Unchecked because it is a constant that is called only on the main queue. An application that
  /// adds a handler on another thread transfers ownership of the captured values, as with Apple's framework.
  private final class Target: @unchecked Sendable {
    let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    /// The launch of the application that added the handler; nil if it was added after a termination.
    let life = PlaybackEnvironment.current.suspension.life
    init(_ handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) {
      self.handler = handler
    }
  }

  private struct State {
    var isEnabled = true
    var targets: [Target] = []
  }

  private let state = Mutex(State())
  private let onChange: @Sendable () -> Void

  init(_ onChange: @escaping @Sendable () -> Void = {}) { self.onChange = onChange }

  /// Whether the command is enabled. The default is true.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      state.withLock { $0.isEnabled = newValue }
      onChange()
    }
  }

  /// Adds a handler, which is called on the main queue. With several handlers the command succeeds if any of
  /// them reports success.
  ///
  /// - Returns: a token for `removeTarget(_:)`. Releasing the token does not remove the handler.
  @discardableResult
  public func addTarget(
    handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
  ) -> Any {
    let target = Target(handler)
    change { targets in
      targets.removeAll { $0.life != target.life }
      targets.append(target)
    }
    return target
  }

  /// Removes the handler for the token returned by `addTarget(handler:)`; nil removes all handlers. Other
  /// values have no effect.
  public func removeTarget(_ target: Any?) {
    change { targets in targets.removeAll { target == nil || $0 === target as? Target } }
  }

  private func change(_ change: (inout [Target]) -> Void) {
    let old = state.withLock { state in
      let old = state.targets
      change(&state.targets)
      return old
    }
    // The release of a handler may run the application's code, so it must not happen under the lock.
    withExtendedLifetime(old) {}
    onChange()
  }

  /// The handlers that the running application added; empty while the command is disabled.
  private var targets: [Target] {
    guard let life = PlaybackEnvironment.current.suspension.life else { return [] }
    return state.withLock { $0.isEnabled ? $0.targets.filter { $0.life == life } : [] }
  }

  /// Whether the command is offered, that is, enabled and with a handler.
  var isAvailable: Bool { !targets.isEmpty }

  /// Calls the handlers. Returns `success` if a handler succeeded, otherwise the last result; `commandFailed`
  /// if the command is not offered. Must be called on the main queue.
  func perform(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
    let results = targets.map { $0.handler(event) }
    return results.contains(.success) ? .success : results.last ?? .commandFailed
  }

  fileprivate func set<Value: Sendable>(_ property: borrowing Mutex<Value>, to value: Value) {
    property.withLock { $0 = value }
    onChange()
  }
}

/// A command that skips by the interval in its event.
public final class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
  private let intervals = Mutex<[NSNumber]>([10])

  /// The available intervals, in seconds. The default is 10 s. If `nextTrackCommand` or
  /// `previousTrackCommand` is not offered, its media key skips by the first positive interval, or by 10 s without one.
  public var preferredIntervals: [NSNumber] {
    get { intervals.withLock { $0 } }
    set { set(intervals, to: newValue) }
  }

  /// The first finite and positive interval, in seconds; 10 if none.
  var firstInterval: TimeInterval {
    preferredIntervals.map(\.doubleValue).first { $0.isFinite && $0 > 0 } ?? 10
  }
}

/// A command that changes the playback position.
public final class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// A command that changes the playback rate.
public final class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
  private let rates = Mutex<[NSNumber]>([])

  /// The supported rates. Empty by default, which means rate 1 only. The lowest and the highest positive rate are
  /// published, extended by the current rate if it is outside of them.
  public var supportedPlaybackRates: [NSNumber] {
    get { rates.withLock { $0 } }
    set { set(rates, to: newValue) }
  }
}

/// A command that changes the repeat mode.
public final class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Mutex(MPRepeatType.off)

  /// The current repeat mode, set by the application.
  public var currentRepeatType: MPRepeatType {
    get { type.withLock { $0 } }
    set { set(type, to: newValue) }
  }
}

/// A command that changes the shuffle mode.
public final class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Mutex(MPShuffleType.off)

  /// The current shuffle mode, set by the application.
  public var currentShuffleType: MPShuffleType {
    get { type.withLock { $0 } }
    set { set(type, to: newValue) }
  }
}

/// A rating command. Stored but never sent, because MPRIS has no command that sets a rating.
public final class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
  private let limits = Mutex<(minimum: Float, maximum: Float)>((0, 1))

  /// The lowest rating. The default is 0.
  public var minimumRating: Float {
    get { limits.withLock { $0.minimum } }
    set { limits.withLock { $0.minimum = newValue } }
  }
  /// The highest rating. The default is 1.
  public var maximumRating: Float {
    get { limits.withLock { $0.maximum } }
    set { limits.withLock { $0.maximum = newValue } }
  }
}

/// A like, dislike or bookmark command. Stored but never sent, because MPRIS has no such commands.
public final class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
  private let texts = Mutex<(isActive: Bool, title: String, shortTitle: String)>((false, "", ""))

  /// Whether the feedback is active for the current item; set by the application.
  public var isActive: Bool {
    get { texts.withLock { $0.isActive } }
    set { texts.withLock { $0.isActive = newValue } }
  }
  /// The title of the command, for users.
  public var localizedTitle: String {
    get { texts.withLock { $0.title } }
    set { texts.withLock { $0.title = newValue } }
  }
  /// A short title of the command, for small displays.
  public var localizedShortTitle: String {
    get { texts.withLock { $0.shortTitle } }
    set { texts.withLock { $0.shortTitle = newValue } }
  }
}
