import TestSupport

@testable import ControlProtocol

/// Filters, and how a client might write them.
struct FilterGenerator {
  var random: RandomSource

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
  }

  /// As a parser would make it: `all` has two parts or more.
  mutating func expression(depth: Int) -> FilterExpression {
    switch random.below(depth > 0 ? 8 : 6) {
    case 0, 1: .tag(random.below(3) == 0 ? nil : random.pick(TagType.allCases), test())
    case 2: .file(test())
    case 3: .base(value())
    case 4: .modifiedSince(Int64(random.below(1 << 40)))
    case 5: .audioFormat(mask())
    case 6: .not(expression(depth: depth - 1))
    default: .all((0..<2 + random.below(3)).map { _ in expression(depth: depth - 1) })
    }
  }

  private mutating func test() -> TextTest {
    switch random.below(5) {
    case 0...1: .equals(value())
    case 2...3: .contains(value())
    default: .matches(random.pick(["", "^a", "[ab]+c?", "(x|y)z$", "it's", "\\."]))
    }
  }

  /// Anything but NUL, which no request can carry.
  private mutating func value() -> Argument {
    Argument(random.bytes(random.below(12)).map { $0 == 0 ? 0x27 : $0 })
  }

  private mutating func mask() -> AudioFormatMask {
    let samples: [AudioFormatMask.Samples?] = [
      nil, .bits(8), .bits(16), .bits(24), .bits(32), .floatingPoint,
    ]
    return AudioFormatMask(
      rate: random.below(2) == 0 ? nil : 1 + random.below(200_000), samples: random.pick(samples),
      channels: random.below(2) == 0 ? nil : 1 + random.below(8))
  }

  /// With blanks and quotes as they come.
  mutating func text(of expression: FilterExpression) -> [UInt8] {
    switch expression {
    case .tag(let type, let test): condition(type?.rawValue ?? "any", test)
    case .file(let test): condition("file", test)
    case .base(let value): parenthesis("base", quoted(value))
    case .modifiedSince(let time): parenthesis("modified-since", quoted(Argument("\(time)")))
    case .audioFormat(let mask): parenthesis("AudioFormat =~", quoted(text(of: mask)))
    // Two ways to write the same.
    case .not(.tag(let type, let test)) where random.below(2) == 0:
      condition(type?.rawValue ?? "any", test, isNegated: true)
    case .not(let other): parenthesis("!", text(of: other))
    case .all(let parts):
      parenthesis(
        "", Array(parts.map { text(of: $0) }.joined(separator: blanks() + Array("AND".utf8) + blanks())))
    }
  }

  private mutating func condition(_ name: String, _ test: TextTest, isNegated: Bool = false) -> [UInt8] {
    switch test {
    case .equals(let value): parenthesis(name + (isNegated ? " !=" : "=="), quoted(value))
    case .contains(let value): parenthesis(name + (isNegated ? " !contains " : " contains "), quoted(value))
    case .matches(let value): parenthesis(name + (isNegated ? " !~" : "=~"), quoted(value))
    }
  }

  private mutating func parenthesis(_ beginning: String, _ end: [UInt8]) -> [UInt8] {
    Array("(".utf8) + blanks() + Array(beginning.utf8) + blanks() + end + blanks() + Array(")".utf8)
  }

  private mutating func blanks() -> [UInt8] {
    Array(repeating: 0x20, count: random.below(3))
  }

  private func text(of mask: AudioFormatMask) -> Argument {
    let samples =
      switch mask.samples {
      case nil: "*"
      case .bits(let bits): "\(bits)"
      case .floatingPoint: "f"
      case .dsd: "dsd"
      }
    return Argument(
      "\(mask.rate.map(String.init) ?? "*"):\(samples):\(mask.channels.map(String.init) ?? "*")")
  }

  private mutating func quoted(_ value: Argument) -> [UInt8] {
    let quote: UInt8 = random.below(2) == 0 ? 0x22 : 0x27
    return [quote] + value.bytes.flatMap { $0 == quote || $0 == 0x5C ? [0x5C, $0] : [$0] } + [quote]
  }
}

extension FilterExpression {
  var isWithinLimits: Bool { conditionCount <= ProtocolLimits.filterConditions }

  private var conditionCount: Int {
    switch self {
    case .not(let other): other.conditionCount
    case .all(let parts): parts.reduce(0) { $0 + $1.conditionCount }
    default: 1
    }
  }
}
