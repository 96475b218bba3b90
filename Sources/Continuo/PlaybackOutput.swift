import AudioCore
import AudioOutput
public import Foundation
import HostTime
import PulseOutput
import QueuePlayer

/// Where the sound of an environment's players goes.
///
/// ```swift
/// PlaybackEnvironment.current = PlaybackEnvironment(output: .pulseAudio(server: "kitchen.local", sink: "hall"))
/// ```
public struct PlaybackOutput: Sendable {
  let makeDevice: @Sendable (any HostClock) -> any AudioOutputDevice

  /// PulseAudio, or PipeWire's PulseAudio server. A server that is not there yet, or goes, is waited for, and players go
  /// on at the frame that was heard last.
  ///
  /// - Parameters:
  ///   - server: its address as libpulse writes it (`unix:/path`, `tcp:host:port`, a host's name); nil: libpulse's own
  ///     rules (`PULSE_SERVER`, `client.conf`, the user's session).
  ///   - sink: the sink's name; nil: the server's default sink.
  public static func pulseAudio(server: String? = nil, sink: String? = nil) -> PlaybackOutput {
    PlaybackOutput { clock in
      PulseDevice(configuration: PulseConfiguration(server: server, sink: sink), clock: clock)
    }
  }

  /// A WAV file of 32-bit float samples, written as fast as it goes, without waiting for time to pass. It is created, or
  /// emptied, when the first player plays, and finished by `PlaybackEnvironment.closePlayers()`. All players of the
  /// environment write to it one after the other, and what they play has to have one format.
  public static func wavFile(at url: URL) -> PlaybackOutput {
    PlaybackOutput { clock in WAVOutput(path: url.path, clock: clock) }
  }

  /// Plays in real time to nobody: no sound server is needed.
  public static let simulated = PlaybackOutput { clock in SimulatedOutput(clock: clock, recordsSound: false) }
}
