package import AudioCore
package import Foundation
package import HostTime
import PlaybackEngine
import Synchronization

/// What players are built on: time, sound, the main queue, files.
///
/// An application that wants anything but the defaults sets `current` once, before its first player is made. Players
/// keep the environment they were made in. Each environment has an audio session of its own, which its copies share.
public struct PlaybackEnvironment: Sendable {
  /// What everything waits on.
  package let clock: any HostClock
  /// Where sound goes. All players of an environment share it; each opens streams of its own.
  package let device: any AudioOutputDevice
  /// Where change handlers, notifications and completion handlers are called, and time observers without a queue.
  package let mainQueue: any DeliveryQueue
  /// Whether the caller runs on `mainQueue`. Called for each read of a property: must be cheap and must not block.
  package let isOnMainQueue: @Sendable () -> Bool
  /// What decodes the file at a URL. Called off the main queue, right before the file is opened. For `true` the length
  /// is to be exact, also if the whole file has to be read for that.
  package var makeSource: @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource
  /// Stops and resumes all players of this environment.
  package let suspension: PlaybackSuspension
  /// What the sound of this environment's players is to the system.
  package let audioSession: AVAudioSession
  /// Told what concerns the sound and no player in particular. On the main queue.
  public var onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)?

  /// An environment of these parts; see the properties of the same names.
  package init(
    clock: any HostClock,
    device: any AudioOutputDevice,
    mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isOnMainQueue: @escaping @Sendable () -> Bool = { MainDispatchQueue.isCurrent },
    makeSource: @escaping @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource,
    onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    self.clock = clock
    self.device = device
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    self.makeSource = makeSource
    suspension = PlaybackSuspension(mainQueue: mainQueue, isOnMainQueue: isOnMainQueue)
    audioSession = AVAudioSession(suspension: suspension)
    self.onDiagnostic = onDiagnostic
  }

  private static let shared = Mutex<PlaybackEnvironment?>(nil)

  /// A scoped environment: an object, because each asset made in it keeps it.
  final class Scope: Sendable {
    let environment: PlaybackEnvironment
    init(_ environment: PlaybackEnvironment) { self.environment = environment }
  }

  @TaskLocal static var scope: Scope?

  /// The environment of players and assets made from now on: that of `withCurrent`, if this runs inside one, else the
  /// process's, which setting changes. Any thread. Nothing is made before it is asked for.
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
    set { shared.withLock { $0 = newValue } }
  }

  /// Makes `environment` the current one inside `operation`, so that several live side by side in a process. It is
  /// handed on as task-local values are: to child tasks and `Task { }`, not to blocks on dispatch queues.
  public static func withCurrent<Result>(
    _ environment: PlaybackEnvironment, operation: () throws -> Result
  ) rethrows -> Result {
    try $scope.withValue(Scope(environment), operation: operation)
  }

  /// The same for an operation that waits.
  public nonisolated(nonsending) static func withCurrent<Result>(
    _ environment: PlaybackEnvironment, operation: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await $scope.withValue(Scope(environment), operation: operation)
  }

  // MARK: Interruptions

  /// Something else takes the sound, a call for example: the session is inactive, the application is told, every player
  /// that plays pauses itself. Without effect while an interruption lasts. Any thread.
  public func beginInterruption(_ reason: AVAudioSession.InterruptionReason = .default) {
    audioSession.beginInterruption(reason)
  }

  /// That is over: the application is told. Players do not go on by themselves; whoever may resume calls `play()`. Without
  /// effect if there was no interruption. Any thread.
  public func endInterruption(shouldResume: Bool) {
    audioSession.endInterruption(shouldResume: shouldResume)
  }

  // MARK: The end

  /// Ends every player for good, before the process ends: files are finished, connections closed. Waits for a decoding
  /// step at most (a few milliseconds). Any thread but an observer's own queue other than the main one.
  public func closePlayers() { suspension.closeAll() }

  /// What the players were that the last termination of the application ended, in the order of their making; once. Any
  /// thread.
  public func takeRestorableSnapshots() -> [PlayerSnapshot] { suspension.takeRestorableSnapshots() }
}

/// The environment of an application that sets none.
///
/// What it is made of is not known here: the module `Continuo` knows decoder and outputs, and says so by making this
/// type conform to `EnvironmentMaker`. The runtime finds that conformance wherever `Continuo` is linked.
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

/// What concerns the sound and no player in particular.
public enum PlaybackDiagnostic: Hashable, Sendable {
  /// The output could not be opened or was lost; it is tried again after so many seconds, or never for nil.
  case outputUnavailable(String, retryAfter: Double?)
  /// The output is there, or there again; the name is the sink's or the file's.
  case outputOpened(route: String)
  /// A time observer's queue was more than a second behind; so many of its steps were left out.
  case stepsCoalesced(Int64)
}
