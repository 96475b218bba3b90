package import SystemSupport

/// The cover picture in a folder of songs, under the names that programs and shops use.
package enum CoverFile {
  /// File names without their extensions, in order of preference.
  private static let stems = ["cover", "folder", "front", "album", "albumart"]
  private static let extensions = ["jpg", "jpeg", "png", "webp", "gif"]

  /// Returns the preferred picture in a folder, ignoring case; nil if there is none. Blocks on the disk.
  package static func find(in folder: MediaPath) throws(FileBytes.Problem) -> MediaPath? {
    let ranked = try FolderEntries.names(in: folder).compactMap { name in
      rank(name).map { (name: name, rank: $0) }
    }
    return ranked.min { $0.rank < $1.rank }.map { folder.appending($0.name) }
  }

  private static func rank(_ name: [UInt8]) -> Int? {
    let parts = String(decoding: name, as: UTF8.self).lowercased().split(separator: ".")
    guard parts.count == 2, let stem = stems.firstIndex(of: String(parts[0])),
      let format = extensions.firstIndex(of: String(parts[1]))
    else { return nil }
    return stem * extensions.count + format
  }
}
