import AudioCore
import AudioOutput
public import Foundation
import HostTime
import PulseOutput
import QueuePlayer

/// Where the sound of an environment's players is played.
///
/// ```swift
/// PlaybackEnvironment.current = PlaybackEnvironment(output: .pulseAudio(server: "kitchen.local", sink:
/// "hall")) ```
public struct PlaybackOutput: Sendable {
  let makeDevice: @Sendable (any HostClock) -> any AudioOutputDevice

  /// PulseAudio, or PipeWire's PulseAudio server. If the server is not running or goes away, players wait for
  /// it and continue at the frame that was heard last.
  ///
  /// - Parameters:
  ///   - server: its address as libpulse writes it (`unix:/path`, `tcp:host:port`, a host's name); nil:
  ///     libpulse's own rules (`PULSE_SERVER`, `client.conf`, the user's session).
  ///   - sink: the sink's name; nil: the server's default sink.
  public static func pulseAudio(server: String? = nil, sink: String? = nil) -> PlaybackOutput {
    PlaybackOutput { clock in
      PulseDevice(configuration: PulseConfiguration(server: server, sink: sink), clock: clock)
    }
  }

  /// A WAV file of 32-bit float samples, written as fast as possible and not in real time. It is created, or
  /// truncated, when the first player plays, and completed by `PlaybackEnvironment.closePlayers()`. All
  /// players of the environment write to it one after the other, and must play sound of the same format.
  public static func wavFile(at url: URL) -> PlaybackOutput {
    PlaybackOutput { clock in WAVOutput(path: url.path, clock: clock) }
  }

  /// Consumes sound in real time and discards it. Needs no sound server.
  public static let simulated = PlaybackOutput { clock in SimulatedOutput(clock: clock, recordsSound: false) }
}
