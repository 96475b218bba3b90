import Glibc
package import SystemSupport

extension MediaPath {
  /// Creates the directory, and missing ones above it, with mode 0700. Does nothing if the name exists
  /// already.
  package func makeDirectory() throws(FileBytes.Problem) {
    do {
      _ = try systemCall { mkdir($0, 0o700) }
    } catch .system(EEXIST) {
      // The directory exists already, or another process has just created it.
    } catch .system(ENOENT) where directory != self {
      try directory.makeDirectory()
      do {
        _ = try systemCall { mkdir($0, 0o700) }
      } catch .system(EEXIST) {}
    }
  }
}
