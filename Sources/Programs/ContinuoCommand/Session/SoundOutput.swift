import AudioCore
import AudioOutput
import Clocks
import MusicFiles
import PulseOutput

struct SoundOutput {
  var device: any AudioOutputDevice
  /// Returns whether the server answers within `limit` seconds. Blocks for that time at most. Nil for files,
  /// simulated outputs and private servers, and for a server that has answered already.
  var probe: NamedServer.Probe?

  /// The timeout for libpulse's default server, in seconds, after which a private one replaces it. A running
  /// server answers in 10 ms; if none runs, the connection is refused in 1 ms.
  static let probeLimit = 2.0

  /// Returns a warning if sound goes to the sink that PulseAudio and PipeWire make where they find no device; nil
  /// otherwise.
  static func warning(route: String) -> String? {
    guard route == "auto_null" else { return nil }
    return "the sound server has no device, so nothing will be heard (is this user in the group audio?)"
  }

  /// Creates the output that the options select, or ends the process. Starts a private server if the options
  /// request one. With `substitutes`, a private server also replaces a server that does not answer within
  /// `probeLimit`, if options and environment select none. Without it, as for `serve`, the output waits for a
  /// server and a sink. Blocks during a probe and while a private server starts.
  init(orExit options: PlayerOptions, clock: any HostClock, substitutes: Bool) {
    switch options.output {
    case .wav(let path):
      let output = WAVOutput(path: RawArguments.bytes(of: path).bytes, clock: clock)
      CleanUp.add { output.finish() }
      device = output
    case .simulated: device = SimulatedOutput(clock: clock, recordsSound: false)
    case .pulse, nil:
      var configuration = PulseConfiguration()
      configuration.server = options.server
      configuration.sink = options.sink
      configuration.requiresSink = substitutes
      configuration.delayBehindSink = options.sinkDelay ?? 0
      if options.nullSink {
        device = Self.privateDevice(configuration, clock)
        return
      }
      let usual = PulseDevice(configuration: configuration, clock: clock)
      if substitutes, let reason = usual.unavailability {
        StandardOutput.complain(reason)
        CleanUp.exit(ExitStatus.unavailable.rawValue)
      }
      if !substitutes || !options.allowsSubstitute(environment: ProcessEnvironment.value) {
        device = usual
        probe = { usual.probe(limit: $0) }
      } else if usual.probe(limit: Self.probeLimit) {
        // The first stream reuses the connection of a successful probe.
        device = usual
      } else {
        StandardOutput.complain(
          "no PulseAudio server can be reached: playing to a private null sink (nothing will be heard)")
        device = Self.privateDevice(configuration, clock)
      }
    }
  }

  private static func privateDevice(
    _ configuration: PulseConfiguration, _ clock: any HostClock
  ) -> PulseDevice {
    do {
      return PulseDevice(privateServer: try PrivatePulseServer(), configuration: configuration, clock: clock)
    } catch {
      StandardOutput.complain("cannot start a private audio server: \(error)")
      CleanUp.exit(ExitStatus.unavailable.rawValue)
    }
  }
}
