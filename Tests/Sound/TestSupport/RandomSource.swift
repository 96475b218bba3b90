import Foundation
import SystemSupport

/// A seeded generator (SplitMix64): the same numbers on every machine, so that a failure can be repeated.
package struct RandomSource: RandomNumberGenerator {
  private var numbers: SplitMix64

  /// The numbers of this seed.
  package init(seed: UInt64) { numbers = SplitMix64(state: seed) }

  /// The next of them.
  package mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 up to, not including, `bound`.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// One of them. There must be one.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// So many bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
      while made < count {
        buffer.initializeElement(at: made, to: UInt8(truncatingIfNeeded: next()))
        made += 1
      }
    }
  }
}

/// How often a test with random input repeats.
package enum Rounds {
  private static let factor = ProcessInfo.processInfo.environment["CONTINUO_ROUNDS"].flatMap { Int($0) } ?? 1

  /// `usual`, or as many times that as CONTINUO_ROUNDS says: `CONTINUO_ROUNDS=100 swift test --filter WalkTests`.
  package static func count(_ usual: Int) -> Int { usual * max(1, factor) }

  /// Seeds from 1 on, as many as `count` says.
  package static func seeds(_ usual: Int) -> [UInt64] { (1...UInt64(count(usual))).map { $0 } }
}
