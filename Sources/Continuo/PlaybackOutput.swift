import AudioCore
import AudioOutput
public import Foundation
import HostTime
import PulseOutput
import QueuePlayer

/// Where the sound of an environment's players is played.
///
/// ```swift
/// PlaybackEnvironment.current = PlaybackEnvironment(
///   output: .pulseAudio(server: "kitchen.local", sink: "hall"))
/// ```
public struct PlaybackOutput: Sendable {
  let makeDevice: @Sendable (any HostClock) -> any AudioOutputDevice
  /// Where that is, as in "no sound `place`".
  let place: String
  /// What can be done when there is no sound.
  let advice: String

  /// PulseAudio, or PipeWire's PulseAudio server. If the server is not running or goes away, players wait for
  /// it and continue at the frame that was heard last.
  ///
  /// - Parameters:
  ///   - server: its address as libpulse writes it (`unix:/path`, `tcp:host:port`, a host's name); nil:
  ///     libpulse's own rules (`PULSE_SERVER`, `client.conf`, the user's session).
  ///   - sink: the sink's name; nil: the server's default sink.
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

  /// A WAV file of 32-bit float samples, written as fast as possible and not in real time. It is created, or
  /// truncated, when the first player plays, and completed by `PlaybackEnvironment.closePlayers()`. All
  /// players of the environment write to it one after the other, and must play sound of the same format.
  public static func wavFile(at url: URL) -> PlaybackOutput {
    PlaybackOutput(
      makeDevice: { clock in WAVOutput(path: url.path, clock: clock) }, place: "in \(url.path)",
      advice: "Name a file that can be written.")
  }

  /// Consumes sound in real time and discards it. Needs no sound server.
  public static let simulated = PlaybackOutput(
    makeDevice: { clock in SimulatedOutput(clock: clock, recordsSound: false) }, place: "", advice: "")
}
