import Glibc
import SystemSupport

/// A directory that only its owner can enter, for a private server's files.
enum PrivateDirectory {
  /// Returns paths with a random name in order of preference: in XDG_RUNTIME_DIR, then in /tmp. The latter is for
  /// systems on which XDG_RUNTIME_DIR is not set or not writable. Omits paths that are too long for a socket.
  static func candidates() -> [String] {
    var parents = ["/tmp"]
    if let runtime = getenv("XDG_RUNTIME_DIR") { parents.insert(String(cString: runtime), at: 0) }
    // A guardian may remove anything at its path, so 62 random bits make a collision practically impossible.
    let name = "continuo-pulse-" + String(UInt64.random(in: 0..<1 << 62), radix: 36)
    // sun_path holds 108 bytes, including "/native" and the terminating zero.
    return parents.map { "\($0)/\(name)" }.filter { $0.utf8.count < 100 }
  }

  static func make(_ path: String) throws(PrivatePulseServer.Failure) {
    guard mkdir(path, 0o700) == 0 else {
      throw PrivatePulseServer.Failure(
        message: "no directory for a private sound server: \(path): \(SystemError.message(errno))")
    }
  }

  /// Removes the directory with its files and up to two levels of subdirectories, which is all that PulseAudio
  /// creates.
  static func remove(_ path: String) { remove(path, depth: 3) }

  private static func remove(_ path: String, depth: Int) {
    if depth > 0, let directory = opendir(path) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let child = "\(path)/\(name)"
        // unlink comes first, because it does not follow symbolic links. It fails for directories.
        if unlink(child) != 0 { remove(child, depth: depth - 1) }
      }
    }
    rmdir(path)
  }
}
