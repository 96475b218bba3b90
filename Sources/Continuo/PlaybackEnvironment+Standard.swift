package import AudioCore
import Foundation
package import HostTime
import MP3Decoding
public import QueuePlayer
import TimeStretch

extension PlaybackEnvironment {
  /// An environment that plays MP3 files and http and https URLs in real time, on the main dispatch queue. Nothing is connected or
  /// opened before the first player gets an item (the network: one with such a URL), or the audio session is asked about other applications' sound.
  ///
  /// - Parameters:
  ///   - output: where sound is played. By default the PulseAudio server that libpulse chooses.
  ///   - onDiagnostic: called on the main queue with reports that concern no player in particular. nil: when
  ///     an output cannot be opened for the first time in this process, a line on standard error says why and
  ///     what to do, and nothing else is reported.
  public init(
    output: PlaybackOutput = .pulseAudio(), onDiagnostic: (@Sendable (PlaybackDiagnostic) -> Void)? = nil
  ) {
    let clock = SystemClock.shared
    self.init(
      clock: clock, device: output.makeDevice(clock),
      onDiagnostic: onDiagnostic
        ?? { SilenceNotice.say($0, place: output.place, advice: output.advice) })
  }

  /// An environment of these parts that plays MP3 files and MPEG audio from the network.
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
        MP3File(pathBytes: file.pathBytes, options: MP3File.Options(preciseDuration: isPrecise))
      },
      onDiagnostic: onDiagnostic)
    let media = NetworkMedia(network, clock: clock)
    makeRemote = { media.medium($0, onNote: $1) }
    preferredForwardBufferDuration = network.bufferDuration
  }
}

extension StandardEnvironment: EnvironmentMaker {
  /// PulseAudio, MP3 files, real time.
  package static func makeEnvironment() -> PlaybackEnvironment { PlaybackEnvironment() }
}
