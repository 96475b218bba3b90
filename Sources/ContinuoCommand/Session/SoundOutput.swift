import AudioCore
import AudioOutput
import Glibc
import HostTime
import PulseOutput

/// Where sound goes, by the options of the command.
struct SoundOutput {
  var device: any AudioOutputDevice
  /// Asks a server that was named, and is given up if it does not answer in time, whether it answers; blocks for as many
  /// seconds at most. Nil for other outputs.
  var answers: (@Sendable (_ limit: Double) -> Bool)?

  /// How long libpulse's own default server may take before a private one takes its place, in seconds: one that
  /// runs answers in 10 ms, one that does not is refused in 1.
  static let probeLimit = 2.0

  /// Opens what the options name, or ends the process. Starts a private server where one is asked for, or where none
  /// answers and none was named. Blocks for the private server's start.
  ///
  /// - Parameter substitutes: whether that second case is wanted: not by `serve`, which waits, for a sink too.
  init(orExit options: SoundOptions, clock: any HostClock, substitutes: Bool) {
    switch options.output {
    case .wav(let path):
      let output = WAVOutput(path: path, clock: clock)
      CleanUp.add { output.finish() }
      device = output
    case .simulated:
      device = SimulatedOutput(clock: clock, recordsSound: false)
    case .pulse, nil:
      var configuration = PulseConfiguration()
      configuration.server = options.server
      configuration.sink = options.sink
      configuration.requiresSink = substitutes
      configuration.delayBehindSink = options.sinkDelay?.seconds ?? 0
      if options.nullSink {
        device = Self.privateDevice(configuration, clock)
        return
      }
      if substitutes, options.allowsSubstitute(environment: { getenv($0).map { String(cString: $0) } }) {
        // Where the server answers, the first stream finds this connection made.
        let usual = PulseDevice(configuration: configuration, clock: clock)
        if usual.probe(limit: Self.probeLimit) {
          device = usual
          return
        }
        StandardOutput.complain(
          "no PulseAudio server can be reached: playing to a private null sink (nothing will be heard)")
        device = Self.privateDevice(configuration, clock)
        return
      }
      let named = PulseDevice(configuration: configuration, clock: clock)
      answers = { named.probe(limit: $0) }
      device = named
    }
  }

  private static func privateDevice(
    _ configuration: PulseConfiguration, _ clock: any HostClock
  ) -> PulseDevice {
    do {
      return PulseDevice(
        privateServer: try PrivatePulseServer(), configuration: configuration, clock: clock)
    } catch {
      StandardOutput.complain("no audio server: \(error)")
      CleanUp.exit(ExitStatus.unavailable.rawValue)
    }
  }
}
