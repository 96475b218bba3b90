import Glibc

/// A directory that only its owner can enter, for a private server's files.
enum PrivateDirectory {
  /// Names that nothing has yet, the best first: under XDG_RUNTIME_DIR, and under /tmp for where that is not set or
  /// cannot be written.
  static func candidates() -> [String] {
    var parents = ["/tmp"]
    if let runtime = getenv("XDG_RUNTIME_DIR") { parents.insert(String(cString: runtime), at: 0) }
    // 62 bits: who guards a name may remove what has it.
    let name = "continuo-pulse-" + String(UInt64.random(in: 0..<1 << 62), radix: 36)
    // sun_path holds 108 bytes, with "/native" and the end.
    return parents.map { "\($0)/\(name)" }.filter { $0.utf8.count < 100 }
  }

  /// Makes the directory. Nothing may be there.
  static func make(_ path: String) throws(PrivatePulseServer.Failure) {
    guard mkdir(path, 0o700) == 0 else {
      throw PrivatePulseServer.Failure(
        message: "no directory for a private sound server: \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// Removes it with everything in it, two levels deep: PulseAudio makes no more.
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
        // unlink first: it follows no symbolic link. A directory refuses it.
        if unlink(child) != 0 { remove(child, depth: depth - 1) }
      }
    }
    rmdir(path)
  }
}
