import AudioCore
import Continuo
import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

/// Players that begin at one moment of the host's clock, as the sink's monitor has them.
@Suite("Players in step on a real server", .blocksThread, .timeLimit(.minutes(10)))
struct SynchronizedPlayersTests {
  /// A medium that is one sample all the time, so that in the sum of two each is known by its step.
  private struct Level: MediaSource {
    let sample: Float
    func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
      MediaOpening { LevelDecoder(sample: sample) }
    }
  }

  private final class LevelDecoder: AudioDecoder {
    private let sample: Float
    private var left: Int64
    private static let length: Int64 = 44_100 * 60
    init(sample: Float) {
      self.sample = sample
      left = Self.length
    }

    var format: PCMFormat { PCMFormat(sampleRate: 44_100, channelCount: 2) }
    var frameCount: FrameCount { .exact(Self.length) }
    func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {}
    func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
      left = Self.length - frame
      return frame
    }

    func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
      let count = min(buffer.count / 2, Int(left))
      buffer[..<(count * 2)].update(repeating: sample)
      left -= Int64(count)
      return count == 0 ? .end : .frames(count)
    }
  }

  private static func environment(_ server: PrivatePulseServer) -> PlaybackEnvironment {
    var environment = PlaybackEnvironment(output: .pulseAudio(server: server.address))
    environment.makeSource = { url, _ in Level(sample: url.lastPathComponent == "low" ? 0.25 : 0.5) }
    return environment
  }

  private static func player(_ name: String, in environment: PlaybackEnvironment) -> AVPlayer {
    let player = PlaybackEnvironment.withCurrent(environment) {
      AVPlayer(url: URL(fileURLWithPath: "/\(name)"))
    }
    player.automaticallyWaitsToMinimizeStalling = false
    return player
  }

  @Test("Two players with one moment begin within 1 ms of each other", arguments: [false, true])
  func inStep(onOneConnection: Bool) async throws {
    var apart: [Int] = []
    for round in 0..<5 {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      let first = Self.environment(server)
      let environments = [first, onOneConnection ? first : Self.environment(server)]
      let players = zip(["low", "high"], environments).map { Self.player($0, in: $1) }
      // One of them has played before.
      if round > 2 {
        players[0].play()
        _ = try await capture.heard(10_000)
        players[0].pause()
        _ = try await capture.passed(20_000)
      }
      let start = capture.read { $0.frameCount }
      let moment = CMClockGetTime(CMClockGetHostTimeClock()) + CMTime(value: 1, timescale: 2)
      for player in players {
        player.setRate(1, time: CMTime(value: 1, timescale: 1), atHostTime: moment)
      }
      _ = try await capture.passed(66_150)
      let heard = capture.read { $0.since(start).left }
      let begins = [0.1, 0.6].map { level in heard.firstIndex { $0 > level } }
      for environment in environments { environment.closePlayers() }
      apart.append(try #require(begins[1]) - #require(begins[0]))
    }
    print("frames between two players with one moment: \(apart)")
    // A machine that is busy at the moment itself makes a round late.
    #expect(apart.sorted()[2] <= 44, "\(apart)")
  }
}
