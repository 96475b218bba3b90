/// A file name in natural order: track 2 before track 10, and letters that differ only in case or, if Latin, accents
/// side by side. Names that are otherwise equal are ordered by their bytes: by leading zeros, accents and
/// case.
package struct NaturalOrder: Hashable, Comparable, Sendable {
  package let name: [UInt8]
  /// The sort key, which is compared by bytes.
  private let key: [UInt8]

  package init(_ name: [UInt8]) {
    self.name = name
    key = Self.key(of: name)
  }

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

  /// Appends the digit 0, the number of significant digits, then these digits. The digit 0 makes a number
  /// sort as a digit against other characters; the count sorts longer numbers after shorter ones. A count of
  /// 255 or more takes several bytes.
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

  /// Appends the scalar in lower case and, if it is Latin, without accents. Drops combining marks. The Unicode name of a letter
  /// contains its base letter (LATIN SMALL LETTER E WITH ACUTE); the standard library has no decomposition.
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
    // Accepts LETTER E WITH …, LETTER AE and LIGATURE OE, but not LETTER ETH or LETTER DOTLESS I.
    guard words.count > 3, words[3].utf8.count <= 2, words.count == 4 || words[4] == "WITH" else {
      return nil
    }
    return words[3].utf8.map { $0 | 0x20 }
  }
}
