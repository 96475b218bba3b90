import AudioCore
import Glibc
import Testing

@testable import TimeStretch

/// SoundTouch itself, which Debian's package libsoundtouch1 brings.
@Suite struct SoundTouchTests {
  static let format = PCMFormat(sampleRate: 44_100, channelCount: 2)
  static let speeds = [0.03125, 0.5, 0.8, 1.25, 1.5, 2, 4, 32]

  /// `seconds` of a tone on the left and of clicks, two a second, on the right.
  private static func sound(seconds: Int, frequency: Double = 440) -> [Float] {
    (0..<seconds * 44_100).flatMap { frame -> [Float] in
      let tone = 0.5 * sin(2 * Double.pi * frequency * Double(frame) / 44_100)
      return [Float(tone), frame % 22_050 < 100 ? 0.9 : 0]
    }
  }

  /// What comes out of it, at most `limit` frames, with silence behind.
  private static func stretched(_ sound: [Float], _ pace: Pace, limit: Int) throws -> [Float] {
    let stretcher = try SoundTouchStretching().makeStretcher(format: format, pace: pace)
    var result: [Float] = []
    var buffer = [Float](repeating: 0, count: 8192)
    let silence = [Float](repeating: 0, count: 2048)
    var rest = sound[...]
    while result.count < limit * 2 {
      let part = rest.isEmpty ? silence[...] : rest.prefix(2048)
      rest = rest.dropFirst(2048)
      part.withUnsafeBufferPointer { stretcher.put($0) }
      while result.count < limit * 2 {
        let count = buffer.withUnsafeMutableBufferPointer { stretcher.receive(into: $0) }
        if count == 0 { break }
        result += buffer[..<(count * 2)]
      }
    }
    return Array(result[..<(limit * 2)])
  }

  /// In a process of its own, where the library is not loaded yet.
  @Test func loadingLeavesNumbersAsTheyAre() async {
    await #expect(processExitsWith: .success) {
      let smallest = UnsafeMutablePointer<Double>.allocate(capacity: 1)
      smallest.initialize(to: .leastNonzeroMagnitude)
      try SoundTouchStretching().prepare()
      // Read at run time, with the processor as loading has left it.
      precondition(smallest.pointee * 2 > 0)
      smallest.deallocate()
    }
  }

  /// The frequency of the left channel, by its zeros.
  private static func frequency(_ samples: [Float]) -> Double {
    let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    let zeros = left.indices.dropFirst().filter { left[$0 - 1] < 0 && left[$0] >= 0 }
    guard let first = zeros.first, let last = zeros.last, last > first else { return 0 }
    return Double(zeros.count - 1) * 44_100 / Double(last - first)
  }

  private static func largestStep(_ samples: [Float]) -> Float {
    stride(from: 2, to: samples.count, by: 2).map { abs(samples[$0] - samples[$0 - 2]) }.max() ?? 0
  }

  @Test(arguments: speeds, [TimePitchAlgorithm.timeDomain, .spectral])
  func thePitchIsKept(_ speed: Double, _ algorithm: TimePitchAlgorithm) throws {
    let seconds = speed > 4 ? 20 : speed < 0.1 ? 1 : 4
    let limit = Int(Double(seconds * 44_100) / speed)
    let sound = try Self.stretched(
      Self.sound(seconds: seconds), Pace(speed: speed, algorithm: algorithm), limit: limit)
    let middle = Array(sound[(limit / 10 * 2)..<(limit * 9 / 10 * 2)])
    #expect(abs(Self.frequency(middle) / 440 - 1) < 0.005)
    // Pieces are put together without a step: a tone's own is 0.0314.
    #expect(Self.largestStep(middle) < 0.04)
  }

  /// The first piece is the input's own frames.
  @Test func musicGetsLongerPiecesThanVoices() throws {
    let input = Self.sound(seconds: 2)
    func firstPiece(_ algorithm: TimePitchAlgorithm) throws -> Int {
      let sound = try Self.stretched(input, Pace(speed: 1.25, algorithm: algorithm), limit: 44_100)
      return zip(sound, input).prefix { $0 == $1 }.count / 2
    }
    let (voice, music) = (try firstPiece(.timeDomain), try firstPiece(.spectral))
    #expect(voice > 441 && music > voice, "\(voice), \(music)")
  }

  @Test(arguments: [0.5, 0.8, 1.25, 2])
  func varispeedChangesThePitch(_ speed: Double) throws {
    let limit = Int(4 * 44_100 / speed)
    let sound = try Self.stretched(
      Self.sound(seconds: 4), Pace(speed: speed, algorithm: .varispeed), limit: limit)
    let middle = Array(sound[(limit / 10 * 2)..<(limit * 9 / 10 * 2)])
    #expect(abs(Self.frequency(middle) / (440 * speed) - 1) < 0.001)
  }

  /// Frame n comes out as frame n / speed: exactly at the beginning, within two frames everywhere with varispeed, within
  /// a piece of sound (40 ms) elsewhere.
  @Test(arguments: [0.25, 0.5, 0.8, 1.25, 1.5, 2], [TimePitchAlgorithm.timeDomain, .varispeed])
  func nothingIsLate(_ speed: Double, _ algorithm: TimePitchAlgorithm) throws {
    let input = Self.sound(seconds: 4)
    let limit = Int(4 * 44_100 / speed)
    let sound = try Self.stretched(input, Pace(speed: speed, algorithm: algorithm), limit: limit)
    let right = stride(from: 1, to: sound.count, by: 2).map { sound[$0] }
    let clicks = right.indices.dropFirst().filter { right[$0] > 0.4 && right[$0 - 1] <= 0.4 }
    let tolerance = algorithm == .varispeed ? max(2, 2 * speed) : 0.04 * 44_100 * max(1, speed)
    #expect(!clicks.isEmpty)
    for click in clicks {
      let place = Double(click) * speed
      let nearest = (place / 22_050).rounded() * 22_050
      #expect(abs(place - nearest) <= tolerance, "\(speed): \(place) instead of \(nearest)")
    }
    if algorithm == .timeDomain { #expect(sound[..<1000].elementsEqual(input[..<1000])) }
  }

  /// SoundTouch 2.3.2 refuses sample rates above 192 kHz, and then takes no frames.
  @Test(arguments: [TimePitchAlgorithm.timeDomain, .spectral, .varispeed])
  func streamsAbove192kHzAreNotSilent(_ algorithm: TimePitchAlgorithm) throws {
    let stretcher = try SoundTouchStretching().makeStretcher(
      format: PCMFormat(sampleRate: 384_000, channelCount: 2), pace: Pace(speed: 2, algorithm: algorithm))
    let sound = Self.sound(seconds: 9)
    sound.withUnsafeBufferPointer { stretcher.put($0) }
    var buffer = [Float](repeating: 0, count: 2 * 384_000)
    let count = buffer.withUnsafeMutableBufferPointer { stretcher.receive(into: $0) }
    #expect(count > 150_000 && buffer.contains { $0 > 0.4 })
  }

  @Test func whatSoundTouchRefusesIsAnError() {
    #expect(throws: TimeStretchError.self) {
      _ = try SoundTouchStretching().makeStretcher(
        format: PCMFormat(sampleRate: 44_100, channelCount: 99), pace: Pace(speed: 2, algorithm: .spectral))
    }
  }

  @Test func whatIsMissingIsNamed() {
    #expect {
      try SoundTouchStretching(libraryName: "libSoundTouchDll.so.none").prepare()
    } throws: {
      "\($0)".contains("libsoundtouch1")
    }
  }
}
