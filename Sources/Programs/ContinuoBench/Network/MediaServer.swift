import Foundation
import Synchronization

/// An HTTP server on loopback for the benchmark. Serves one medium with byte ranges at a limited rate for
/// each connection, and can fall silent after a number of bytes. Each connection has a thread.
final class MediaServer: Sendable {
  private struct State {
    var requests = 0
    var bytesSent = 0
    var open: Set<Int32> = []
  }

  private static let piece = 4_096

  private let medium: [UInt8]?
  private let bytesPerSecond: Double?
  private let hangsAfter: Int?
  private let listener: Int32
  private let port: Int
  private let state = Mutex(State())

  /// Starts to serve on a free port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - medium: The response body for every URL; nil closes connections without a response.
  ///   - bytesPerSecond: The rate limit for each connection; nil sends as fast as the client reads.
  ///   - hangsAfter: The number of body bytes after which a connection falls silent; nil sends everything.
  init(_ medium: [UInt8]?, bytesPerSecond: Double? = nil, hangsAfter: Int? = nil) throws {
    self.medium = medium
    self.bytesPerSecond = bytesPerSecond
    self.hangsAfter = hangsAfter
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let listens = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard listens else { throw BenchError("no listening socket on 127.0.0.1") }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in accept() }
  }

  /// The URL of the medium.
  var url: String { "http://127.0.0.1:\(port)/song.mp3" }
  /// The number of requests so far.
  var requests: Int { state.withLock { $0.requests } }
  /// The number of body bytes passed to the system so far.
  var bytesSent: Int { state.withLock { $0.bytesSent } }

  /// Stops accepting connections, and shuts down the open ones.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    state.withLock { state in for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      state.withLock { _ = $0.open.insert(descriptor) }
      Thread.detachNewThread { [self] in
        serve(descriptor)
        state.withLock { state in
          state.open.remove(descriptor)
          close(descriptor)
        }
      }
    }
    close(listener)
  }

  private func serve(_ descriptor: Int32) {
    // A small send buffer keeps the number of bytes sent close to the number of bytes read.
    var room: Int32 = 4_096
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while head.count < 65_536, !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      head += buffer[..<count]
    }
    state.withLock { $0.requests += 1 }
    guard let medium else { return }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let range = lines.first { $0.lowercased().hasPrefix("range: bytes=") }
    let first = min(medium.count, range.flatMap { Int($0.dropFirst(13).prefix { $0 != "-" }) } ?? 0)
    let status =
      range == nil
      ? "200 OK" : "206 Partial Content\r\nContent-Range: bytes \(first)-\(medium.count - 1)/\(medium.count)"
    let answer =
      "HTTP/1.1 \(status)\r\nContent-Type: audio/mpeg\r\nAccept-Ranges: bytes\r\nETag: \"1\"\r\n"
      + "Content-Length: \(medium.count - first)\r\nConnection: close\r\n\r\n"
    guard send(Array(answer.utf8)[...], descriptor) else { return }
    let begin = monotonicSeconds()
    var place = first
    while place < medium.count {
      let end = min(medium.count, place + Self.piece)
      if let bytesPerSecond {
        let due = begin + Double(end - first) / bytesPerSecond
        usleep(useconds_t(max(0, due - monotonicSeconds()) * 1_000_000))
      }
      if let hangsAfter, end - first > hangsAfter {
        // Waits until the client or `stop` closes the connection.
        _ = recv(descriptor, &buffer, buffer.count, 0)
        return
      }
      guard send(medium[place..<end], descriptor) else { return }
      state.withLock { $0.bytesSent += end - place }
      place = end
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>, _ descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
