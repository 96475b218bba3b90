import Glibc

/// The service manager that started this process, if it wants to be told of it (sd_notify(3)).
struct ServiceManager: Sendable {
  /// What it is told.
  enum Message: String, Sendable {
    /// The socket listens.
    case ready = "READY=1"
    /// The end has begun.
    case stopping = "STOPPING=1"
  }

  /// A datagram socket: a path, or an abstract name with `@` in front.
  private let address: [UInt8]

  /// That of `NOTIFY_SOCKET`; nil without one. The variable is removed: no child may speak in this process's name. To
  /// be called once, before other threads read the environment.
  init?() {
    guard let value = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return nil }
    unsetenv("NOTIFY_SOCKET")
    self.init(address: value)
  }

  /// That at `address`; nil if it cannot be one.
  init?(address: String) {
    var bytes = Array(address.utf8)
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
      bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@")
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    self.address = bytes
  }

  /// Tells it. Never waits, and nothing depends on it: a manager that does not listen is not told. Any thread.
  func tell(_ message: Message) {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    // An abstract name has exactly its bytes; a path ends with a zero, which is there.
    let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
    let text = Array(message.rawValue.utf8)
    withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
      }
    }
  }
}
