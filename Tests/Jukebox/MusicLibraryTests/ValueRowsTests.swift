import ControlProtocol
import Jukebox
import TestSupport
import Testing

@testable import MusicLibrary

/// Rows of values against what a dictionary makes of them.
@Suite struct ValueRowsTests {
  private static let texts = [
    "", "A", "AB", "B", "A\u{0}", "A\u{0}B", "\u{0}", "\u{0}\u{1}", "\u{1}", "ü", "A\u{1}",
  ]

  @Test(arguments: [UInt64](1...50)) func eachCombinationOnceInOrder(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let types = random.pick([[TagType.artist], [.albumArtist, .album], [.genre, .albumArtist, .album]])
    var rows = ValueRows(of: types)
    var expected: Set<[[UInt8]]> = []
    for _ in 0..<random.below(60) {
      let tags = (0..<random.below(6)).compactMap { _ -> SongTag? in
        let text = random.pick(Self.texts)
        return text.isEmpty
          ? nil : SongTag(random.pick([.artist, .albumArtist, .album, .genre]), Argument(text))
      }
      let metadata = SongMetadata(tags: tags)
      rows.add(metadata)
      var combinations: [[[UInt8]]] = [[]]
      for type in types {
        let values = metadata.values(of: type)
        combinations = combinations.flatMap { head in values.map { head + [$0] } }
      }
      expected.formUnion(combinations)
    }
    let sorted = expected.sorted { first, second in
      for (a, b) in zip(first, second) where a != b { return a.lexicographicallyPrecedes(b) }
      return false
    }
    var made: [[[UInt8]]] = []
    rows.forEachSorted { made.append($0) }
    #expect(made == sorted)
  }
}
