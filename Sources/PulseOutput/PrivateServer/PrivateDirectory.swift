import Glibc

/// A directory that only its owner can enter, for a private server's files.
enum PrivateDirectory {
  /// Makes one under XDG_RUNTIME_DIR, or under /tmp where that is not set or cannot be written.
  static func make() throws(PrivatePulseServer.Failure) -> String {
    var parents = ["/tmp"]
    if let runtime = getenv("XDG_RUNTIME_DIR") { parents.insert(String(cString: runtime), at: 0) }
    var code: Int32 = 0
    for parent in parents {
      var template = Array("\(parent)/continuo-pulse-XXXXXX".utf8CString)
      // sun_path holds 108 bytes, with "/native" and the end.
      guard template.count <= 100 else { continue }
      let made = template.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
      }
      if let made { return made }
      code = errno
    }
    throw PrivatePulseServer.Failure(
      message: "no directory for a private sound server: \(String(cString: strerror(code)))")
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
