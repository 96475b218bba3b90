import MediaTime
import TestSupport
import Testing

@Suite struct ComparisonTests {
  @Test func theOrderOfKinds() {
    let ascending: [CMTime] = [
      .negativeInfinity, time(1, 1, epoch: .min), time(.max, 1, epoch: -1), time(.min, 1), time(-1, 2), .zero,
      time(1, .max), time(1, 3), time(1, 2), time(.max, 1), time(.min, 1, epoch: 1), .indefinite,
      .positiveInfinity,
      .invalid,
    ]
    for (i, lhs) in ascending.enumerated() {
      for (j, rhs) in ascending.enumerated() {
        #expect(CMTimeCompare(lhs, rhs) == (i < j ? -1 : (i == j ? 0 : 1)), "\(lhs) \(rhs)")
        #expect((lhs < rhs) == (i < j))
        #expect((lhs <= rhs) == (i <= j))
        #expect((lhs > rhs) == (i > j))
        #expect((lhs >= rhs) == (i >= j))
        #expect((lhs == rhs) == (i == j))
        #expect((lhs != rhs) == (i != j))
        #expect(CMTimeMinimum(lhs, rhs) == ascending[min(i, j)])
        #expect(CMTimeMaximum(lhs, rhs) == ascending[max(i, j)])
      }
    }
  }

  @Test func equalityIsOfMeaning() {
    #expect(time(1, 2) == time(2, 4))
    #expect(time(0, 600) == .zero)
    #expect(rounded(1, 2) == time(1, 2))
    #expect(time(1, 2) != time(1, 2, epoch: 1))
    #expect(CMTime(value: 5, timescale: 6, flags: [], epoch: 7) == .invalid)
    #expect(CMTime(value: 5, timescale: 6, flags: [.valid, .indefinite], epoch: 7) == .indefinite)
    #expect(Set([time(1, 2), time(2, 4), rounded(3, 6), time(1, 3)]).count == 2)
  }

  /// Doubles cannot tell these apart.
  @Test func neighboursDiffer() {
    #expect(time(.max, .max) > time(.max - 1, .max))
    #expect(time(.max, .max - 1) > time(.max, .max))
    #expect(time(.min, .max - 1) < time(.min, .max))
  }

  @Test func minimumAndMaximumOfEqualsAreTheFirst() {
    #expect(CMTimeMinimum(time(1, 2), time(2, 4)).timescale == 2)
    #expect(CMTimeMaximum(time(1, 2), time(2, 4)).timescale == 2)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func totalOrderOnAnyBits(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<5000 {
      let a = generator.anyTime()
      let b = generator.anyTime()
      let c = generator.anyTime()
      #expect(CMTimeCompare(a, a) == 0)
      #expect(CMTimeCompare(a, b) == -CMTimeCompare(b, a))
      #expect((a == b) == (CMTimeCompare(a, b) == 0))
      let relations = [a < b, a == b, a > b]
      #expect(relations.count { $0 } == 1)
      if a <= b, b <= c { #expect(a <= c) }
      if a == b, b == c { #expect(a == c) }
    }
  }

  @Test(arguments: [UInt64(4), 5])
  func equalTimesHashAlike(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<5000 {
      let any = generator.anyTime()
      let other = generator.anyTime()
      if any == other { #expect(any.hashValue == other.hashValue) }
      // The same number over another denominator, marked rounded.
      let factor = Int32.random(in: 1...1000, using: &generator)
      let number = time(
        Int64.random(in: -(1 << 50)...(1 << 50), using: &generator),
        Int32.random(in: 1...100_000, using: &generator),
        epoch: generator.value())
      let expanded = rounded(number.value * Int64(factor), number.timescale * factor, epoch: number.epoch)
      #expect(number == expanded)
      #expect(number.hashValue == expanded.hashValue)
      let range = CMTimeRange(start: number, duration: time(1, 2))
      let sameRange = CMTimeRange(start: expanded, duration: time(3, 6))
      #expect(range == sameRange && range.hashValue == sameRange.hashValue)
    }
  }

  @Test func sortingAnyBitsTerminatesInOrder() {
    var generator = RandomSource(seed: 6)
    let sorted = (0..<5000).map { _ in generator.anyTime() }.sorted()
    for (earlier, later) in zip(sorted, sorted.dropFirst()) {
      #expect(earlier <= later)
    }
  }
}
