public import Foundation
import Synchronization

/// Something that a person can ask the application for from outside: with a media key, `playerctl`, the desktop's
/// own player controls.
///
/// A command is offered while it is enabled and has a handler. Any thread; nothing blocks.
public class MPRemoteCommand: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; what changes here and in the subclasses is in mutexes.

  /// A handler. Unchecked: it is a constant, and called on the main queue only; so an application that adds it on another
  /// thread hands over what it has captured, as with Apple.
  private final class Target: @unchecked Sendable {
    let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
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

  init(_ onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

  /// Whether the command may be given; true until it is set.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      state.withLock { $0.isEnabled = newValue }
      onChange()
    }
  }

  /// Adds a handler, which is called on the main queue. With several ones the command has succeeded if one of them
  /// says so.
  ///
  /// - Returns: what `removeTarget(_:)` takes. The handler stays also if it is dropped.
  @discardableResult
  public func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
    let target = Target(handler)
    state.withLock { $0.targets.append(target) }
    onChange()
    return target
  }

  /// Removes the handler that `addTarget(handler:)` returned this for, or all of them for nil. No effect for
  /// anything else.
  public func removeTarget(_ target: Any?) {
    let removed = state.withLock { state -> [Target] in
      let (kept, removed) =
        target == nil
        ? ([], state.targets)
        : (
          state.targets.filter { $0 !== target as? Target }, state.targets.filter { $0 === target as? Target }
        )
      state.targets = kept
      return removed
    }
    // A handler may hold objects whose end runs the application's code: not under the lock.
    withExtendedLifetime(removed) {}
    onChange()
  }

  /// Whether the command is offered.
  var isAvailable: Bool { state.withLock { $0.isEnabled && !$0.targets.isEmpty } }

  /// Calls the handlers. Main queue.
  func perform(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
    let targets = state.withLock { $0.isEnabled ? $0.targets : [] }
    let results = targets.map { $0.handler(event) }
    return results.contains(.success) ? .success : results.last ?? .commandFailed
  }

  /// For subclasses: tells of a change.
  func changed() { onChange() }
}

/// A skip by a fixed time.
public final class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
  private let intervals = Mutex<[NSNumber]>([10])

  /// The times to choose from, in seconds; 10 until they are set. Where the application has no command for the next
  /// or the previous item, a media key for these skips by the first one.
  public var preferredIntervals: [NSNumber] {
    get { intervals.withLock { $0 } }
    set {
      intervals.withLock { $0 = newValue }
      changed()
    }
  }

  /// The first interval that is one.
  var firstInterval: TimeInterval {
    preferredIntervals.map(\.doubleValue).first { $0.isFinite && $0 > 0 } ?? 10
  }
}

/// A choice of the place in the item.
public final class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// A choice of the rate.
public final class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
  private let rates = Mutex<[NSNumber]>([])

  /// The rates to choose from; empty until they are set, which stands for 1 alone. Least and greatest are shown.
  public var supportedPlaybackRates: [NSNumber] {
    get { rates.withLock { $0 } }
    set {
      rates.withLock { $0 = newValue }
      changed()
    }
  }
}

/// A choice of what is repeated.
public final class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Mutex(MPRepeatType.off)

  /// What is repeated now; the application sets it.
  public var currentRepeatType: MPRepeatType {
    get { type.withLock { $0 } }
    set {
      type.withLock { $0 = newValue }
      changed()
    }
  }
}

/// A choice of what is shuffled.
public final class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Mutex(MPShuffleType.off)

  /// What is shuffled now; the application sets it.
  public var currentShuffleType: MPShuffleType {
    get { type.withLock { $0 } }
    set {
      type.withLock { $0 = newValue }
      changed()
    }
  }
}

/// A rating. Kept and never given: the session bus has none.
public final class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
  private let limits = Mutex<(minimum: Float, maximum: Float)>((0, 1))

  /// The lowest rating; 0 until it is set.
  public var minimumRating: Float {
    get { limits.withLock { $0.minimum } }
    set { limits.withLock { $0.minimum = newValue } }
  }
  /// The highest rating; 1 until it is set.
  public var maximumRating: Float {
    get { limits.withLock { $0.maximum } }
    set { limits.withLock { $0.maximum = newValue } }
  }
}

/// A like, a dislike or a bookmark. Kept and never given: the session bus has none.
public final class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
  private let texts = Mutex<(isActive: Bool, title: String, shortTitle: String)>((false, "", ""))

  /// Whether the item has it now; the application sets it.
  public var isActive: Bool {
    get { texts.withLock { $0.isActive } }
    set { texts.withLock { $0.isActive = newValue } }
  }
  /// What it is called.
  public var localizedTitle: String {
    get { texts.withLock { $0.title } }
    set { texts.withLock { $0.title = newValue } }
  }
  /// What it is called where there is little room.
  public var localizedShortTitle: String {
    get { texts.withLock { $0.shortTitle } }
    set { texts.withLock { $0.shortTitle = newValue } }
  }
}
