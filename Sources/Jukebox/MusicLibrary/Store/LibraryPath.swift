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
  /// the byte after the slash. For the music directory, the bounds include all paths.
  static func range(below folder: [UInt8]) -> [DatabaseValue] {
    folder.isEmpty
      ? [.bytes([]), .bytes([0xFF, 0xFF, 0xFF, 0xFF])]
      : [.bytes(folder + [slash]), .bytes(folder + [slash + 1])]
  }
}
