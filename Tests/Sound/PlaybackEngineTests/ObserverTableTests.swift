import Testing

@testable import PlaybackEngine

@Suite struct ObserverTableTests {
  @Test func isADictionaryWhateverTheOrder() {
    var random = SystemRandomNumberGenerator()
    var table = ObserverTable<Int>()
    var expected: [UInt64: Int] = [:]
    for step in 0..<2_000 {
      let number = UInt64.random(in: 0..<40, using: &random)
      let id = ObserverID(rawValue: number)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: #expect(table.removeValue(for: id) == expected.removeValue(forKey: number))
      case 1:
        table[id]? += 1
        expected[number]? += 1
      default:
        table[id] = step
        expected[number] = step
      }
      #expect(table[id] == expected[number])
    }
    #expect(table.values.map(\.self) == expected.sorted { $0.key < $1.key }.map(\.value))
  }
}
