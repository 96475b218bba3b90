package import AudioCore
package import Clocks
package import Foundation
import Synchronization
package import Transfer

/// The dependencies of players: the clock, the output, the main queue and the sources of media.
///
/// An application that does not use the default environment sets `current` once, before it makes its first
/// player. A player keeps the environment in which it was made. Copies of an environment share its audio
/// session.
public struct PlaybackEnvironment: Sendable {
  package let clock: any HostClock
  /// The output device, shared by all players of the environment. Each player opens its own streams.
  package let device: any AudioOutputDevice
  /// The queue for change handlers, notifications, completion handlers, and time observers without a queue.
  package let mainQueue: any DeliveryQueue
  /// The time stretching for rates other than 1; nil if such rates are refused.
  package let stretching: (any TimeStretching)?
  /// Returns whether the caller runs on `mainQueue`. Called for each read of a property: must be cheap.
  package let isOnMainQueue: @Sendable () -> Bool
  /// Returns the source for the file at a file URL. Called right before the file is opened, on any thread.
  /// With `isPrecise` the length must be exact, even if that requires reading the whole file.
  package var makeSource: @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource
  /// Returns the medium of a remote asset. Called before an item of the asset enters a queue, or the asset
  /// loads, on any thread. The medium fetches nothing before it is opened, and ends all transfers on release.
  /// `onNote` is called with the medium's events, in order, on a worker, and with `entered` on the reader's
  /// thread. The closure is nil if remote media are not supported.
  package var makeRemote:
    (
      @Sendable (_ asset: RemoteAsset, _ onNote: @escaping @Sendable (TransferNote) -> Void)
        -> any MediaSource & AnyObject
    )?
  /// The preferred buffer duration, in seconds, for callers that make items; 0 lets the player choose.
  package var preferredForwardBufferDuration = 0.0
  package let suspension: PlaybackSuspension
  package let audioSession: AVAudioSession
  /// The handler of diagnostics of the players and their output. Called on the main queue; must not block. By default
  /// the first missing output in the process is reported on standard error; nil reports nothing.
  public var onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)?

  package init(
    clock: any HostClock, device: any AudioOutputDevice, stretching: (any TimeStretching)? = nil,
    mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isOnMainQueue: @escaping @Sendable () -> Bool = { MainDispatchQueue.isCurrent },
    makeSource: @escaping @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource,
    onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    self.clock = clock
    self.device = device
    self.stretching = stretching
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    self.makeSource = makeSource
    suspension = PlaybackSuspension(mainQueue: mainQueue, isOnMainQueue: isOnMainQueue)
    audioSession = AVAudioSession(suspension: suspension, device: device)
    self.onDiagnostic = onDiagnostic
  }

  private static let shared = Mutex<PlaybackEnvironment?>(nil)

  /// The scope of one `withCurrent`. A class, because each asset made in the scope retains it.
  final class Scope: Sendable {
    let environment: PlaybackEnvironment
    init(_ environment: PlaybackEnvironment) { self.environment = environment }
  }

  @TaskLocal static var scope: Scope?

  /// Returns a closure that returns the environment of the present scope. Outside a scope the closure returns
  /// the environment that is current when it is called. An asset keeps the closure rather than a copy of the
  /// environment, which would take more memory in each of 100 000 assets.
  package static func currentAtUse() -> @Sendable () -> PlaybackEnvironment {
    if let scope { return { scope.environment } }
    return { current }
  }

  /// The environment of new players and assets: that of the innermost `withCurrent`, otherwise the process's.
  /// Setting the property replaces the process's environment. The default environment is made at first use, which loads
  /// the library of its output. Any thread; does not block otherwise.
  public static var current: PlaybackEnvironment {
    get {
      if let scope { return scope.environment }
      let (environment, isNew) = shared.withLock { shared in
        let environment = shared ?? StandardEnvironment.make()
        defer { shared = environment }
        return (environment, shared == nil)
      }
      if isNew { StandardEnvironment.becameCurrent(environment) }
      return environment
    }
    set {
      setCurrent(newValue)
      StandardEnvironment.becameCurrent(newValue)
    }
  }

  /// Replaces the process's environment by one whose players are already connected to a `Device`. Unlike the setter of
  /// `current`, calls no `EnvironmentMaker`, and therefore searches for no conformance at run time.
  package static func setCurrent(_ environment: PlaybackEnvironment) {
    // The previous environment may release its objects, so it is released outside the lock.
    var environment: PlaybackEnvironment? = environment
    shared.withLock { swap(&$0, &environment) }
  }

  /// Makes `environment` the current one inside `operation`. Inherited by child tasks and `Task { }`, but not
  /// by detached tasks or blocks on dispatch queues.
  public static func withCurrent<Result>(
    _ environment: PlaybackEnvironment, operation: () throws -> Result
  ) rethrows -> Result {
    try $scope.withValue(Scope(environment), operation: operation)
  }

  /// Makes `environment` the current one inside an asynchronous `operation`, as the synchronous form does.
  public nonisolated(nonsending) static func withCurrent<Result>(
    _ environment: PlaybackEnvironment, operation: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await $scope.withValue(Scope(environment), operation: operation)
  }

  /// Begins an interruption, for example a phone call. The session becomes inactive, the application is
  /// notified, and every player pauses. No effect during another interruption. Any thread.
  public func beginInterruption(_ reason: AVAudioSession.InterruptionReason = .default) {
    audioSession.beginInterruption(reason)
  }

  /// Ends the interruption and notifies the application, with the option `shouldResume` if that is true. Players do not
  /// resume automatically; the application calls `play()`. No effect without an interruption. Any thread.
  public func endInterruption(shouldResume: Bool) {
    audioSession.endInterruption(shouldResume: shouldResume)
  }

  /// Closes every player permanently before the process ends: finishes files and closes connections. Blocks
  /// until the steps in progress of each player have ended (a few milliseconds, or a read of a file). Any
  /// thread, but on the queue of a time observer only if that is the main queue.
  public func closePlayers() { suspension.closeAll() }

  /// Returns the snapshots of the players that the last termination of the application closed, in the order
  /// in which the players were made. Returns each snapshot only once. Any thread.
  public func takeRestorableSnapshots() -> [PlayerSnapshot] { suspension.takeRestorableSnapshots() }
}

