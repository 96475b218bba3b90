package import AudioCore
package import Foundation
package import HostTime
import PlaybackEngine
import Synchronization
package import Transfer

/// What players depend on: the clock, the output, the main queue and the decoder.
///
/// An application that needs other than the defaults sets `current` once, before it makes its first player. A
/// player keeps the environment in which it was made. Each environment has its own audio session, which its
/// copies share.
public struct PlaybackEnvironment: Sendable {
  /// The clock of players and output.
  package let clock: any HostClock
  /// Where sound is played. Shared by all players of the environment; each opens its own streams.
  package let device: any AudioOutputDevice
  /// Where change handlers, notifications and completion handlers are called, and time observers without a
  /// queue.
  package let mainQueue: any DeliveryQueue
  /// What plays at rates other than 1. Nil: such rates are refused.
  package let stretching: (any TimeStretching)?
  /// Whether the caller runs on `mainQueue`. Called for each read of a property: must be cheap and must not
  /// block.
  package let isOnMainQueue: @Sendable () -> Bool
  /// Makes the source for the file at a file URL, right before the file is opened; on any thread. With `isPrecise`
  /// the length must be exact, even if the whole file has to be read for that.
  package var makeSource: @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource
  /// Makes the medium of an asset on the network, right before an item of it enters a queue; on any thread. It fetches
  /// nothing before it is opened, and ends all transfers when it goes. `onNote` is called on a worker with what happens to
  /// it, in order. nil: nothing is played from the network.
  package var makeRemote:
    (
      @Sendable (_ asset: RemoteAsset, _ onNote: @escaping @Sendable (TransferNote) -> Void)
        -> any MediaSource & AnyObject
    )?
  /// Seconds that a person wants to be read ahead, for those who make items; 0 lets the player choose.
  package var preferredForwardBufferDuration = 0.0
  /// Stops and resumes all players of this environment.
  package let suspension: PlaybackSuspension
  /// The audio session of this environment's players.
  package let audioSession: AVAudioSession
  /// Called on the main queue with reports that concern the sound and no player in particular; nil: nobody
  /// is. Must not block. An environment whose maker gave none says once on standard error that there is no
  /// sound.
  public var onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)?

  /// An environment of these parts; see the properties of the same names.
  package init(
    clock: any HostClock,
    device: any AudioOutputDevice,
    stretching: (any TimeStretching)? = nil,
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

  /// A scoped environment: an object, because each asset made in it keeps it.
  final class Scope: Sendable {
    let environment: PlaybackEnvironment
    init(_ environment: PlaybackEnvironment) { self.environment = environment }
  }

  @TaskLocal static var scope: Scope?

  /// The environment of players and assets that are made now: that of the innermost `withCurrent`, otherwise
  /// the process's, which is the one that is set here. The default one is made at first use. Any thread; does
  /// not block.
  public static var current: PlaybackEnvironment {
    get {
      if let scope { return scope.environment }
      return shared.withLock { shared in
        if let shared { return shared }
        let standard = StandardEnvironment.make()
        shared = standard
        return standard
      }
    }
    set {
      // What the one before has may end here: without the lock.
      var environment: PlaybackEnvironment? = newValue
      shared.withLock { swap(&$0, &environment) }
    }
  }

  /// Makes `environment` the current one inside `operation`, so that a process can use several. It is
  /// inherited like a task-local value: by child tasks and `Task { }`, but not by detached tasks or blocks on
  /// dispatch queues.
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

  // MARK: Interruptions

  /// Begins an interruption, a phone call for example: the session becomes inactive, the application is
  /// notified, and every player pauses. No effect during another interruption. Any thread.
  public func beginInterruption(_ reason: AVAudioSession.InterruptionReason = .default) {
    audioSession.beginInterruption(reason)
  }

  /// Ends the interruption: the application is notified. Players do not resume by themselves; the application
  /// calls `play()`. No effect if there is no interruption. Any thread.
  public func endInterruption(shouldResume: Bool) {
    audioSession.endInterruption(shouldResume: shouldResume)
  }

  // MARK: The end

  /// Ends every player for good before the process ends: finishes files and closes connections. Blocks for at
  /// most one decoding step (a few milliseconds). Any thread, except the queue of a time observer other than
  /// the main queue.
  public func closePlayers() { suspension.closeAll() }

  /// The snapshots of the players that the last termination of the application ended, in the order in which
  /// the players were made. Each is returned only once. Any thread.
  public func takeRestorableSnapshots() -> [PlayerSnapshot] { suspension.takeRestorableSnapshots() }
}

/// The environment of an application that sets none.
///
/// This module knows no decoder and no output. The module `Continuo` does, and makes this type conform to
/// `EnvironmentMaker`; the cast below finds that conformance at run time if `Continuo` is linked.
package enum StandardEnvironment {
  fileprivate static func make() -> PlaybackEnvironment {
    guard let maker = StandardEnvironment.self as Any.Type as? any EnvironmentMaker.Type else {
      preconditionFailure("no standard environment: import Continuo, or set PlaybackEnvironment.current")
    }
    return maker.makeEnvironment()
  }
}

/// Makes the environment of an application that sets none.
package protocol EnvironmentMaker {
  /// Called once, when the environment is first asked for.
  static func makeEnvironment() -> PlaybackEnvironment
}

/// A report that concerns the sound and no player in particular.
public enum PlaybackDiagnostic: Hashable, Sendable {
  /// The output could not be opened or was lost. `retryAfter`: seconds until the next attempt; nil for none.
  case outputUnavailable(String, retryAfter: Double?)
  /// The output was opened, for the first time or again. `route` is the name of the sink or the file.
  case outputOpened(route: String)
  /// A rate other than 1 was refused, because what plays at it is not installed. The text says what that is.
  case rateUnavailable(String)
  /// A time observer's queue was more than a second behind, and this number of its steps was left out.
  case stepsCoalesced(Int64)
  /// An item's tags ask for a replay gain that no measurement yields, which is not applied. The text says of which item, and
  /// what.
  case replayGainIgnored(String)
}
