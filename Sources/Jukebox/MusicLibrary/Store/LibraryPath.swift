/// Paths relative to the music directory, which has the empty path; single slashes between names.
enum LibraryPath {
  private static let slash = UInt8(ascii: "/")

  static func folder(of path: [UInt8]) -> [UInt8] {
    path.lastIndex(of: slash).map { Array(path[..<$0]) } ?? []
  }

  static func name(of path: [UInt8]) -> ArraySlice<UInt8> {
    path.lastIndex(of: slash).map { path[($0 + 1)...] } ?? path[...]
  }

  static func path(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
    folder.isEmpty ? name : folder + [slash] + name
  }

  /// Returns the bounds of all paths below a folder: the folder with a slash, and, exclusive, the folder with
  /// the byte after the slash.
  static func range(below folder: [UInt8]) -> [DatabaseValue] {
    folder.isEmpty
      ? [.bytes([]), .bytes([0xFF, 0xFF, 0xFF, 0xFF])]
      : [.bytes(folder + [slash]), .bytes(folder + [slash + 1])]
  }
}

enum LibraryText {
  /// Returns the number at the start of a text, as C's `strtol` reads it; 0 without one.
  static func number(_ text: [UInt8]) -> Int {
    let text = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let isNegative = text.first == UInt8(ascii: "-")
    var number = 0
    for byte in text.dropFirst(isNegative || text.first == UInt8(ascii: "+") ? 1 : 0) {
      guard (0x30...0x39).contains(byte), number < 1 << 50 else { break }
      number = number * 10 + Int(byte - 0x30)
    }
    return isNegative ? -number : number
  }
}
