import TestSupport
import Testing

@testable import MediaTime

/// Laws that hold for all inputs, on seeded random ones. Sums and products are checked against exact 128-bit
/// fractions.
@Suite struct PropertyTests {
  static let seeds: [UInt64] = [101, 102, 103]
  private static let rounds = 4000

  @Test(arguments: seeds)
  func exactAdditionIsAssociativeAndCommutative(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let a = generator.smallNumber()
      let b = generator.smallNumber()
      let c = generator.smallNumber()
      #expect(Fields(a + b) == Fields(b + a))
      #expect(Fields((a + b) + c) == Fields(a + (b + c)))
      #expect(!((a + b) + c).hasBeenRounded)
      #expect((a + b) - b == a && (a - b) + b == a)
      #expect(a - b == CMTimeMultiply(b - a, multiplier: -1))
      #expect(a + .zero == a && a - a == .zero)
      #expect((a < b) == (a + c < b + c))
    }
  }

  /// Whatever the operands, an unmarked sum is exact and a marked one is off by at most half a unit of its
  /// timescale.
  @Test(arguments: seeds)
  func sumsAreExactOrMarked(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let a = generator.number()
      let b = generator.number()
      #expect(Fields(a + b) == Fields(b + a))
      let left = Int128(a.value) * Int128(b.timescale)
      let right = Int128(b.value) * Int128(a.timescale)
      let denominator = Int128(a.timescale) * Int128(b.timescale)
      expect(a + b, nearly: left + right, over: denominator)
      expect(a - b, nearly: left - right, over: denominator)
      if !(a + b).hasBeenRounded, (a + b).isNumeric {
        #expect((a + b) - b == a || ((a + b) - b).hasBeenRounded)
      }
    }
  }

  @Test(arguments: seeds)
  func productsAreExactOrMarked(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let a = generator.number()
      let factor = Int32(truncatingIfNeeded: generator.value())
      expect(
        CMTimeMultiply(a, multiplier: factor), nearly: Int128(a.value) * Int128(factor),
        over: Int128(a.timescale))
      let divisor = Int32(truncatingIfNeeded: generator.value())
      guard divisor != 0 else { continue }
      let sign: Int128 = divisor < 0 ? -1 : 1
      let ratio = CMTimeMultiplyByRatio(a, multiplier: factor, divisor: divisor)
      expect(
        ratio, nearly: sign * Int128(a.value) * Int128(factor),
        over: Int128(a.timescale) * Int128(divisor.magnitude))
      // Timescale kept or a multiple of it, if it was left exact and small enough.
      let multiple = Int64(a.timescale) * Int64(divisor.magnitude)
      if multiple <= Int64(Int32.max), abs(Int128(a.value) * Int128(factor)) <= Int128(Int64.max) {
        #expect(!ratio.hasBeenRounded && ratio.timescale % a.timescale == 0)
      }
    }
  }

  /// Checks a result against `numerator / denominator`: infinite only past the range, exact if unmarked, else
  /// off by at most half a unit.
  private func expect(
    _ result: CMTime, nearly numerator: Int128, over denominator: Int128,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard result.isNumeric else {
      let limit = (Int128(Int64.max) * 2 + 1) * (denominator / 2)
      #expect(
        numerator < 0
          ? result == .negativeInfinity && numerator <= -limit
          : result == .positiveInfinity && numerator >= limit,
        sourceLocation: sourceLocation)
      return
    }
    let error = (Int128(result.value) * denominator - numerator * Int128(result.timescale)).magnitude
    if result.hasBeenRounded {
      #expect(error != 0 && error <= denominator.magnitude / 2, sourceLocation: sourceLocation)
    } else {
      #expect(error == 0, sourceLocation: sourceLocation)
    }
  }

  /// With dyadic multipliers of few bits the product is a small fraction.
  @Test(arguments: seeds)
  func floatProductsAreExactOrMarked(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let a = generator.smallNumber()
      let mantissa = Int32.random(in: -100_000...100_000, using: &generator)
      let exponent = Int.random(in: 0...24, using: &generator)
      let multiplier = Double(sign: .plus, exponent: -exponent, significand: Double(mantissa))
      let product = CMTimeMultiplyByFloat64(a, multiplier: multiplier)
      #expect(product.timescale >= 65_536 && product.timescale % a.timescale == 0)
      expect(
        product, nearly: Int128(a.value) * Int128(mantissa), over: Int128(a.timescale) << Int128(exponent))
    }
  }

  @Test(arguments: seeds)
  func conversionFollowsItsMethod(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let source = generator.number()
      let scale = generator.positiveTimescale()
      let denominator = Int128(source.timescale)
      let numerator = Int128(source.value) * Int128(scale)
      let floor = numerator / denominator - (numerator % denominator < 0 ? 1 : 0)
      let isExact = numerator % denominator == 0
      let ceiling = isExact ? floor : floor + 1
      let towardZero = numerator < 0 ? ceiling : floor
      let awayFromZero = numerator < 0 ? floor : ceiling
      let twiceFraction = (numerator - floor * denominator) * 2
      let nearest =
        twiceFraction == denominator ? awayFromZero : (twiceFraction < denominator ? floor : ceiling)
      var quickTime = scale < source.timescale ? towardZero : awayFromZero
      if quickTime == 0, source.value < 0 { quickTime = -1 }
      let expected = [nearest, towardZero, awayFromZero, quickTime, ceiling, floor]
      for (method, value) in zip(allMethods, expected) {
        let converted = source.convertScale(scale, method: method)
        if let value = Int64(exactly: value) {
          #expect(
            Fields(converted) == Fields(isExact ? time(value, scale) : rounded(value, scale)), "\(method)")
        } else {
          #expect(Fields(converted) == Fields(value < 0 ? .negativeInfinity : .positiveInfinity))
        }
      }
    }
  }

  @Test(arguments: seeds)
  func conversionToAMultipleAndBackIsExact(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<Self.rounds {
      let source = time(
        Int64.random(in: -two62...two62, using: &generator) >> 20,
        Int32.random(in: 1...100_000, using: &generator))
      let multiple = source.timescale * Int32.random(in: 1...20_000, using: &generator)
      let method = allMethods.randomElement(using: &generator) ?? .default
      let there = source.convertScale(multiple, method: method)
      #expect(there == source && !there.hasBeenRounded)
      #expect(Fields(there.convertScale(source.timescale, method: method)) == Fields(source))
    }
  }

  /// Every fraction of a small numerator and denominator, under every small pair of limits, against trying
  /// all candidates.
  @Test func bestApproximationIsTheBest() {
    for denominator: UInt128 in 1...24 {
      for numerator: UInt128 in 0...60 {
        let (whole, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        let fraction = MixedFraction(
          whole: whole, remainder: remainder, denominator: denominator, isNegative: false)
        for (numeratorLimit, denominatorLimit): (UInt128, UInt128) in [
          (9, 7), (60, 5), (5, 23), (1, 9), (30, 1),
        ]
        where fraction.rounds(within: numeratorLimit) {
          let best = fraction.bestApproximation(
            numeratorLimit: numeratorLimit, denominatorLimit: denominatorLimit)
          #expect((1...denominatorLimit).contains(best.denominator) && best.numerator <= numeratorLimit)
          // |n/d − h/k| in units of 1/(d·k), compared across denominators by multiplying out.
          func error(_ h: UInt128, _ k: UInt128) -> UInt128 {
            numerator * k > h * denominator
              ? numerator * k - h * denominator : h * denominator - numerator * k
          }
          let bestError = error(best.numerator, best.denominator)
          for k in 1...denominatorLimit {
            for h in 0...numeratorLimit {
              #expect(bestError * k <= error(h, k) * best.denominator)
            }
          }
        }
      }
    }
  }

  /// Two neighbours at one distance: away from zero, as all rounding that is not asked for.
  @Test func bestApproximationOfAHalfIsTheLarger() {
    for whole: UInt128 in 0...4 {
      let half = MixedFraction(whole: whole, remainder: 1, denominator: 2, isNegative: false)
      let best = half.bestApproximation(numeratorLimit: 9, denominatorLimit: 1)
      #expect(best == (whole + 1, 1))
    }
    // 5/12 is in the middle of 1/3 and 1/2.
    let middle = MixedFraction(whole: 0, remainder: 5, denominator: 12, isNegative: false)
    #expect(middle.bestApproximation(numeratorLimit: 9, denominatorLimit: 3) == (1, 2))
  }
}
