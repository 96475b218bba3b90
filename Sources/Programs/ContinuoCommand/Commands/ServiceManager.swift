import Glibc

/// The service manager that started this process and requests notifications (sd_notify(3)).
struct ServiceManager: Sendable {
  enum Message: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
  }

  /// The address of a datagram socket: a path, or an abstract name with a leading zero.
  private let address: [UInt8]

  /// Uses the address in `NOTIFY_SOCKET`; nil without a valid one. Removes the variable, so that no child can
  /// notify in this process's name. Call once, before other threads read the environment.
  init?() {
    guard let value = ProcessEnvironment.value("NOTIFY_SOCKET") else { return nil }
    unsetenv("NOTIFY_SOCKET")
    self.init(address: value)
  }

  /// Uses an address, with `@` in front for an abstract name; nil if it is invalid.
  init?(address: String) {
    var bytes = Array(address.utf8)
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
      bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@")
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    self.address = bytes
  }

  /// Sends a notification. Never waits; ignores failures. Any thread.
  func tell(_ message: Message) {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    // The length of a path includes a terminating zero; the length of an abstract name does not.
    let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
    let text = Array(message.rawValue.utf8)
    withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
      }
    }
  }
}
