import ControlProtocol
import Glibc
import Jukebox
import MusicFiles
import TestSupport
import Testing

@testable import MPDService

/// A song in an answer with many of them and a song alone have the same lines.
@Suite struct SongLinesTests {
  @Test(arguments: [TagSet.all, .standard, [], TagSet(.title), TagSet(.disc).union(TagSet(.artist))])
  func areThoseOfASongReply(tags: TagSet) throws {
    let folder = try TemporaryFolder()
    let home = try MusicHome(MediaPath(folder.path))
    let values = ["A", "Two \u{202E}2\" \\", "Line\nbreak", "三", ""]
    let long = String(repeating: "é", count: 3000)
    let allTags = TagType.allCases.enumerated().map { index, tag in
      SongTag(tag, Argument(tag == .title ? long : values[index % values.count]))
    }
    let metadata: [SongMetadata?] = [
      nil, SongMetadata(), SongMetadata(modified: -5, channels: 2),
      SongMetadata(
        duration: 4.5, modified: 1_795_227_836, sampleRate: 48_000, channels: 1, tags: allTags),
      SongMetadata(duration: 0, modified: .max, sampleRate: 1, tags: allTags.reversed() + allTags),
    ]
    let paths: [[UInt8]] = [
      Array("/a.mp3".utf8), Array("/a\nb.mp3".utf8), Array("/\u{E4}.mp3".utf8), [0x2F, 0xFF],
      Array((folder.path + "/b.mp3").utf8), Array((folder.path + "/").utf8) + [0xFF, 0x0A],
      Array(folder.path.utf8),
    ]
    let ranges =
      [(0, nil), (1500, nil), (10, SongRange.limit)].map { start, end in
        SongRange(start: Milliseconds(rawValue: start), end: end.map { Milliseconds(rawValue: $0) })
      } + [nil]
    var random = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &random)
    for path in paths {
      for range in ranges {
        try machine.add(metadata.map { Song(path: path, range: range, metadata: $0) })
      }
    }
    machine.queue.forEach(in: 0..<machine.queue.count) { position, song in
      var single = Reply()
      SongReply(song, at: position, home: home).write(into: &single, tags: tags)
      var line = Reply()
      line.append(song, at: position, home: home, tags: tags)
      #expect(String(decoding: line.bytes, as: UTF8.self) == String(decoding: single.bytes, as: UTF8.self))
    }
  }
}
