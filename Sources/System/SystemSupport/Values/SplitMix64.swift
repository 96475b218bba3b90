/// The SplitMix64 generator of Steele, Lea and Flood. Its state is one word, so a machine that has one stays a
/// small value, and a seed determines all its numbers. Suitable for shuffling and jitter, not for secrets.
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