extension AVAudioSession {
  /// The session of `PlaybackEnvironment.current`.
  public static func sharedInstance() -> AVAudioSession { PlaybackEnvironment.current.audioSession }
}

/// The default environment. This module imports no decoder and no output. The module `Continuo` imports both
/// and makes this type conform to `EnvironmentMaker`. The cast below succeeds only if `Continuo` is linked.
package enum StandardEnvironment {
  fileprivate static func make() -> PlaybackEnvironment {
    guard let maker = StandardEnvironment.self as Any.Type as? any EnvironmentMaker.Type else {
      preconditionFailure("no standard environment: import Continuo, or set PlaybackEnvironment.current")
    }
    return maker.makeEnvironment()
  }

  fileprivate static func becameCurrent(_ environment: PlaybackEnvironment) {
    (StandardEnvironment.self as Any.Type as? any EnvironmentMaker.Type)?.becameCurrent(environment)
  }
}

package protocol EnvironmentMaker {
  /// Returns the default environment. Called once, at its first use.
  static func makeEnvironment() -> PlaybackEnvironment

  /// Handles an environment that becomes the current one of the process, except by `PlaybackEnvironment.setCurrent`.
  static func becameCurrent(_ environment: PlaybackEnvironment)
}

/// A diagnostic of the players of an environment and their output.
public enum PlaybackDiagnostic: Hashable, Sendable {
  /// The output could not be opened or was lost, for the reason in the text. A retry follows after
  /// `retryAfter` seconds; nil means no retry.
  case outputUnavailable(String, retryAfter: Double?)
  /// The output was opened or moved to another sink. `route` is the name of the sink or the file.
  case outputOpened(route: String)
  /// A rate other than 1 was refused, for the reason in the text.
  case rateUnavailable(String)
  /// The number of time-observer steps that were dropped because the observer's queue was more than a second
  /// late.
  case stepsCoalesced(Int64)
  /// A start of a player was requested while the application is suspended. The start takes effect when the
  /// application runs again, if it is allowed. No other diagnostic is reported during the suspension.
  case startDeferred
  /// Implausible replay-gain values in an item's tags are ignored. The text names the item and the values. Reported
  /// once per item.
  case replayGainIgnored(String)
}
