import AudioCore
import MP3Decoding
import TestSupport
import Testing

@testable import SoundFileDecoding

@Suite struct RecognitionTests {
  private func content(_ bytes: [UInt8]) throws -> SoundFileKind? {
    guard case .soundFile(let kind, _) = try AudioContent.find(in: ScriptedSource(bytes)) else { return nil }
    return kind
  }

  @Test("The content decides, whatever the name")
  func names() throws {
    let folder = try TemporaryFolder()
    let sound = SoundMaker.sound(frames: 3000)
    let path = try SoundMaker.write(sound, to: folder.file("song.mp3"), .flac16)
    let decoder = try #require(try AudioFile(path: path).open {}.proceed())
    try expectSame(samples(of: decoder), sound)
    let song = try folder.write("song.flac", SongBytes.make())
    #expect(try AudioFile(path: song).open {}.proceed()?.format.sampleRate == 44_100)
  }

  @Test("Each container is recognized", arguments: SoundFormat.all)
  func containers(format: SoundFormat) throws {
    let bytes = try SoundMaker.bytes(
      SoundMaker.sound(frames: 3000), format, rate: format == .opus ? 48_000 : 44_100)
    #expect(try content(bytes) != nil)
  }

  @Test("An ID3 tag may precede FLAC")
  func tagged() throws {
    let sound = SoundMaker.sound(frames: 3000)
    let tag = Array(SongBytes.make(["TIT2": "In front"], frames: 0))
    let bytes = try tag + SoundMaker.bytes(sound, .flac16)
    let decoder = try #require(try MediaOpening(audioIn: ScriptedSource(bytes)).proceed())
    try expectSame(samples(of: decoder), sound)
    #expect(MediaTag(beginning: bytes).text("TIT2") == "In front")
  }

  @Test("MPEG audio stays MPEG audio, in a WAV file too")
  func mpeg() throws {
    #expect(try content(SongBytes.make()) == nil)
    #expect(try content(SongBytes.make(["TIT2": "Title"])) == nil)
    var header = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8) + [30, 0, 0, 0, 0x55, 0, 2, 0]
    #expect(try content(header) == nil)
    header[20] = 1
    #expect(try content(header) == .wav)
    let junk = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEJUNK".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    #expect(try content(junk + Array("fmt ".utf8) + [30, 0, 0, 0, 0x55, 0, 2, 0]) == nil)
    #expect(try content(junk + Array("fmt ".utf8) + [30, 0, 0, 0, 1, 0, 2, 0]) == .wav)
    let big = Array("RIFX".utf8) + [0, 0, 0, 0] + Array("WAVEJUNK".utf8) + [0, 0, 0, 3, 1, 2, 3, 0]
    #expect(try content(big + Array("fmt ".utf8) + [0, 0, 0, 30, 0, 0x55, 0, 2]) == nil)
    #expect(try content(big + Array("fmt ".utf8) + [0, 0, 0, 30, 0, 1, 0, 2]) == .wav)
  }

  @Test("What cannot be decoded is refused with the format's name")
  func refusals() throws {
    let zeros = [UInt8](repeating: 0, count: 500)
    for (name, mark) in [("FLAC", "fLaC"), ("Ogg", "OggS"), ("CAF", "caff"), ("AIFF", "FORM1234AIFF")] {
      let source = ScriptedSource(Array(mark.utf8) + zeros)
      let error = decodingError { _ = try MediaOpening(audioIn: source).proceed() }
      #expect(error?.reason == .notRecognized)
      #expect(error?.message.hasPrefix("This \(name) file cannot be decoded: ") == true, "\(name)")
    }
  }
}
