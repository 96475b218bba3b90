import Clocks
import Jukebox
import MusicFiles
import Synchronization
import TestSupport
import Testing

@testable import ControlProtocol
@testable import MPDService
@testable import MusicLibrary

/// The database finds what the filter of the queue finds, which is compared with mpd.
@Suite(.timeLimit(.minutes(10))) struct DatabaseFilterTests {
  private static let words = [
    "", "a", "B", "ab", "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "İ", "it's", "%", "_", "50%", "x\"y", "\\",
  ]
  private static let types: [TagType] = [.artist, .album, .albumArtist, .title, .genre, .artistSort]

  private static func song(_ random: inout some RandomNumberGenerator, _ index: Int) -> LibrarySong {
    var tags: [SongTag] = []
    for type in types where type != .artistSort || index % 5 == 0 {
      for _ in 0..<[0, 1, 1, 2].randomElement(using: &random)! {
        let word = words.dropFirst().randomElement(using: &random)!
        tags.append(
          SongTag(
            type,
            Argument(Bool.random(using: &random) ? word : "\(word) \(words.randomElement(using: &random)!)x"))
        )
      }
    }
    let folder = ["", "x/", "x/y/", "xy/", "Ünï/"].randomElement(using: &random)!
    return LibrarySong(
      path: Array(
        "\(folder)\(index) \(words.randomElement(using: &random)!.replacing("/", with: "")).mp3".utf8),
      metadata: SongMetadata(
        duration: Double(index), modified: Int64.random(in: 0...20, using: &random),
        sampleRate: [44_100, 48_000].randomElement(using: &random)!,
        channels: Int.random(in: 1...2, using: &random),
        tags: tags))
  }

  private static func expression(_ random: inout some RandomNumberGenerator, depth: Int = 0)
    -> FilterExpression
  {
    let word = Argument(words.randomElement(using: &random)!)
    let pattern: Argument = ["", "^a", "[ab]+", "(x|ss)", "^.tra", "ß", "^$", "%$", "σ"]
      .randomElement(using: &random)!
    let test: TextTest = [.equals(word), .contains(word), .matches(pattern)].randomElement(using: &random)!
    switch Int.random(in: 0..<(depth < 3 ? 11 : 7), using: &random) {
    case 0...1:
      return .tag((types + [.albumArtistSort, .albumSort, .composer]).randomElement(using: &random)!, test)
    case 2: return .tag(nil, test)
    case 3: return .file(test)
    case 4: return .base(["", "x", "x/", "x/y", "xy", "Ü", "Ünï"].randomElement(using: &random)!)
    case 5: return .modifiedSince(Int64.random(in: -1...22, using: &random))
    case 6:
      return .audioFormat(
        AudioFormatMask(
          rate: [nil, 44_100].randomElement(using: &random)!,
          samples: [nil, .floatingPoint, .bits(16)].randomElement(using: &random)!,
          channels: [nil, 1, 2].randomElement(using: &random)!))
    case 7...8: return .not(expression(&random, depth: depth + 1))
    default:
      return .all(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in expression(&random, depth: depth + 1) })
    }
  }

  @Test func sameAsTheQueue() throws {
    let folder = try TemporaryFolder()
    let path = MediaPath(folder.file("library"))
    let writer = try LibraryWriter(LibraryFile.open(path, home: MediaPath(folder.path)))
    var random = RandomSource(seed: 5)
    let songs = (0..<100).map { Self.song(&random, $0) }
    let status = try FileStatus(of: MediaPath(folder.path))
    try writer.begin()
    for song in songs {
      let id = try writer.folder(LibraryPath.folder(of: song.path), modified: 0)
      try writer.add(song: song.path, as: nil, to: id, status, song.metadata)
    }
    for folder in try writer.allFolders { try writer.arrangeSongs(in: folder) }
    _ = try writer.finish(isComplete: true)
    try writer.commit()
    let reader = try LibraryReader(LibraryFile.connect(path))
    var found = 0
    for _ in 0..<300 {
      let expression = Self.expression(&random)
      for foldsCase in [false, true] {
        let filter = SongFilter(expression, foldsCase: foldsCase)
        let expected = try songs.filter { song in
          try filter.accepts(
            SongReply(
              file: Argument(song.path), lastModified: song.metadata.modified,
              format: AudioFormatText(song.metadata),
              tags: song.metadata.tags))
        }
        let condition = SongCondition(expression, foldsCase: foldsCase)
        let ids = try writer.database.rows(
          "SELECT id FROM songs WHERE \(condition.text)", condition.values
        ) { $0.integer(0) }
        let answer = try reader.songs(ids)
        found += answer.count
        #expect(Set(answer.map(\.path)) == Set(expected.map(\.path)), "\(expression) \(foldsCase)")
      }
    }
    #expect(found > 10_000)
    // And what was added goes without a trace.
    try writer.begin()
    for folder in ["x", "xy", "Ünï"] { try writer.remove(folder: Array(folder.utf8)) }
    for (path, known) in try writer.files(in: reader.folder([]) ?? 0) { try writer.remove(path, known) }
    _ = try writer.finish(isComplete: true)
    try writer.commit()
    for table in ["songs", "tags", "texts"] {
      #expect(try writer.database.integer("SELECT count(*) FROM \(table)") == 0)
    }
  }
}

extension LibraryWriter {
  fileprivate var allFolders: [Int64] {
    get throws {
      var folders: [Int64] = []
      try database.statement("SELECT id FROM folders").forEach([]) { folders.append($0.integer(0)) }
      return folders
    }
  }
}
