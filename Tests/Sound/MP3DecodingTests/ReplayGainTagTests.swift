import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Levels in ID3v2, in APEv2 and in the Info frame.
  @Suite struct ReplayGainTagTests {
    private typealias Level = ReplayGain.Level

    /// A user's own field of ID3v2.
    private func field(_ name: String, _ value: String) -> [UInt8] {
      Tags.frame("TXXX", [0] + Tags.latin1(name) + [0] + Tags.latin1(value))
    }

    /// UTF-16 with its mark.
    private func wide(_ text: String) -> [UInt8] {
      [0xFF, 0xFE] + Tags.latin1(text).flatMap { [$0, 0] }
    }

    private func little(_ number: Int) -> [UInt8] { Tags.big(number).reversed() }

    /// A tag of APEv2 with a header, as most programs write it, or without.
    private func ape(_ items: KeyValuePairs<String, String>, hasHeader: Bool = true) -> [UInt8] {
      var body: [UInt8] = []
      for (name, value) in items {
        body += little(value.utf8.count) + little(0) + Array(name.utf8) + [0] + Array(value.utf8)
      }
      func end(_ flags: Int) -> [UInt8] {
        Array("APETAGEX".utf8)
          + [2000, body.count + 32, items.count, flags, 0, 0].flatMap { (number: Int) in little(number) }
      }
      return (hasHeader ? end(0xA000_0000) : []) + body + end(hasHeader ? 0x8000_0000 : 0)
    }

    private let version1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)

    private func gain(_ bytes: [UInt8]) throws -> ReplayGain { try decoder(bytes).readReplayGain() }

    /// A sound file without any tag or level.
    private func plain() throws -> [UInt8] { try Fixture.bytes("noinfo-cbr.mp3") }

    @Test func withoutLevelsThereAreNone() throws {
      #expect(try gain(plain()) == ReplayGain())
      #expect(try gain(Tags.tag([field("replaygain_track_gain", "loud")]) + plain()) == ReplayGain())
      // A peak alone says nothing.
      #expect(try gain(Tags.tag([field("REPLAYGAIN_TRACK_PEAK", "0.5")]) + plain()) == ReplayGain())
    }

    @Test func levelsInID3() throws {
      let tag = Tags.tag([
        field("replaygain_track_gain", "-7.03 dB"), field("REPLAYGAIN_TRACK_PEAK", "0.988"),
        Tags.frame("TXXX", [1] + wide("REPLAYGAIN_ALBUM_GAIN") + [0, 0] + wide("+1.50 dB")),
        field("REPLAYGAIN_ALBUM_PEAK", "0"), field("other", "1"),
      ])
      #expect(
        try gain(tag + plain())
          == ReplayGain(track: Level(gain: -7.03, peak: 0.988), album: Level(gain: 1.5)))
    }

    @Test(arguments: ["-99999999 dB", "+60 dB", "-51.2 dB", "999999999999999999999999", "inf", "nan", "1e9"])
    func whatNoMeasurementYieldsIsNoLevel(text: String) throws {
      let plain = try plain()
      let tag = Tags.tag([field("replaygain_track_gain", text), field("replaygain_track_peak", "0.5")])
      // Of "1e9" the number is 1, and of "inf" there is none.
      let isNumber = text.contains { $0.isNumber } && text != "1e9"
      let words = isNumber ? ["REPLAYGAIN_TRACK_GAIN \(text.prefix { $0 != " " }.prefix(20))"] : []
      let found = try gain(tag + plain)
      #expect(found.track == (text == "1e9" ? Level(gain: 1, peak: 0.5) : nil) && found.album == nil)
      #expect(found.ignored == words)
      guard text != "1e9" else { return }
      // The other tag may have better.
      let other = try gain(tag + plain + ape(["REPLAYGAIN_TRACK_GAIN": "-2 dB"]))
      #expect(other.track == Level(gain: -2, peak: 0.5) && other.ignored == words)
    }

    @Test(arguments: ["-0.5", "99999999", "16.5", "inf"])
    func aPeakThatNoSoundHasIsNone(text: String) throws {
      let tag = Tags.tag([field("replaygain_track_gain", "-51.1 dB"), field("replaygain_track_peak", text)])
      let found = try gain(tag + plain())
      #expect(found.track == Level(gain: -51.1) && found.ignored.count == (text == "inf" ? 0 : 1))
    }

    @Test(arguments: [false, true], [false, true])
    func levelsInAPE(hasHeader: Bool, hasVersion1: Bool) throws {
      let tag = ape(
        ["Title": "x", "REPLAYGAIN_TRACK_GAIN": "-3.5 dB", "replaygain_track_peak": "1.1"],
        hasHeader: hasHeader)
      #expect(
        try gain(plain() + tag + (hasVersion1 ? version1 : []))
          == ReplayGain(track: Level(gain: -3.5, peak: 1.1)))
    }

    @Test func ID3GoesBeforeAPE() throws {
      let bytes =
        try Tags.tag([field("replaygain_track_gain", "-1 dB")]) + plain()
        + ape(["REPLAYGAIN_TRACK_GAIN": "-2 dB", "REPLAYGAIN_ALBUM_GAIN": "-3 dB"])
      #expect(try gain(bytes) == ReplayGain(track: Level(gain: -1), album: Level(gain: -3)))
    }

    @Test func aTagThatIsCutOffSaysNothing() throws {
      let plain = try plain()
      let tag = ape(["REPLAYGAIN_TRACK_GAIN": "-3 dB"], hasHeader: false)
      // Every length that a tag can claim, and none is beyond what is there.
      for length in [0, 1, 31, 32, 33, tag.count + 1, 1 << 20, 1 << 24, 0x7FFF_FFFF, 0xFFFF_FFFF] {
        for value in [0, 7, 1000, 0xFFFF_FFFF] {
          var damaged = tag
          damaged.replaceSubrange((tag.count - 20)..<(tag.count - 16), with: little(length))
          damaged.replaceSubrange(0..<4, with: little(value))
          _ = try gain(plain + damaged)
        }
      }
      for count in tag.indices { #expect(try gain(plain + tag[..<count]) == ReplayGain()) }
    }

    // MARK: The Info frame

    /// A file by LAME with these fields in its Info frame: peak, gain of the track and of the album.
    private func info(
      _ name: String, peak: Int = 0, track: Int = 0, album: Int = 0, encoder: String? = nil
    ) throws -> [UInt8] {
      var bytes = try Fixture.bytes(name)
      let mark = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("LAME".utf8)) })
      if let encoder { bytes.replaceSubrange(mark..<(mark + encoder.utf8.count), with: Array(encoder.utf8)) }
      bytes.replaceSubrange(
        (mark + 11)..<(mark + 19), with: Tags.big(peak) + Tags.big(track, 2) + Tags.big(album, 2))
      return bytes
    }

    /// A gain as it is written: of a track (1) or an album (2), measured by the encoder (3).
    private func field(_ kind: Int, by origin: Int = 3, tenths: Int) -> Int {
      kind << 13 | origin << 10 | (tenths < 0 ? 0x200 : 0) | abs(tenths)
    }

    @Test(arguments: [
      "cbr-44100-stereo.mp3", "cbr-44100-mono.mp3", "vbr-44100-stereo.mp3", "mpeg2-24000-vbr.mp3",
    ])
    func levelsInTheInfoFrame(of name: String) throws {
      let bytes = try info(
        name, peak: 0x40_0000, track: field(1, tenths: -73), album: field(2, tenths: 25))
      #expect(
        try gain(bytes)
          == ReplayGain(track: Level(gain: -7.3, peak: 0.5), album: Level(gain: 2.5, peak: 0.5)))
      let tag = ape(["REPLAYGAIN_TRACK_GAIN": "-2 dB"])
      #expect(try gain(bytes + tag) == ReplayGain(track: Level(gain: -2)))
    }

    @Test func whatNobodyMeasuredIsNoLevel() throws {
      let name = "cbr-44100-stereo.mp3"
      #expect(try gain(info(name, track: field(1, by: 0, tenths: -73))) == ReplayGain())
      #expect(try gain(info(name, track: field(1, tenths: 0))) == ReplayGain())
      #expect(try gain(info(name, track: field(3, tenths: 5))) == ReplayGain())
      #expect(
        try gain(info(name, track: field(1, tenths: -73), encoder: "LAME3.94b"))
          == ReplayGain(track: Level(gain: -1.3)))
    }

    /// It is asked for while the file plays.
    @Test func askingDoesNotMoveThePlace() throws {
      let name = "cbr-44100-stereo.mp3"
      let expected = try samples(of: decoder(name))
      let decoder = try decoder(info(name, track: field(1, tenths: -73)))
      let first = try samples(of: decoder, channels: 2, limit: 5000)
      #expect(try decoder.readReplayGain() == ReplayGain(track: Level(gain: -7.3)))
      #expect(same(try first + samples(of: decoder), expected))
    }
  }
}
