import AudioCore
import AudioOutput
import Clocks
public import Foundation
import PulseOutput

/// The audio output of an environment's players.
///
/// ```swift
/// PlaybackEnvironment.current = PlaybackEnvironment(
///   output: .pulseAudio(server: "kitchen.local", sink: "hall"))
/// ```
public struct PlaybackOutput: Sendable {
  let makeDevice: @Sendable (any HostClock) -> any AudioOutputDevice
  /// The location of the output, to complete "no sound `place`".
  let place: String
  /// The advice for users when no sound is heard.
  let advice: String

  /// Returns an output that plays through PulseAudio, or PipeWire's PulseAudio server. If the server is not
  /// running or disconnects, players wait for it and continue at the last frame heard.
  ///
  /// - Parameters:
  ///   - server: the address in libpulse's notation (`unix:/path`, `tcp:host:port`, a host name); nil applies
  ///     libpulse's own rules (`PULSE_SERVER`, `client.conf`, the user's session).
  ///   - sink: the sink's name; nil selects the server's default sink.
  public static func pulseAudio(server: String? = nil, sink: String? = nil) -> PlaybackOutput {
    let address = server ?? ProcessInfo.processInfo.environment["PULSE_SERVER"]
    let place = "from PulseAudio at \(address ?? "its default address")" + (sink.map { ", sink \($0)" } ?? "")
    return PlaybackOutput(
      makeDevice: { clock in
        PulseDevice(configuration: PulseConfiguration(server: server, sink: sink), clock: clock)
      }, place: place,
      advice: "Start a server (pulseaudio --start), name one in PULSE_SERVER or with "
        + "PlaybackOutput.pulseAudio(server:sink:), or do without one: PlaybackOutput.simulated.")
  }

  /// Returns an output that writes a WAV file of 32-bit float samples, as fast as possible instead of in real
  /// time. The file is created or truncated when the first player plays, and completed by
  /// `PlaybackEnvironment.closePlayers()`. All players of the environment write to the file one after the
  /// other, and must play audio of the same format.
  public static func wavFile(at url: URL) -> PlaybackOutput {
    PlaybackOutput(
      makeDevice: { clock in WAVOutput(path: url.path, clock: clock) }, place: "in \(url.path)",
      advice: "Name a file that can be written.")
  }

  /// An output that consumes audio in real time and discards it. Needs no audio server.
  public static let simulated = PlaybackOutput(
    makeDevice: { clock in SimulatedOutput(clock: clock, recordsSound: false) }, place: "", advice: "")
}
