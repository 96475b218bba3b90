import ControlTestSupport
import Glibc
import TestSupport
import Testing

@testable import ControlProtocol

/// `CONTINUO_FUZZ_LINES` sets how many lines are made, `CONTINUO_FUZZ_SEED` with what. The default takes a second or
/// two in a debug build; ten million in a release build take minutes.
@Suite(.timeLimit(.minutes(10))) struct FuzzTests {
  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  @Test("No line traps; what is understood is printed and understood again")
  func lines() {
    let count = Self.number("CONTINUO_FUZZ_LINES") ?? 20_000
    let seed = Self.number("CONTINUO_FUZZ_SEED").map { UInt64($0) } ?? UInt64.random(in: 0...999_999)
    print("fuzzing \(count) lines, seed \(seed)")
    var generator = LineGenerator(seed: seed)
    var conversation = Conversation()
    var requests = 0
    var commands = 0
    for index in 0..<count {
      let line = generator.line()
      if let request = try? Request.parse(line: line[...]) {
        requests += 1
        var written: [UInt8] = []
        request.write(into: &written)
        let isSame = (try? Request.parse(line: written.dropLast())) == request
        if !isSame { Issue.record("seed \(seed), line \(index): \(line)") }
        if let command = try? Command(request) {
          commands += 1
          let again = try? Command(command.request())
          if again != command { Issue.record("seed \(seed), line \(index): \(line)") }
        }
      }
      converse(&conversation, line, &generator)
    }
    #expect(requests * 2 > count)
    #expect(commands * 8 > count)
  }

  /// The same line as a part of a connection's life.
  private func converse(_ conversation: inout Conversation, _ line: [UInt8], _ generator: inout LineGenerator)
  {
    if conversation.machine.phase == .closed { conversation = Conversation() }
    conversation.events.removeAll(keepingCapacity: true)
    conversation.receive(line)
    if generator.random.below(50) != 0 { conversation.receive([0x0A]) }
    if conversation.machine.isIdle || conversation.machine.isWatching {
      if generator.random.below(3) == 0 {
        conversation.notify(Subsystems(rawValue: UInt16(truncatingIfNeeded: generator.random.next())))
      }
      if generator.random.below(4) != 0 { conversation.receive("noidle\n") }
    }
    if generator.random.below(100) == 0 { conversation.endInput() }
    if !Self.isWellFormed(conversation.sent) { Issue.record("\(conversation.sent)") }
  }

  /// Whether it is whole lines of a reply, each with nothing that would upset a client.
  private static func isWellFormed(_ sent: String) -> Bool {
    let lines = sent.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.last?.isEmpty == true else { return false }
    return lines.dropLast().allSatisfy { line in
      let isKnown =
        line.elementsEqual("OK".utf8) || line.elementsEqual("list_OK".utf8) || line.starts(with: "ACK [".utf8)
        || line.starts(with: "changed: ".utf8) || line.starts(with: "command: ".utf8)
        || line.starts(with: "tagtype: ".utf8)
      return isKnown && line.count < ProtocolLimits.replyLine && line.allSatisfy { $0 >= 0x20 }
    }
  }
}
