import Continuo
import Foundation
import PulseOutput
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

/// Rates as a listener hears them: a player on a real server, and what the sink's monitor has of it.
@Suite("Rates on a real server", .blocksThread, .timeLimit(.minutes(10)))
struct RateServerTests {
  /// A player on a private server, and all that left its sink.
  private final class Room: Sendable {
    let server: PrivatePulseServer
    let capture: MonitorCapture
    let folder: TemporaryFolder
    let player: AVPlayer
    let item: AVPlayerItem

    init(tone: Double, seconds: Double, algorithm: AVAudioTimePitchAlgorithm = .timeDomain) async throws {
      server = try PrivatePulseServer()
      capture = try MonitorCapture(address: server.address, sink: "continuo")
      folder = try TemporaryFolder()
      try await capture.started()
      let path = try await Song(duration: seconds, tone: tone).write(into: folder.path)
      let environment = PlaybackEnvironment(output: .pulseAudio(server: server.address))
      let item = AVPlayerItem(url: URL(fileURLWithPath: path))
      item.audioTimePitchAlgorithm = algorithm
      self.item = item
      player = PlaybackEnvironment.withCurrent(environment) { AVPlayer(playerItem: item) }
    }

    func close() {
      player.replaceCurrentItem(with: nil)
      capture.stop()
      server.stop()
      folder.remove()
    }

    /// What was heard from the first sound on.
    var sound: [Float] { capture.read { Array($0.left.drop { $0 == 0 }) } }
  }

  /// Where the tone crosses zero upwards, between two frames.
  private static func zeros(_ samples: some Collection<Float>) -> [Double] {
    let samples = Array(samples)
    return samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }.map {
      Double($0) - Double(samples[$0] / (samples[$0] - samples[$0 - 1]))
    }
  }

  private static func frequency(_ samples: some Collection<Float>) -> Double {
    let zeros = zeros(samples)
    guard let first = zeros.first, let last = zeros.last, last > first else { return 0 }
    return Double(zeros.count - 1) * 44_100 / (last - first)
  }

  private static func largestStep(_ samples: some Collection<Float>) -> Float {
    let samples = Array(samples)
    return samples.indices.dropFirst().map { abs(samples[$0] - samples[$0 - 1]) }.max() ?? 0
  }

  /// A tone's own steps, with some room for the encoder's noise.
  private static func step(ofTone frequency: Double) -> Float {
    Float(Song.amplitude * 2 * Double.pi * frequency / 44_100) * 1.15
  }

  @Test("440 Hz stays 440 Hz at 0.5, 1.5 and 2, and rates change without a click or a gap")
  func changes() async throws {
    let room = try await Room(tone: 440, seconds: 20)
    defer { room.close() }
    let steps = Mutex<[CMTime]>([])
    let queue = DispatchQueue(label: "steps")
    let token = room.player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 100), queue: queue
    ) { time in steps.withLock { $0.append(time) } }
    room.player.play()
    let lateness = Lateness()
    defer { lateness.end() }
    var marks: [(rate: Float, count: Int)] = []
    var heard = 0
    for rate in [1, 2, 0.5, 1.5, 1, 0.75, 2] as [Float] {
      room.player.rate = rate
      heard += 50_000
      _ = try await room.capture.heard(heard)
      marks.append((rate, room.sound.count))
      #expect(room.player.rate == rate)
    }
    let sound = Array(room.sound.prefix(heard - 2000))
    #expect(sound.count { $0 == 0 } < 100, "silence in between")
    let largest = Self.largestStep(sound)
    // A change is prepared 20 ms ahead. A machine that wakes threads late makes it late, and lets it click.
    #expect(largest <= Self.step(ofTone: 440) || lateness.count(above: 0.005) > 0, "a click: \(largest)")
    var start = 0
    for mark in marks {
      let part = sound[min(start + 8000, sound.count)..<min(mark.count, sound.count)]
      let frequency = Self.frequency(part)
      #expect(abs(frequency / 440 - 1) < 0.005, "\(frequency) Hz at \(mark.rate)")
      start = mark.count
    }
    room.player.pause()
    room.player.removeTimeObserver(token)
    queue.sync {}
    let values = steps.withLock { $0 }.filter { $0.timescale == 100 }.map(\.value)
    #expect(values == Array(0..<Int64(values.count)))
    #expect(Double(values.count) > 100 * 9)
  }

  /// A tone that changes its pitch with the rate says where the change came. A machine that gives the process no time
  /// for the 20 ms that the change is prepared ahead makes it late, and lets it click: of eight, four are to be right.
  @Test("A new rate is heard within 50 ms, and at its place")
  func delay() async throws {
    var right = 0
    var measured: [String] = []
    for _ in 0..<8 where right < 4 {
      let room = try await Room(tone: 441, seconds: 10, algorithm: .varispeed)
      defer { room.close() }
      room.player.play()
      _ = try await room.capture.heard(40_000)
      room.player.rate = 2
      // What is heard when the call returns, by what the device reports: no time of this thread's own counts.
      let place = room.player.currentTime().seconds
      _ = try await room.capture.heard(80_000)
      let sound = room.sound
      // At rate 1 the frame that is heard has the number of its place.
      let zeros = Self.zeros(sound[..<80_000])
      let change = zip(zeros, zeros.dropFirst()).first { $0.1 - $0.0 < 75 && $0.0 > 20_000 }?.0 ?? 0
      let delay = change / 44_100 - place
      #expect(delay > 0)
      let step = (2001..<60_000).map { abs(sound[$0] - sound[$0 - 1]) }.max() ?? 0
      if delay < 0.05, step <= Self.step(ofTone: 882) { right += 1 }
      measured.append("\(delay * 1000) ms, largest step \(step)")
    }
    print("a new rate is heard after: \(measured)")
    #expect(right == 4, "\(measured)")
  }
}
