import ControlProtocol

/// A key with a meaning for `play` or `phone run`.
enum TerminalKey: String, CaseIterable {
  // The values of arrows are the last letters of their sequences.
  case space = " ", n, p, left = "D", right = "C", up = "A", down = "B", h, f, m, q, slower = "[", faster =
    "]",
    question = "?"

  static let help = [
    "space  pause, play    n, p  next, previous       left, right  5 s back, on",
    "m      mute           up, down  volume           h, f  home button, foreground",
    "q      quit           [, ]  slower, faster      ?     these keys",
  ]

  /// The command of the key; nil for `?`, which shows the list of keys.
  var command: PlayerCommand? {
    switch self {
    case .space: .toggle
    case .n: .next
    case .p: .previous
    case .left: .seek(.relative(.seconds(-5)))
    case .right: .seek(.relative(.seconds(5)))
    case .up: .volume(.relative(5))
    case .down: .volume(.relative(-5))
    case .h: .home
    case .f: .foreground
    case .m: .mute
    case .slower: .speed(.relative(-10))
    case .faster: .speed(.relative(10))
    case .q: .quit
    case .question: nil
    }
  }
}

/// Parses the bytes of a terminal into keys.
///
/// Arrows arrive as `ESC [ A` or, from terminals in application mode, as `ESC O A`. Modifiers add parameters
/// in between. A sequence may arrive in parts. Keys without a meaning are skipped. Unknown sequences of these two
/// forms are skipped as a whole, so that no part of them is taken for a key.
struct TerminalKeys {
  private enum State { case ground, escape, singleShift, control(length: Int) }
  private var state = State.ground

  /// The timeout for the rest of a sequence, in seconds, after which `timeOut` must be called. A person who
  /// presses Escape and then a key takes longer.
  static let timeout = 0.05

  /// The maximum number of bytes before a sequence's final byte: no sequence in use has more.
  private static let lengthLimit = 32

  /// Whether a sequence has begun, so that `timeOut` must be called if nothing follows.
  var isWaiting: Bool { if case .ground = state { false } else { true } }

  /// Ends a sequence that was not completed in time: the Escape key, or a lost rest.
  mutating func timeOut() { state = .ground }

  /// Parses bytes and returns the keys that they complete.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [TerminalKey] { bytes.compactMap { take($0) } }

  private mutating func take(_ byte: UInt8) -> TerminalKey? {
    if byte == 0x1B {
      state = .escape
      return nil
    }
    switch state {
    case .ground: return Self.key(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .control(length: 0)
      case UInt8(ascii: "O"): state = .singleShift
      default: state = .ground
      }
      return nil
    // A modifier may follow: ESC O 2 P is Shift-F1.
    case .singleShift where (0x30...0x3B).contains(byte):
      state = .control(length: 1)
      return nil
    case .singleShift:
      state = .ground
      return Self.arrow(byte)
    case .control(let length):
      // Parameter and intermediate bytes, 0x20…0x3F, precede the final byte, 0x40…0x7E (ECMA-48, 5.4).
      if (0x20...0x3F).contains(byte), length < Self.lengthLimit {
        state = .control(length: length + 1)
        return nil
      }
      // The Linux console's F1…F5 are ESC [ [ and a letter.
      if byte == UInt8(ascii: "["), length == 0 {
        state = .control(length: Self.lengthLimit)
        return nil
      }
      state = .ground
      return length < Self.lengthLimit ? Self.arrow(byte) : nil
    }
  }

  private static func key(_ byte: UInt8) -> TerminalKey? {
    TerminalKey(rawValue: String(Unicode.Scalar(byte)).lowercased())
  }

  private static func arrow(_ byte: UInt8) -> TerminalKey? {
    (0x41...0x44).contains(byte) ? TerminalKey(rawValue: String(Unicode.Scalar(byte))) : nil
  }
}
