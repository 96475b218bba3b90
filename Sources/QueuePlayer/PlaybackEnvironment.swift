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
/// keep the environment they were made in.
public struct PlaybackEnvironment: Sendable {
  /// What everything waits on.
  public var clock: any HostClock
  /// Where sound goes. All players of an environment share it; each opens streams of its own.
  public var device: any AudioOutputDevice
  /// Where change handlers, notifications and completion handlers are called, and time observers without a queue.
  public var mainQueue: any DeliveryQueue
  /// Whether the caller runs on `mainQueue`. Called for each read of a property: must be cheap and must not block.
  public var isOnMainQueue: @Sendable () -> Bool
  /// What decodes the file at a URL. Called off the main queue, right before the file is opened. For `true` the length
  /// is to be exact, also if the whole file has to be read for that.
  public var makeSource: @Sendable (_ file: URL, _ isPrecise: Bool) -> any MediaSource
  /// Stops and resumes all players of this environment.
  public var suspension: PlaybackSuspension
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
    suspension: PlaybackSuspension = .shared,
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
    self.suspension = suspension
    self.onDiagnostic = onDiagnostic
  }

  private static let shared = Mutex<PlaybackEnvironment?>(nil)

  /// The environment of players and assets made from now on. Any thread. Nothing is made before it is asked for.
  public static var current: PlaybackEnvironment {
    get {
      shared.withLock { shared in
        if let shared { return shared }
        let standard = PlaybackEnvironment()
        shared = standard
        return standard
      }
    }
    set { shared.withLock { $0 = newValue } }
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
