package import AudioCore
public import AudioSession
package import Clocks
import Foundation
import SoundFileDecoding
import Synchronization
import TextFormatting
import TimeStretch

extension PlaybackEnvironment {
  /// Creates an environment that plays audio files and http and https URLs, and notifies on the main dispatch
  /// queue. An audio server is connected when the first player gets an item, or when the audio session is
  /// activated or first queried about other audio or the volume. The network is not used before the first
  /// item or asset at such a URL is opened.
  ///
  /// - Parameters:
  ///   - output: the audio output. The default is the PulseAudio server chosen by libpulse.
  ///   - onDiagnostic: called on the main queue with reports that concern no single player. With nil, only
  ///     the first failure or loss of an output in this process is reported, on standard error.
  public init(
    output: PlaybackOutput = .pulseAudio(), onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    let clock = SystemClock.shared
    self.init(
      clock: clock, device: output.makeDevice(clock),
      onDiagnostic: onDiagnostic
        ?? { SilenceNotice.say($0, place: output.place, advice: output.advice) })
  }

  /// Creates an environment from the given parts that plays audio files, and audio from the network.
  package init(
    clock: any HostClock, device: any AudioOutputDevice, network: NetworkSettings = NetworkSettings(),
    stretching: any TimeStretching = SoundTouchStretching(),
    mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isOnMainQueue: @escaping @Sendable () -> Bool = { MainDispatchQueue.isCurrent },
    onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    self.init(
      clock: clock, device: device, stretching: stretching, mainQueue: mainQueue,
      isOnMainQueue: isOnMainQueue,
      makeSource: { file, isPrecise in
        AudioFile(pathBytes: file.pathBytes, options: OpeningOptions(preciseDuration: isPrecise))
      },
      onDiagnostic: onDiagnostic)
    let media = NetworkMedia(network, clock: clock)
    makeRemote = { media.medium($0, onNote: $1) }
    preferredForwardBufferDuration = network.bufferDuration
  }
}

extension StandardEnvironment: EnvironmentMaker {
  /// Returns an environment that plays audio files and network media through PulseAudio.
  package static func makeEnvironment() -> PlaybackEnvironment { PlaybackEnvironment() }

  /// Connects the players to `Device.current` if the program runs on a phone (`continuo phone run`) and has
  /// not connected them to a device of its own. Checks this in a later turn of the main queue, when a program
  /// with a device has connected its players.
  package static func becameCurrent(_ environment: PlaybackEnvironment) {
    guard PhoneLink.shared != nil else { return }
    environment.mainQueue.enqueue {
      guard environment.suspension.onKeepingActivityChange == nil else { return }
      Device.current.connect(environment)
    }
  }
}

/// Explains on standard error why no sound is heard, once per process, regardless of retries. For
/// applications that request no diagnostics.
enum SilenceNotice {
  private static let isSaid = Atomic(false)

  /// Writes the notice if the diagnostic is `outputUnavailable` and no notice was written before. `place`
  /// completes "no sound `place`". Any thread.
  static func say(_ diagnostic: PlaybackDiagnostic, place: String, advice: String) {
    guard case .outputUnavailable(let reason, let retryAfter) = diagnostic,
      !isSaid.exchange(true, ordering: .relaxed)
    else { return }
    let waits = retryAfter == nil ? "" : " Players wait for it."
    FileHandle.standardError.write(Data("Continuo: no sound \(place): \(reason).\(waits) \(advice)\n".utf8))
  }
}

extension URL {
  /// The path of a file URL as bytes for system calls, without a trailing slash. File names on Linux may
  /// contain any bytes, but `path` is empty if they are not UTF-8 (Foundation of Swift 6.3).
  var pathBytes: [UInt8] {
    var bytes = PercentEncoding.decode(absoluteURL.path(percentEncoded: true).utf8).bytes
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
  }
}
