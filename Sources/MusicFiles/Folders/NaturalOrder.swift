/// A file's name, ordered as a person would: track 2 before track 10, and small and capital letters, and letters with
/// and without accents, side by side.
///
/// The order is total: names that read the same are ordered by their numbers' leading zeros, accents and case, that
/// is, by their bytes.
package struct NaturalOrder: Hashable, Comparable, Sendable {
  /// The name that is ordered.
  package let name: [UInt8]
  /// Bytes whose plain order is the order of names.
  private let key: [UInt8]

  /// The order of this name.
  package init(_ name: [UInt8]) {
    self.name = name
    key = Self.key(of: name)
  }

  init(_ name: String) { self.init(Array(name.utf8)) }

  /// Whether a person would put it first.
  package static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
    if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
    return left.name.lexicographicallyPrecedes(right.name)
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private static func key(of name: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(name.count + 8)
    var index = 0
    while index < name.count {
      let start = index
      if digits.contains(name[index]) {
        while index < name.count, digits.contains(name[index]) { index += 1 }
        appendNumber(name[start..<index], to: &key)
      } else if name[index] < 0x80 {
        key.append(name[index] | ((0x41...0x5A).contains(name[index]) ? 0x20 : 0))
        index += 1
      } else {
        while index < name.count, name[index] >= 0x80 { index += 1 }
        for scalar in String(decoding: name[start..<index], as: UTF8.self).unicodeScalars {
          appendFolded(scalar, to: &key)
        }
      }
    }
    return key
  }

  /// A zero digit, so that a number stands where digits do, then how long it is without leading zeros, then its
  /// digits: a longer number is a larger one. A length from 255 on takes several bytes.
  private static func appendNumber(_ number: ArraySlice<UInt8>, to key: inout [UInt8]) {
    let significant = number.drop { $0 == digits.lowerBound }
    key.append(digits.lowerBound)
    var length = significant.count
    while length >= 255 {
      key.append(255)
      length -= 255
    }
    key.append(UInt8(length))
    key += significant
  }

  /// The scalar in lower case and without accents. For the Latin letters the Unicode name says which letter it is
  /// (LATIN SMALL LETTER E WITH ACUTE); the standard library has no decomposition to ask.
  private static func appendFolded(_ scalar: Unicode.Scalar, to key: inout [UInt8]) {
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      if lower.properties.generalCategory == .nonspacingMark { continue }
      if let letters = latinLetters(lower) {
        key += letters
      } else {
        key += UTF8.encode(lower).map(Array.init) ?? []
      }
    }
  }

  private static func latinLetters(_ scalar: Unicode.Scalar) -> [UInt8]? {
    if scalar == "ß" { return Array("ss".utf8) }
    guard let name = scalar.properties.name, name.hasPrefix("LATIN SMALL L") else { return nil }
    let words = name.split(separator: " ")
    // LETTER E WITH …, LETTER AE, LIGATURE OE; not LETTER ETH, LETTER DOTLESS I.
    guard words.count > 3, words[3].utf8.count <= 2, words.count == 4 || words[4] == "WITH" else {
      return nil
    }
    return words[3].utf8.map { $0 | 0x20 }
  }
}
