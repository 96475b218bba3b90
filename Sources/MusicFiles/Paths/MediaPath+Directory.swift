import Glibc

extension MediaPath {
  /// Makes the directory, and those above it, for this user only. Nothing happens if something has its name already.
  package func makeDirectory() throws(FileBytes.Problem) {
    do {
      _ = try systemCall { mkdir($0, 0o700) }
    } catch .system(EEXIST) {
      // There already, or somebody else was as quick.
    } catch .system(ENOENT) where directory != self {
      try directory.makeDirectory()
      do {
        _ = try systemCall { mkdir($0, 0o700) }
      } catch .system(EEXIST) {}
    }
  }
}
