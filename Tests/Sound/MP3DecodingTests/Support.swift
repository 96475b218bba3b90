import AudioCore
import Foundation
import SoundFileDecoding
import TestSupport
import Testing

@testable import MP3Decoding

/// All suites, one after the other, so that after each test no C handle may be left.
@Suite(.serialized, .noHandleLeft, .timeLimit(.minutes(10)))
enum MP3DecodingTests {}

/// After each test, no libmpg123 or libsyn123 handle is left.
struct NoHandleLeft: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let handles = LiveHandles()
    try await LiveHandles.$current.withValue(handles) { try await function() }
    #expect(handles.count == 0)
  }
}

extension Trait where Self == NoHandleLeft {
  static var noHandleLeft: Self { NoHandleLeft() }
}

/// Files of the folder Fixtures.
enum Fixture {
  static let all = [
    "abr-48000-stereo.mp3", "cbr-44100-mono.mp3", "cbr-44100-stereo.mp3", "crc-32000-stereo.mp3",
    "free-32000-stereo.mp3", "id3v1.mp3", "id3v23-cover.mp3", "id3v24-cover.mp3", "layer2-48000-stereo.mp2",
    "low-44100-stereo.mp3", "mpeg2-22050-stereo.mp3", "mpeg2-24000-vbr.mp3", "mpeg25-11025-mono.mp3",
    "mpeg25-8000-mono.mp3", "noinfo-cbr.mp3", "noinfo-vbr.mp3", "vbr-44100-stereo.mp3",
  ]

  static func path(_ name: String) throws -> String {
    let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures")
    return folder.appendingPathComponent(name).path
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }
}

/// A decoder for bytes in memory.
func decoder(_ bytes: [UInt8]) throws -> MP3Decoder { try decoder(of: ScriptedSource(bytes)) }

/// A decoder for a source whose bytes are all there.
func decoder(of source: any ByteSource) throws -> MP3Decoder {
  try #require(try MP3Opening(source: source).decode())
}

extension AudioFile {
  /// A decoder for it: bytes of a file are never missing.
  func makeDecoder() throws -> any AudioDecoder { try #require(try open {}.proceed()) }
}

/// A decoder for a fixture.
func decoder(_ name: String) throws -> any AudioDecoder {
  try AudioFile(path: Fixture.path(name)).makeDecoder()
}

/// The largest difference of two runs of samples, over the length of the shorter.
func largestDifference(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Float {
  var largest: Float = 0
  a.withUnsafeBufferPointer { first in
    b.withUnsafeBufferPointer { second in
      var index = 0
      let count = min(first.count, second.count)
      while index < count {
        let difference = abs(first[index] - second[index])
        if !(difference <= largest) { largest = difference }
        index += 1
      }
    }
  }
  return largest
}

/// What the program mpg123 decodes, as interleaved floats.
func mpg123(_ path: String) throws -> [Float] {
  let data = try runTool("mpg123", ["-q", "-e", "f32", "-s", "--resync-limit", "1048576", path])
  return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}

/// How many frames `decoder` gives, in reads of so many samples, until it ends or throws, and the error.
func framesUntilError(_ decoder: any AudioDecoder, reading count: Int) -> (frames: Int, error: DecodingError?)
{
  var buffer = [Float](repeating: 0, count: count)
  var frames = 0
  let error = decodingError {
    while true {
      guard case .frames(let read) = try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) })
      else { break }
      frames += read
    }
  }
  return (frames, error)
}

/// Layer I frames (MPEG 1, 44.1 kHz, stereo, 192 kbit/s): some subbands with random samples. No encoder in Debian
/// makes these.
func layer1(frames: Int, seed: UInt64) -> [UInt8] {
  var random = RandomSource(seed: seed)
  var result: [UInt8] = []
  for _ in 0..<frames {
    // 12 · 192000 / 44100 = 52 slots of 4 bytes.
    var frame: [UInt8] = [0xFF, 0xFF, 0x60, 0x00]
    var bits: [UInt8] = []
    func append(_ value: UInt64, _ count: Int) {
      for shift in (0..<count).reversed() { bits.append(UInt8(value >> UInt64(shift) & 1)) }
    }
    let loud = 6
    for band in 0..<32 { for _ in 0..<2 { append(band < loud ? 3 : 0, 4) } }
    for _ in 0..<(2 * loud) { append(UInt64.random(in: 10...20, using: &random), 6) }
    for _ in 0..<12 { for _ in 0..<(2 * loud) { append(UInt64.random(in: 0...14, using: &random), 4) } }
    var byte: UInt8 = 0
    for (index, bit) in bits.enumerated() {
      byte = byte << 1 | bit
      if index % 8 == 7 { frame.append(byte) }
    }
    frame += [UInt8](repeating: 0, count: 208 - frame.count)
    result += frame
  }
  return result
}
