import CTestSupport
import Foundation
import PulseTestSupport
import SystemSupport
import TestSupport

/// A socket in front of another: passes everything on and counts the requests.
///
/// A thread for each direction of each connection; they end with the connections.
final class CountingProxy: Sendable {
  /// Where clients connect.
  let path: String
  /// The requests so far, in order, from all clients.
  let requests = Observed([String]())
  private let listener: Int32

  /// Listens at `path` for clients of the server at `target`.
  init(at path: String, to target: String) throws {
    self.path = path
    let listener = unixSocket()
    self.listener = listener
    guard UnixAddress.with(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
      close(listener)
      throw Failure("\(path): \(String(cString: strerror(errno)))")
    }
    let requests = self.requests
    Thread.detachNewThread {
      while true {
        let client = continuo_test_accept(listener)
        guard client >= 0 else { return }
        guard let server = try? connectedSocket(target) else {
          close(client)
          continue
        }
        let rest = Observed([UInt8]())
        Thread.detachNewThread {
          Self.pass(from: client, to: server) { bytes in
            rest.update { rest in
              rest += bytes
              let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
              rest = Array(lines.last ?? [])
              requests.update { $0 += lines.dropLast().map { String(decoding: $0, as: UTF8.self) } }
            }
          }
        }
        Thread.detachNewThread {
          Self.pass(from: server, to: client) { _ in }
          // The other thread has seen the end too, or sees it now.
          shutdown(client, Int32(SHUT_RDWR))
        }
      }
    }
  }

  /// Ends it for new clients.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func pass(from source: Int32, to target: Int32, _ body: ([UInt8]) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      body(Array(buffer[..<count]))
      var sent = 0
      while sent < count {
        let step = buffer[sent..<count].withUnsafeBytes {
          send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard step > 0 else { return }
        sent += step
      }
    }
    shutdown(target, Int32(SHUT_WR))
  }
}
