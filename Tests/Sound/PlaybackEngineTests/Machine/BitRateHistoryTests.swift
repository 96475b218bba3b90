import Testing

@testable import PlaybackEngine

/// The mean of the last second of what was decoded.
@Suite struct BitRateHistoryTests {
  /// Ten seconds in pieces of an eighth: 64 kbit/s up to 5 s, and 256 from there on.
  private func history(heard: Double = 0) -> BitRateHistory {
    var history = BitRateHistory()
    for piece in 0..<80 {
      let start = Double(piece) / 8
      history.append(from: start, to: start + 0.125, bitRate: start < 5 ? 64e3 : 256e3, heard: heard)
    }
    return history
  }

  @Test("The mean is that of the second before a place, or of as much as there is")
  func mean() {
    let history = history()
    for (place, expected) in [
      (0.0, 64e3), (0.01, 64e3), (0.5, 64e3), (4.99, 64e3), (5, 64e3), (5.25, 112e3), (5.3125, 124e3),
      (5.5, 160e3), (6, 256e3), (10, 256e3),
    ] {
      let mean = history.mean(before: place)
      #expect(abs((mean ?? 0) - expected) < 0.001, "\(place): \(mean ?? -1)")
    }
    #expect(history.mean(before: 11.5) == nil && BitRateHistory().mean(before: 0) == nil)
  }

  @Test("Behind a jump what is about to be heard counts, then what was heard since")
  func jumps() {
    var history = history()
    history.append(from: 20, to: 20.125, bitRate: 128e3, heard: 20)
    #expect(history.count == 1)
    #expect(history.mean(before: 20) == 128e3 && history.mean(before: 20.1) == 128e3)
    #expect(history.mean(before: 10) == nil && history.mean(before: 19.9) == nil)
  }

  @Test("What is decoded anew takes the place of what was there, and joins what was heard before it")
  func anew() {
    var history = history(heard: 4)
    history.append(from: 5.0625, to: 5.1875, bitRate: 320e3, heard: 5)
    #expect(
      abs((history.mean(before: 5.1875) ?? 0) - (64e3 * 0.8125 + 256e3 * 0.0625 + 320e3 * 0.125)) < 0.001)
    #expect(history.mean(before: 6.5) == nil)
  }

  @Test("What was heard more than a second ago is forgotten, and there is a limit")
  func limits() {
    #expect(history(heard: 9.5).count == 13)
    var history = BitRateHistory()
    for piece in 0..<10_000 {
      let start = Double(piece) / 64
      history.append(from: start, to: start + 1 / 64, bitRate: piece % 2 == 0 ? 100 : 300, heard: 0)
      #expect(history.count <= BitRateHistory.limit)
    }
    for place in [1.0, 50, 156.25] {
      #expect(abs((history.mean(before: place) ?? 0) - 200) < 1, "\(place)")
    }
  }
}
