import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Files that cannot be played, or not all of them; exit statuses.
  @Suite struct BadFileTests {
    /// Makes what cannot be played; paths.
    private func makeBadFiles(in studio: Studio) throws -> [String] {
      var noise: UInt64 = 0x2545_F491_4F6C_DD1D
      let random = (0..<20000).map { _ -> UInt8 in
        noise ^= noise << 13
        noise ^= noise >> 7
        noise ^= noise << 17
        return UInt8(truncatingIfNeeded: noise >> 32)
      }
      let tag: [UInt8] =
        Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 21] + Array("TIT2".utf8) + [0, 0, 0, 11, 0, 0, 0]
        + Array("Only a tag".utf8)
      try FileManager.default.createDirectory(
        atPath: "\(studio.folder)/nothing", withIntermediateDirectories: false)
      return [
        try studio.write([], to: "empty.mp3"),
        try studio.write(random, to: "random.mp3"),
        try studio.write(String(repeating: "This is no music. ", count: 500).utf8, to: "text.mp3"),
        try studio.write(tag, to: "tag.mp3"),
        "\(studio.folder)/missing.mp3",
        "\(studio.folder)/nothing",
        try studio.write("\0\0\0\u{18}ftypM4A \0\0\0\0".utf8, to: "song.m4a"),
      ]
    }

    @Test func unplayableFilesAreSkippedAndNamed() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bad = try makeBadFiles(in: studio)
      let good = [
        try await Song(duration: 0.5, seed: 1).write(into: studio.folder),
        try await Song(duration: 0.4, seed: 2).write(into: studio.folder),
      ]
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play([good[0]] + bad + [good[1]], server: server)
      #expect(try await player.ended().status == 1)
      let errors = player.log.value.errors
      for path in bad { #expect(errors.count { $0.contains(path) } == 1, "\(path)") }
      #expect(errors.count == bad.count)
      // No gap where they would have been.
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(good).trimmed)
      // Each file became an item and failed, also the one that is not there.
      let events = player.events
      let failed = events.events.compactMap { event -> String? in
        if case .failed(_, let url, _) = event { url } else { nil }
      }
      #expect(
        Set(failed)
          == Set(
            ["empty.mp3", "random.mp3", "text.mp3", "tag.mp3", "missing.mp3", "song.m4a"].map {
              "file://\(studio.folder)/\($0)"
            }))
      #expect(failed.count == 6)
      #expect(events.events.last == .finished)
      let ended = events.events.compactMap { event -> Int? in
        if case .didPlayToEndTime(let index) = event { index } else { nil }
      }
      #expect(ended == [0, 7])
    }

    @Test func nothingLeftToPlay() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bad = try makeBadFiles(in: studio)
      let server = try studio.startServer()
      let player = try studio.play(bad, server: server)
      #expect(try await player.ended().status == 66)
      for path in bad { #expect(player.log.value.errors.contains { $0.contains(path) }, "\(path)") }
      #expect(player.events.steps(of: 0).isEmpty)
      // Nothing to play at all, seen before there is any sound output.
      let missing = try studio.play(["\(studio.folder)/missing.mp3", "\(studio.folder)/nothing"])
      #expect(try await missing.ended().status == 66)
      #expect(missing.events.isEmpty)
    }

    @Test func damagedFilesPlayAsFarAsTheyCan() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let whole = [UInt8](
        try Data(
          contentsOf: URL(fileURLWithPath: try await Song(duration: 1, seed: 3).write(into: studio.folder))))
      var hole = whole
      hole.replaceSubrange(8000..<9000, with: repeatElement(0, count: 1000))
      let paths = [
        try studio.write(whole.prefix(whole.count * 6 / 10), to: "cut.mp3"),
        try studio.write(hole, to: "hole.mp3"),
        try studio.write(Array(repeating: 0x20, count: 3000) + whole, to: "preface.mp3"),
        try studio.write(whole + Array("TRAILING WORDS".utf8), to: "trailer.mp3"),
      ]
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play(paths, server: server)
      let end = try await player.ended()
      #expect(end.status == 0, "\(player.log.value.errors)")
      let heard = Sound(try await capture.untilSilence()).trimmed
      let seconds = Double(heard.frames.count) / 44100
      print("damaged files: \(seconds) s heard of 4 s")
      #expect((3.3...3.7).contains(seconds))
      // The whole ones are whole.
      let reference = try await Sound.mpg123([paths[3]])
      expectSame(heard[heard.frames.count - reference.frames.count..<heard.frames.count], reference, "last")
    }

    @Test func wrongCommandLines() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.2).write(into: studio.folder)
      let cases: [[String]] = [
        [], ["--no-such-option", path], ["--at", "x:home", path], ["--at", "1:dance", path],
        ["--null-sink", "--server", "unix:/nowhere", path], ["--output", "tape", path],
        ["--info-plist", "\(studio.folder)/missing.plist", path],
      ]
      for arguments in cases {
        let player = try studio.play(arguments, hasEvents: false)
        #expect(try await player.ended().status == 64, "\(arguments)")
        #expect(!player.log.value.errors.isEmpty, "\(arguments)")
        #expect(player.log.value.output.isEmpty, "\(arguments)")
      }
      for arguments in [["--help"], ["play", "--help"]] {
        let player = try Player(
          arguments, environment: studio.environment, folder: studio.folder, hasEvents: false)
        #expect(try await player.ended().status == 0)
        #expect(player.log.value.output.contains { $0.contains("continuo play") })
      }
    }
  }
}
