internal import ControlProtocol

/// Counts the characters in the ranges of a regular expression, such as `[а-я]` or `[\x{4E00}-\x{9FFF}]`.
/// Text outside of brackets that looks like a range counts too.
enum PatternRanges {
  static func size(in source: Argument) -> UInt32 {
    var scalars = String(decoding: source.bytes, as: UTF8.self).unicodeScalars[...]
    var size: UInt32 = 0
    // `last` is the previous character; `start` is the character before a `-` that was just read.
    var last: UInt32?
    var start: UInt32?
    while let scalar = scalars.popFirst() {
      switch scalar {
      // Brackets may contain blanks, see `(?xx)`.
      case " ", "\t": continue
      case "-":
        (start, last) = (last, UInt32(0x2D))
        continue
      case "\\":
        // Quotation marks (`\Q`, `\E`) are allowed next to the `-`.
        if scalars.first == "Q" || scalars.first == "E" {
          scalars.removeFirst()
          continue
        }
        last = escaped(&scalars)
      default: last = scalar.value
      }
      if let first = start, let last, last > first { size += min(last - first, 0x11_0000) }
      start = nil
    }
    return size
  }

  /// Returns the character after a backslash, given by its number or literally, or an upper bound; nil at the end.
  private static func escaped(_ rest: inout Substring.UnicodeScalarView) -> UInt32? {
    guard let letter = rest.popFirst() else { return nil }
    switch letter {
    case "x", "o", "N":
      guard rest.first == "{" else { return 0xFF }
      let digits = rest.dropFirst().prefix { $0 != "}" }.filter { $0 != " " && $0 != "\t" }
      rest = rest.dropFirst().drop { $0 != "}" }.dropFirst()
      let number = String(String.UnicodeScalarView(digits))
      // An unreadable number counts as the largest character.
      return UInt32(
        number.hasPrefix("U+") ? String(number.dropFirst(2)) : number, radix: letter == "o" ? 8 : 16)
        ?? 0x11_0000
    default: return letter.value
    }
  }
}
