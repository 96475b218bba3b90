import Glibc
import Transfer

extension TransferFailure {
  /// Returns a failure if the process or the system has no file descriptors left, or else nil. libcurl
  /// reports this shortage as a refused connection or an unknown host. Opens and closes a socket.
  static func shortage() -> TransferFailure? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let error = errno
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0 ? shortage(error) : nil
  }

  /// Returns the failure for an `errno` that reports a shortage of file descriptors; nil for any other
  /// `errno`.
  static func shortage(_ error: Int32) -> TransferFailure? {
    switch error {
    case EMFILE:
      TransferFailure(.noRoom, "this process has no file descriptors left (ulimit -n sets how many)")
    case ENFILE: TransferFailure(.noRoom, "the system has no file descriptors left")
    default: nil
    }
  }

  /// Returns the failure to report for a request with this reach. With `publicOnly`, all failures to connect
  /// have the same message, so that they do not reveal the host names and ports of a private network.
  func concealed(from reach: NetworkReach, host: String) -> TransferFailure {
    guard reach == .publicOnly else { return self }
    switch kind {
    case .hostNotFound, .hostUnresolved, .refused, .offline, .timedOut, .notReachable:
      return TransferFailure(kind, "\(host) is not reachable")
    default: return self
    }
  }

  /// Creates the failure for a CURLcode. `systemError` is the connection's `errno`, `detail` libcurl's TLS
  /// error text, which has neither path nor query. `isProxied`: whether the failed connection was to a proxy.
  init(curl result: Int32, host: String, isProxied: Bool, systemError: Int32, detail: String, hasHead: Bool) {
    let reason = detail.isEmpty ? "" : ": \(detail)"
    let peer = isProxied ? "the proxy for \(host)" : host
    switch result {
    case 3: self.init(.badURL, "the URL cannot be used")
    case 5: self.init(.hostUnresolved, "the proxy for \(host) was not found")
    // libcurl does not report whether the host does not exist or the name service failed.
    case 6: self.init(.hostUnresolved, "\(host) was not found")
    case 7 where [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(systemError):
      self.init(.offline, "there is no way to \(peer)")
    case 7 where systemError == ETIMEDOUT: self.init(.timedOut, "\(peer) does not accept the connection")
    case 7: self.init(.refused, "\(peer) refuses the connection")
    // 97: a SOCKS proxy failed, or could not reach the host.
    case 97: self.init(.refused, "the proxy for \(host) refuses the connection")
    // 1: unsupported protocol, here usually HTTP/0.9.
    case 1, 8: self.init(.badAnswer, "the answer of \(host) is no HTTP")
    // 27: out of memory, or a header line longer than libcurl's limit.
    case 27 where !hasHead: self.init(.badAnswer, "the head of the answer is too long")
    case 27: self.init(.noRoom, "there is no memory")
    case 28: self.init(.timedOut, "\(peer) does not accept the connection")
    case 51, 60: self.init(.certificate, "the certificate of \(host) is not valid\(reason)")
    case 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 90, 91, 98:
      self.init(.certificate, "no encrypted connection to \(host)\(reason)")
    case 35: self.init(.tls, "no encrypted connection to \(host)\(reason)")
    case 61: self.init(.badAnswer, "the answer of \(host) cannot be decoded")
    case 18, 52, 55, 56, 92: self.init(.lost, "the connection to \(host) was lost")
    default: self.init(.lost, "the connection to \(host) failed (libcurl error \(result))")
    }
  }
}
