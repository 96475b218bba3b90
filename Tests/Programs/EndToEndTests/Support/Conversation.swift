import Clocks
import Foundation
import PulseTestSupport
import TestSupport

/// A client of the control socket that reads lines as they come.
final class Conversation: Sendable {
  private let descriptor: Int32
  private let lines = Observed<[String]>([])
  private let reader: DescriptorReader

  /// A client of the server's own user.
  convenience init(_ path: String) throws { self.init(descriptor: try connectedSocket(path)) }

  /// A client from the network.
  convenience init(port: Int) throws {
    let socket = try LoopbackSocket.connected(to: port)
    // A copy that a program of another test inherits would keep the connection open after its end here.
    let copy = withExtendedLifetime(socket) { fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3) }
    self.init(descriptor: copy)
  }

  private init(descriptor: Int32) {
    self.descriptor = descriptor
    reader = DescriptorReader(linesOf: descriptor) { [lines] line in lines.update { $0.append(line) } }
  }

  /// Every line so far, the greeting first.
  var received: [String] { lines.value }

  /// Sends a line.
  func send(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Waits until a line from `start` on fits, and returns the lines up to it.
  func lines(
    from start: Int, until what: String, limit: Double = 120,
    _ condition: @escaping @Sendable (String) -> Bool
  ) async throws -> [String] {
    let all = try await lines.wait(for: what, limit: limit) { $0.dropFirst(start).contains(where: condition) }
    guard let end = all.indices.dropFirst(start).first(where: { condition(all[$0]) }) else {
      throw Failure(what)
    }
    return Array(all[start...end])
  }

  /// Sends a command and returns the lines of its answer, the `OK` or `ACK` last.
  func ask(_ command: String, limit: Double = 120) async throws -> [String] {
    let start = max(1, received.count)
    send(command)
    return try await lines(from: start, until: "the answer to \(command)", limit: limit) {
      $0 == "OK" || $0.hasPrefix("ACK ")
    }
  }

  /// Seconds until the answer to a command came. Of several: the shortest time.
  func time(of command: String, repeats: Int = 1) async throws -> Double {
    var best = Double.infinity
    for _ in 0..<repeats {
      let begin = SystemClock.shared.now
      let answer = try await ask(command)
      best = min(best, SystemClock.shared.now.seconds(since: begin))
      guard answer.last == "OK" else { throw Failure("\(command): \(answer)") }
    }
    return best
  }

  /// The value of a field in the answer to a command.
  func field(_ name: String, of command: String) async throws -> String? {
    try await ask(command).first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
  }

  /// Seconds of the current song that were heard.
  func elapsed() async throws -> Double { Double(try await field("elapsed", of: "status") ?? "") ?? -1 }

  /// Asks until more of the current song was heard than that.
  func passes(_ seconds: Double, limit: Double = 120) async throws {
    let end = Date().addingTimeInterval(limit)
    while try await elapsed() <= seconds {
      guard Date() < end else { throw Failure("the song stands at \(seconds) s") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Asks until the answer to a command has this line. For what comes by itself and raises no event.
  func comes(_ line: String, in command: String, limit: Double = 120) async throws {
    let end = Date().addingTimeInterval(limit)
    while try await !ask(command).contains(line) {
      guard Date() < end else { throw Failure("\(command) did not answer \(line) within \(limit) s") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func finish() { reader.finish() }
}
