/// The ASCII characters that have a meaning in the syntax of requests, filters, replies and paths.
enum Byte {
  static let newline: UInt8 = 0x0A
  static let blank: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let apostrophe: UInt8 = 0x27
  static let openingParenthesis: UInt8 = 0x28
  static let closingParenthesis: UInt8 = 0x29
  static let plus: UInt8 = 0x2B
  static let minus: UInt8 = 0x2D
  static let point: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let colon: UInt8 = 0x3A
  static let backslash: UInt8 = 0x5C
  static let underscore: UInt8 = 0x5F
}

extension UInt8 {
  /// Whether the byte separates words: as in mpd, every byte up to and including the blank.
  var separatesWords: Bool { self <= Byte.blank }

  var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }

  var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether the byte is allowed in a command's name, after the first letter.
  var isWordByte: Bool { isLowercaseLetter || (0x41...0x5A).contains(self) || isDigit || self == 0x5F }

  /// Whether the byte is allowed in an argument without quotes.
  var needsNoQuotes: Bool { self > Byte.blank && self != Byte.quote && self != Byte.apostrophe }

  /// The lowercase letter of an uppercase one; any other byte unchanged.
  var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
