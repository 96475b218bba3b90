import Foundation
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What a person can name, and in which order it is played.
  @Suite struct QueueTests {
    /// The names of the files that were played, in order.
    private func played(_ arguments: [String], in studio: Studio, input: String = "") async throws -> [String]
    {
      let player = try studio.play(arguments + ["--output", "wav:\(studio.folder)/all.wav"], input: input)
      let end = try await player.ended()
      #expect(end.status == 0, "\(player.log.value.errors)")
      return player.events.events.compactMap { event in
        guard case .currentItem(_?, let url?) = event else { return nil }
        return URL(string: url)?.path.replacingOccurrences(of: "\(studio.folder)/", with: "")
      }
    }

    @Test func folderIsPlayedInAPersonsOrder() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let names = ["Track 2.mp3", "Track 10.mp3", "track 1.mp3", "Ärger.mp3", "100%.mp3", "B/Track 1.mp3"]
      let bytes = try Data(
        contentsOf: URL(fileURLWithPath: try await Song(duration: 0.05).write(into: studio.folder)))
      for name in names + [".hidden.mp3", "cover.jpg"] { _ = try studio.write(bytes, to: "Music/\(name)") }
      let order = try await played(["\(studio.folder)/Music"], in: studio)
      #expect(Set(order) == Set(names.map { "Music/\($0)" }))
      #expect(
        order.filter { $0.lowercased().contains("/track") } == [
          "Music/track 1.mp3", "Music/Track 2.mp3", "Music/Track 10.mp3", "Music/B/Track 1.mp3",
        ])
      #expect(order.last == "Music/B/Track 1.mp3")
    }

    @Test func playlistsOfAllKinds() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let bytes = try Data(
        contentsOf: URL(fileURLWithPath: try await Song(duration: 0.05).write(into: studio.folder)))
      for name in ["b", "a", "c d"] { _ = try studio.write(bytes, to: "Lists/\(name).mp3") }
      let m3u = try studio.write(
        "#EXTM3U\r\n#EXTINF:1,Somebody - Something\r\nb.mp3\r\n\r\n\(studio.folder)/Lists/a.mp3\r\n".utf8,
        to: "Lists/one.m3u")
      let m3u8 = try studio.write(
        "\u{FEFF}c d.mp3\nfile://\(studio.folder)/Lists/c%20d.mp3\n".utf8, to: "Lists/two.m3u8")
      let pls = try studio.write(
        "[playlist]\nNumberOfEntries=2\nFile2=b.mp3\nFile1=a.mp3\nTitle1=A\nVersion=2\n".utf8,
        to: "Lists/three.pls")
      #expect(
        try await played([m3u, m3u8, pls, "\(studio.folder)/Lists/a.mp3"], in: studio)
          == ["b", "a", "c d", "c d", "a", "b", "a"].map { "Lists/\($0).mp3" })
      #expect(
        try await played(["-"], in: studio, input: "\(studio.folder)/Lists/c d.mp3\n\(m3u)\n")
          == ["c d", "b", "a"].map { "Lists/\($0).mp3" })
    }
  }
}
