public import AudioCore
public import AudioOutput
public import Foundation
import MP3Decoding
import PlaybackEngine
import PulseOutput
import Synchronization

/// What players are built on: time, sound, the main queue, files.
///
/// An application that wants anything but the defaults sets `current` once, before its first player is made. Players
/// keep the environment they were made in. Each environment has an audio session and a suspension of its own, which its
/// copies share.
public struct PlaybackEnvironment: Sendable {
  /// What everything waits on.
  public let clock: any HostClock
  /// Where sound goes. All players of an environment share it; each opens streams of its own.
  public let device: any AudioOutputDevice
  /// Where change handlers, notifications and completion handlers are called, and time observers without a queue.
  public let mainQueue: any DeliveryQueue
  /// Whether the caller runs on `mainQueue`. Called for each read of a property: must be cheap and must not block.
  public let isOnMainQueue: @Sendable () -> Bool
  /// What decodes the file at a URL. Called off the main queue, right before the file is opened. For `true` the length
  /// is to be exact, also if the whole file has to be read for that.
  public var makeSource: @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource
  /// Stops and resumes all players of this environment.
  public let suspension: PlaybackSuspension
  /// What the sound of this environment's players is to the system.
  public let audioSession: AVAudioSession
  /// Told what concerns the sound and no player in particular. On the main queue.
  public var onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)?

  /// An environment; whatever is left out is as in a real application: the system's clock, PulseAudio by
  /// libpulse's own rules (its connection is made when the first player gets an item), the main dispatch queue, MP3
  /// files.
  public init(
    clock: any HostClock = SystemClock.shared,
    device: (any AudioOutputDevice)? = nil,
    mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isOnMainQueue: @escaping @Sendable () -> Bool = { MainDispatchQueue.isCurrent },
    makeSource: (@Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource)? = nil,
    onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    self.clock = clock
    self.device = device ?? PulseDevice(clock: clock)
    self.mainQueue = mainQueue
    self.isOnMainQueue = isOnMainQueue
    self.makeSource =
      makeSource ?? { file, isPrecise in
        MP3File(pathBytes: file.pathBytes, options: MP3File.Options(preciseDuration: isPrecise))
      }
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
        let standard = PlaybackEnvironment()
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
