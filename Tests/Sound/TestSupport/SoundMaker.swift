import CSoundFile
import Foundation
import SystemSupport
import Testing

/// A format that libsndfile writes, by its numbers in sndfile.h.
package struct SoundFormat: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  package var code: Int32
  /// The bits of a sample that survive; nil where encoding loses some.
  package var bits: Int?

  package var description: String { name }
  /// Whether samples are stored as floats of 32 bits.
  fileprivate var holdsFloats: Bool { code & 0xFFFF == 6 }

  package static let wav16 = SoundFormat(name: "wav 16", code: 0x010002, bits: 16)
  package static let rifx16 = SoundFormat(name: "rifx 16", code: 0x2001_0002, bits: 16)
  package static let flac16 = SoundFormat(name: "flac 16", code: 0x170002, bits: 16)
  package static let flac24 = SoundFormat(name: "flac 24", code: 0x170003, bits: 24)
  package static let aiff16 = SoundFormat(name: "aiff 16", code: 0x020002, bits: 16)
  package static let vorbis = SoundFormat(name: "vorbis", code: 0x200060)
  package static let opus = SoundFormat(name: "opus", code: 0x200064)

  package static let lossless = [
    wav16, rifx16, SoundFormat(name: "wav u8", code: 0x010005, bits: 8),
    SoundFormat(name: "wav 24", code: 0x010003, bits: 24),
    SoundFormat(name: "wav float", code: 0x010006, bits: 24),
    SoundFormat(name: "rf64 16", code: 0x220002, bits: 16),
    SoundFormat(name: "w64 24", code: 0x0B0003, bits: 24),
    aiff16, SoundFormat(name: "aiff 24", code: 0x020003, bits: 24),
    SoundFormat(name: "caf 16", code: 0x180002, bits: 16),
    SoundFormat(name: "caf alac", code: 0x180070, bits: 16), flac16, flac24,
  ]
  package static let all = lossless + [vorbis, opus]
}

/// Writes sound files with libsndfile, so that tests need no further program.
package enum SoundMaker {
  private typealias Open =
    @convention(c) (UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<continuo_sound_info>?) ->
    OpaquePointer?
  private typealias Write = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int64) -> Int64
  private typealias Close = @convention(c) (OpaquePointer?) -> Int32
  private typealias SetString = @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?) -> Int32

  /// Writes interleaved samples to a file and returns its path. `texts`: by their numbers in sndfile.h.
  @discardableResult
  package static func write(
    _ samples: [Float], to path: String, _ format: SoundFormat, rate: Int = 44_100, channels: Int = 2,
    texts: [Int32: String] = [:]
  ) throws -> String {
    let library = try DynamicLibrary(["libsndfile.so.1"], prefix: "sf_")
    let open: Open = try library.find("open")
    let (close, set): (Close, SetString) = (try library.find("close"), try library.find("set_string"))
    var info = continuo_sound_info()
    (info.rate, info.channels, info.format) = (Int32(rate), Int32(channels), format.code)
    let file = try #require(open(path, 0x20, &info), "\(format) cannot be written")
    for (number, text) in texts { #expect(set(file, number, text) == 0) }
    let frames = Int64(samples.count / channels)
    if format.holdsFloats {
      let write: Write = try library.find("writef_float")
      #expect(write(file, samples, frames) == frames)
    } else {
      // Integers are written as they are; floats would be scaled by 32767 instead of 32768.
      let write: Write = try library.find("writef_int")
      #expect(write(file, samples.map { Int32($0 * 0x1p31) }, frames) == frames)
    }
    #expect(close(file) == 0)
    return path
  }

  /// Writes a file and returns its bytes.
  package static func bytes(
    _ samples: [Float], _ format: SoundFormat, rate: Int = 44_100, channels: Int = 2
  ) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try write(samples, to: folder.file("sound"), format, rate: rate, channels: channels)
    return try folder.read("sound")
  }

  /// Makes noise under a slow tone, of as many bits as `format` keeps.
  package static func sound(frames: Int, channels: Int = 2, seed: UInt64 = 1, bits: Int = 16) -> [Float] {
    var random = RandomSource(seed: seed)
    let steps = Float(1 << (bits - 1))
    return (0..<frames * channels).map { index in
      let tone = sin(Float(index / channels) * 0.01 * Float(index % channels + 1))
      let noise = Float(random.next() & 0xFFFF) / 65_536 - 0.5
      // Zero without a sign, as integers have it.
      return ((tone * 0.5 + noise * 0.3) * (steps - 1)).rounded() / steps + 0
    }
  }

  package static func sound(frames: Int, channels: Int = 2, for format: SoundFormat) -> [Float] {
    sound(frames: frames, channels: channels, bits: format.bits ?? 16)
  }
}
