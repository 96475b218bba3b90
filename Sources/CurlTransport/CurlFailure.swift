import Glibc
import Transfer

extension TransferFailure {
  /// The failure that libcurl's result stands for.
  ///
  /// - Parameters:
  ///   - result: the CURLcode.
  ///   - host: whom the request went to.
  ///   - systemError: the `errno` of the connection.
  ///   - detail: what libcurl says of TLS; it names neither path nor query.
  ///   - hasHead: whether an answer had begun.
  init(curl result: Int32, host: String, systemError: Int32, detail: String, hasHead: Bool) {
    let reason = detail.isEmpty ? "" : ": \(detail)"
    switch result {
    case 3: self.init(.badURL, "the URL cannot be used")
    case 5: self.init(.hostNotFound, "the proxy for \(host) was not found")
    case 6: self.init(.hostNotFound, "\(host) was not found")
    case 7 where [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(systemError):
      self.init(.offline, "there is no way to \(host)")
    case 7 where systemError == ETIMEDOUT: self.init(.timedOut, "\(host) takes no connection")
    case 7, 97: self.init(.refused, "\(host) refuses the connection")
    // 1: a scheme that is not supported, here always HTTP/0.9.
    case 1, 8: self.init(.badAnswer, "the answer of \(host) is no HTTP")
    // Also a line of the head that is longer than libcurl takes.
    case 27 where !hasHead: self.init(.badAnswer, "the head of the answer is too long")
    case 27: self.init(.noRoom, "there is no memory")
    case 28: self.init(.timedOut, "\(host) takes no connection")
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
