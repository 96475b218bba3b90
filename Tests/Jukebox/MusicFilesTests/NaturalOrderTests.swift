import Testing

@testable import MusicFiles

@Suite struct NaturalOrderTests {
  @Test(arguments: [
    ["Track 2", "Track 10"], ["1", "2", "10", "100"], ["a1b2", "a1b10", "a2b1"], ["a", "B", "c"],
    ["disc 1", "Disc 2", "disc 10"], ["9", "10a", "10b"], ["a", "a1", "aa"], ["01", "1"],
    ["001", "01", "1", "2"],
    ["x99999999999999999998", "x99999999999999999999", "x100000000000000000000"],
    ["Eclair", "Éclair", "Fin"], ["etude", "e\u{301}tude", "étude", "euro"], ["Ärger", "Baum", "Öl", "Zug"],
    ["œuf", "of"], ["straße", "strauß"], ["ноты 2", "Ноты 10"], ["2 а", "2 б"], ["", "a"],
    ["Song", "Song 2"],
  ])
  func ordersLikeAPerson(names: [String]) {
    #expect(
      names.reversed().map(NaturalOrder.init).sorted().map { String(decoding: $0.name, as: UTF8.self) }
        == names)
  }

  @Test func anyBytesHaveAPlace() {
    #expect(NaturalOrder([0xFF]) != NaturalOrder([0xFE]))
    #expect((NaturalOrder([0xFF]) < NaturalOrder([0xFE])) != (NaturalOrder([0xFE]) < NaturalOrder([0xFF])))
  }

  @Test func longNumbersAreOrderedByLength() {
    let numbers = [254, 255, 256, 509, 510, 511, 1000].map { String(repeating: "9", count: $0) }
    #expect(numbers.shuffled().map(NaturalOrder.init).sorted() == numbers.map(NaturalOrder.init))
  }

  /// Exactly one of <, ==, > holds for every pair, equality is that of the names, and < is transitive.
  @Test func isATotalOrder() {
    var random = SystemRandomNumberGenerator()
    let alphabet: [[UInt8]] =
      ["a", "A", "b", "0", "1", "2", "9", " ", "é", "e\u{301}", "É", "中"].map { Array($0.utf8) }
      + [[0xFF], [0xC3]]
    let names = (0..<120).map { _ in
      NaturalOrder(
        (0..<Int.random(in: 0...4, using: &random)).flatMap { _ in
          alphabet.randomElement(using: &random) ?? []
        })
    }
    for a in names {
      for b in names {
        #expect([a < b, a.name == b.name, b < a].count(where: \.self) == 1)
        for c in names where a < b && b < c && !(a < c) { Issue.record("\(a.name) \(b.name) \(c.name)") }
      }
    }
  }
}

extension NaturalOrder {
  fileprivate init(_ name: String) { self.init(Array(name.utf8)) }
}
