import ControlProtocol
import ControlServer
import ControlTestSupport
import TestSupport
import Testing

/// Clients that send anything, at both kinds of sockets: what the protocol's values make of it is tested with them, here
/// what becomes of the connections.
@Suite(.blocksThread, .timeLimit(.minutes(10)), .bothTransports)
struct FuzzTests {
  /// Commands that change what a connection is in, numbers at their limits, quotes, and what is nothing at all.
  private static let words = [
    "ping", "status", "idle", "noidle", "command_list_begin", "command_list_ok_begin", "command_list_end",
    "watch",
    "time", "events", "0.01", "stats", "password", "close", "kill", "binarylimit", "tagtypes", "clear", "all",
    "add",
    "play", "find", "((Title == 'x') AND", "\"", "\\", "'", "\"a b\"", "-1", "0", "4294967296", "1e400", "0:",
    ":",
    "subscribe", "sendmessage", "readmessages", "player", "\u{FEFF}", "ü", "",
  ]

  /// A few lines, some of them damaged.
  private static func lines(_ random: inout RandomSource) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<(1 + random.below(12)) {
      let line = (0..<(1 + random.below(5))).map { _ in random.pick(words) }.joined(separator: " ")
      bytes += Array(line.utf8)
      if random.below(20) == 0 {
        bytes += [UInt8](repeating: UInt8(random.below(256)), count: random.below(9000))
      }
      if random.below(4) == 0, !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(random.below(256))
      }
      bytes += random.below(6) == 0 ? Array("\r\n".utf8) : [0x0A]
    }
    return bytes
  }

  @Test(
    "Whatever comes, in whatever pieces, gets answers in the protocol's form or an end, and nobody else notices"
  )
  func anything() throws {
    let server = try TestServer()
    let witness = try server.client()
    for seed in UInt64(1)...300 {
      var random = RandomSource(seed: seed)
      let client = try server.client()
      var rest = Self.lines(&random)[...]
      while !rest.isEmpty {
        let count = 1 + random.below(rest.count)
        client.send(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      // One in four goes without a word, the others read to the end.
      if random.below(4) > 0 {
        client.finishSending()
        for line in try client.rest().split(separator: "\n") {
          let isAnswer = line == "OK" || line == "list_OK" || line.hasPrefix("ACK [") || line.contains(": ")
          #expect(isAnswer, "seed \(seed): \(line)")
        }
      }
      if seed % 10 == 0 { #expect(try witness.ask("ping") == ["OK"]) }
    }
    #expect(try witness.ask("ping") == ["OK"])
    #expect(server.handler.left.wait { $0.count == 300 })
  }
}
