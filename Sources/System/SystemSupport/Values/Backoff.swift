/// The delays in seconds between attempts that fail in a row: a first delay, then delays that double up to a
/// limit.
package struct Backoff: Sendable {
  private let first, second, longest, jitter: Double
  private var random: SplitMix64
  /// The number of failures since the creation or the last reset.
  package private(set) var failures = 0

  /// Creates a back-off without failures. `second`, by default twice `first`, is the delay after the second
  /// failure; it doubles with each further one, up to `longest`. A random number from `seed` changes each
  /// delay by at most the fraction `jitter` (0…1).
  package init(first: Double, second: Double? = nil, longest: Double, jitter: Double = 0, seed: UInt64 = 0) {
    (self.first, self.second, self.longest, self.jitter) = (first, second ?? first * 2, longest, jitter)
    random = SplitMix64(state: seed)
  }

  /// Returns the delay, without jitter, after `failures` failures in a row. `failures` must be at least 1.
  package func delay(after failures: Int) -> Double {
    failures == 1 ? first : min(longest, Double(sign: .plus, exponent: failures - 2, significand: second))
  }

  /// Records a failure, and returns the delay before the next attempt.
  package mutating func fail() -> Double {
    failures += 1
    let delay = delay(after: failures)
    return jitter == 0 ? delay : delay * (1 - jitter + 2 * jitter * random.nextFraction())
  }

  package mutating func reset() { failures = 0 }
}

/// The SplitMix64 generator of Steele, Lea and Flood. Its state is one word, so a value that contains a
/// generator stays small, and a seed determines all its numbers. Suitable for shuffling and jitter, not for
/// secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Returns a number in 0..<1, with 53 random bits.
  package mutating func nextFraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
