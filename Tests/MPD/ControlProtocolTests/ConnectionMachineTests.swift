import ControlTestSupport
import TestSupport
import Testing

@testable import ControlProtocol

@Suite struct ConnectionMachineTests {
  @Test("The greeting comes first")
  func greeting() {
    var machine = ConnectionMachine()
    #expect(machine.next() == .send(Array("OK MPD 0.23.5\n".utf8)))
    #expect(machine.next() == nil)
    #expect(machine.wantsInput && machine.mayTimeOut && machine.phase != .closed)
  }

  @Test(
    "What a real mpd answers, and whether it goes on",
    arguments: [
      ("ping\nping\n", "OK\nOK\n", true), ("ping\r\n", "OK\n", true), ("ping", "", true),
      ("status\nPing\nping\n", "OK\n", false), ("\n", "", false), (" ping\n", "", false),
      ("close x\nping\n", "", false),
      ("ping\np-ing\nping\n", "OK\nACK [5@0] {} Invalid word character\n", false),
      ("GET / HTTP/1.1\r\nHost: x\r\n", "", false),
      ("command_list_ok_begin\nping\nping\ncommand_list_end\nping\n", "list_OK\nlist_OK\nOK\nOK\n", true),
      (
        "command_list_begin\nping\nfoo\nping\ncommand_list_end\n", "ACK [5@1] {} unknown command \"foo\"\n",
        true
      ),
      (
        "command_list_ok_begin\nping\nplay x\nping\ncommand_list_end\nping\n",
        "list_OK\nACK [2@1] {play} Integer expected: x\nOK\n", true
      ),
      (
        "command_list_ok_begin\nping\nplay \"x\ncommand_list_end\n",
        "list_OK\nACK [5@1] {} Missing closing '\"'\n",
        true
      ),
      (
        "command_list_ok_begin\nping\npi-ng\ncommand_list_end\nping\n",
        "list_OK\nACK [5@1] {} Invalid word character\n", false
      ),
      ("command_list_ok_begin\nping\n1ing\n", "", false), ("command_list_ok_begin\nping\n\n", "", false),
      ("command_list_ok_begin\nping\nnoidle\nping\ncommand_list_end\n", "list_OK\nlist_OK\nOK\n", true),
      ("command_list_ok_begin\nping\nclose\nping\ncommand_list_end\n", "list_OK\n", false),
      ("command_list_ok_begin\nping\ncommand_list_end x\n", "", true),
      (
        "command_list_ok_begin\nping\ncommand_list_begin\ncommand_list_end\n",
        "list_OK\nACK [5@1] {} unknown command \"command_list_begin\"\n", true
      ),
      ("command_list_ok_begin \nping\ncommand_list_end\r\n", "list_OK\nOK\n", true),
      ("command_list_begin\ncommand_list_end\n", "OK\n", true),
      ("command_list_end\n", "ACK [5@0] {} unknown command \"command_list_end\"\n", true),
      ("noidle\nnoidle\n", "", true), ("noidle\nping\n", "OK\n", true),
      ("noidle x\n", "ACK [5@0] {} unknown command \"noidle\"\n", true),
      ("idle\nnoidle\n", "OK\n", true), ("idle\nnoidle \r\nping\n", "OK\nOK\n", true),
      ("idle PLAYER\nnoidle\n", "OK\n", true), ("idle\n", "", true), ("idle\nping\n", "", false),
      ("idle\nidle\n", "", false), ("idle\nnoidle x\n", "", false), ("idle\n noidle\n", "", false),
      ("idle foo\nping\n", "ACK [2@0] {idle} Unrecognized idle event: foo\nOK\n", true),
      ("notcommands\n", "OK\n", true), ("password x\n", "ACK [3@0] {password} incorrect password\n", true),
      ("tagtypes clear\ntagtypes enable title\ntagtypes\n", "OK\nOK\ntagtype: Title\nOK\n", true),
    ] as [(String, String, Bool)])
  func conversations(_ input: String, _ reply: String, _ isOpen: Bool) {
    let (text, remainsOpen) = Conversation.reply(to: input)
    #expect(text == reply)
    #expect(remainsOpen == isOpen)
  }

  @Test(
    "idle and watch within a list close, after the answers before them", arguments: ["idle", "watch events"])
  func waitingInList(_ command: String) {
    let reply = Conversation.reply(to: "command_list_ok_begin\nping\n\(command)\nping\ncommand_list_end\n")
    #expect(reply.text == "list_OK\n")
    #expect(!reply.isOpen)
  }

  @Test("Events while idle, before it and across it")
  func idle() {
    var conversation = Conversation()
    conversation.receive("idle\n")
    #expect(conversation.machine.isIdle && !conversation.machine.mayTimeOut)
    conversation.notify([.mixer, .player])
    #expect(conversation.sent == "changed: player\nchanged: mixer\nOK\n")
    // The noidle that crossed with the answer gets none.
    conversation.receive("noidle\nping\n")
    #expect(conversation.sent == "changed: player\nchanged: mixer\nOK\nOK\n")
    conversation.notify(.output)
    conversation.receive("idle output\n")
    #expect(conversation.sent.hasSuffix("OK\nchanged: output\nOK\n"))
    #expect(conversation.machine.isIdle == false)
    conversation.notify(.application)
    conversation.receive("idle\nnoidle\n")
    #expect(conversation.sent.hasSuffix("changed: output\nOK\nOK\n"))
  }

  @Test("A command's answer comes before the next command is begun")
  func oneAtATime() {
    var machine = ConnectionMachine()
    _ = machine.next()
    machine.append("status\nidle\nnoidle\ncurrentsong\n".utf8)
    #expect(machine.next() == .perform(.playback(.status), .init()))
    #expect(machine.next() == nil)
    #expect(machine.isPerforming && !machine.mayTimeOut)
    machine.notify(.player)
    #expect(machine.next() == nil)
    machine.complete(.success(Reply(["state": "play"])))
    #expect(machine.next() == .send(Array("state: play\nOK\n".utf8)))
    // What happened meanwhile answers the idle.
    #expect(machine.next() == .send(Array("changed: player\nOK\n".utf8)))
    #expect(machine.next() == .perform(.playback(.currentsong), .init()))
    machine.complete(.failure(.noSuchSong))
    #expect(machine.next() == .send(Array("ACK [50@0] {currentsong} No such song\n".utf8)))
    machine.complete(.success(Reply(["too": "late"])))
    #expect(machine.next() == nil)
    #expect(machine.linesTaken == 4)
  }

  @Test("A list stops at the command that fails, with its place")
  func failureInList() {
    var conversation = Conversation { command in
      command == .transport(.next) ? .failure(.noSuchSong) : .success(Reply(["a": "b"]))
    }
    conversation.receive("command_list_ok_begin\nstatus\nping\nnext\nstop\ncommand_list_end\nstop\n")
    #expect(conversation.sent == "a: b\nlist_OK\nlist_OK\nACK [50@2] {next} No such song\na: b\nOK\n")
    let performed = conversation.events.filter { if case .performed = $0 { true } else { false } }
    #expect(
      performed == [
        .performed(.playback(.status)), .performed(.transport(.next)), .performed(.transport(.stop)),
      ])
  }

  @Test("What a client has asked for goes with its commands")
  func context() {
    var machine = ConnectionMachine()
    machine.append("tagtypes clear\nbinarylimit 100\ncurrentsong\n".utf8)
    var contexts: [ConnectionMachine.Context] = []
    while let action = machine.next() {
      if case .perform(_, let context) = action { contexts.append(context) }
    }
    #expect(contexts.map(\.tags) == [[]])
    #expect(contexts.map(\.binaryLimit) == [100])
  }

  @Test("A watch lasts until noidle; anything else closes")
  func watch() {
    var conversation = Conversation()
    conversation.receive("watch time 0.01 events\n")
    let request = WatchRequest(interval: WatchInterval("0.01"), events: true)
    #expect(conversation.events == [.watchBegan(request)])
    #expect(conversation.machine.isWatching && !conversation.machine.mayTimeOut)
    conversation.notify(.player)
    #expect(conversation.events.count == 1)
    conversation.receive("noidle\nidle\n")
    #expect(
      conversation.events == [.watchBegan(request), .watchEnded, .sent("OK\nchanged: player\nOK\n")])
    conversation.receive("watch\nping\n")
    #expect(conversation.events.suffix(2) == [.watchBegan(WatchRequest(events: true)), .closed])
  }

  @Test("After a half-close everything is answered, then the connection ends")
  func halfClose() {
    var conversation = Conversation()
    conversation.receive("ping\nstatus\nstat")
    conversation.endInput()
    #expect(conversation.events == [.sent("OK\n"), .performed(.playback(.status)), .sent("OK\n"), .closed])
    #expect(conversation.machine.wantsInput == false)

    var slow = ConnectionMachine()
    _ = slow.next()
    slow.append("status\nping\n".utf8)
    #expect(slow.next() == .perform(.playback(.status), .init()))
    slow.endInput()
    #expect(slow.next() == nil)
    slow.complete(.success(Reply()))
    #expect(slow.next() == .send(Array("OK\n".utf8)))
    #expect(slow.next() == .send(Array("OK\n".utf8)))
    #expect(slow.next() == .close)
    #expect(slow.next() == nil)
  }

  @Test(
    "idle, watch and an unfinished list end with the input",
    arguments: ["idle", "watch", "command_list_begin"])
  func halfCloseWhileWaiting(_ command: String) {
    var conversation = Conversation()
    conversation.receive(command + "\n")
    conversation.endInput()
    #expect(conversation.events.last == .closed)
    #expect(conversation.sent.isEmpty)
  }

  @Test("A line has 8192 bytes at most, also if it never ends")
  func lineLimit() {
    let room = ProtocolLimits.requestLine - 1
    #expect(Conversation.reply(to: "ping" + String(repeating: " ", count: room - 4) + "\n").text == "OK\n")
    let long = Conversation.reply(to: "ping" + String(repeating: " ", count: room - 3) + "\n")
    #expect(long.text.isEmpty && !long.isOpen)
    #expect(Conversation.reply(to: String(repeating: "a", count: room)).isOpen)
    #expect(!Conversation.reply(to: String(repeating: "a", count: room + 1)).isOpen)
    #expect(!Conversation.reply(to: "idle\n" + String(repeating: "a", count: room + 1)).isOpen)
  }

  @Test(
    "The limit of a line also holds for lines that are not parsed as requests",
    arguments: ["noidle", "command_list_begin"])
  func lineLimitHoldsForUnparsedLines(_ word: String) {
    let longest = word + String(repeating: " ", count: ProtocolLimits.requestLine - 1 - word.utf8.count)
    #expect(Conversation.reply(to: longest + "\n").isOpen)
    #expect(!Conversation.reply(to: longest + " \n").isOpen)
  }

  @Test("A list has 2 MiB at most")
  func listLimit() {
    let line = "add " + String(repeating: "a", count: 1019) + "\n"
    #expect(line.utf8.count == 1024)
    let full = String(repeating: line, count: ProtocolLimits.commandList / 1024)
    var conversation = Conversation()
    conversation.receive("command_list_begin\n" + full)
    conversation.receive("command_list_end\n")
    #expect(conversation.sent == "OK\n")
    #expect(conversation.events.count == 2049)
    conversation.receive("command_list_begin\n" + full + "ping\ncommand_list_end\n")
    #expect(conversation.events.count == 2050 && conversation.events.last == .closed)
    #expect(conversation.machine.phase == .closed)
  }

  @Test("Input waits while a command is carried out, but not without bound")
  func backlog() {
    var machine = ConnectionMachine()
    machine.append("status\n".utf8)
    while let action = machine.next() { if case .perform = action { break } }
    #expect(machine.wantsInput == true)
    let piece = Array(String(repeating: "ping\n", count: 2000).utf8)
    machine.append(piece)
    #expect(machine.wantsInput == false)
    for _ in 0..<40 { machine.append(piece) }
    #expect(machine.phase == .closed)
    machine.complete(.success(Reply()))
    #expect(machine.next() == .close)
    #expect(machine.next() == nil)
  }

  @Test("A long list lets others have their turn")
  func turns() {
    var machine = ConnectionMachine()
    _ = machine.next()
    let list = "command_list_begin\n" + String(repeating: "ping\n", count: 1000) + "command_list_end\n"
    machine.append(list.utf8)
    var yields = 0
    var sent: [UInt8] = []
    while let action = machine.next() {
      switch action {
      case .yield: yields += 1
      case .send(let bytes): sent += bytes
      default: Issue.record("\(action)")
      }
    }
    #expect(String(decoding: sent, as: UTF8.self) == "OK\n")
    #expect(yields == 2003 / ProtocolLimits.linesPerTurn)
  }

  @Test("Passwords change what a client may do")
  func passwords() {
    var conversation = Conversation(
      configuration: .init(permissions: .read, passwords: ["p": [.read, .player], "none": []]))
    conversation.receive("next\npassword q\npassword p\nnext\npassword none\nstatus\nping\n")
    #expect(
      conversation.sent == """
        ACK [4@0] {next} you don't have permission for "next"
        ACK [3@0] {password} incorrect password
        OK
        OK
        OK
        ACK [4@0] {status} you don't have permission for "status"
        OK

        """)
  }

  @Test("commands and notcommands share the names between them")
  func commandNames() {
    var conversation = Conversation(configuration: .init(permissions: .read))
    conversation.receive("commands\n")
    let allowed = conversation.sent
    conversation.receive("notcommands\n")
    let withheld = conversation.sent.dropFirst(allowed.count)
    #expect(allowed.contains("command: status\n") && !allowed.contains("command: next\n"))
    #expect(withheld.contains("command: next\n") && !withheld.contains("command: status\n"))
    for row in CommandRow.all {
      let line = "command: \(row.name)\n"
      #expect(allowed.contains(line) || withheld.contains(line))
    }
  }

  @Test("How the input is cut makes no difference", arguments: 1...60 as ClosedRange<UInt64>)
  func splits(seed: UInt64) {
    var lines = LineGenerator(seed: seed)
    var input: [UInt8] = []
    for _ in 0..<lines.random.below(60) {
      let line = lines.line()
      // Most noise closes the connection; then there is nothing left to compare.
      if line.first.map({ (0x61...0x7A).contains($0) }) != true, lines.random.below(20) != 0 { continue }
      input += line + [0x0A]
      if line.starts(with: "idle".utf8) || line.starts(with: "watch".utf8) { input += Array("noidle\n".utf8) }
    }
    let answer: (Command) -> Result<Reply, Ack> = { command in
      command.name.utf8.count.isMultiple(of: 7) ? .failure(.noSuchSong) : .success(Reply(["a": "b"]))
    }
    var whole = Conversation(answer: answer)
    whole.receive(input)
    whole.endInput()

    var pieces = Conversation(answer: answer)
    var rest = input[...]
    while !rest.isEmpty {
      let count = min(rest.count, 1 + lines.random.below(lines.random.below(2) == 0 ? 3 : 200))
      pieces.receive(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    pieces.endInput()
    #expect(pieces.events == whole.events, "seed \(seed)")
  }

  // MARK: Long answers

  /// `status` is answered with so many numbers, in pieces of three and an empty one.
  private static func counting(to count: Int, mayBlock: Bool = false) -> (Command) -> Result<Reply, Ack> {
    @Sendable func rest(from start: Int) -> ReplyRest? {
      guard start < count else { return nil }
      return ReplyRest(mayBlock: mayBlock) { piece in
        for number in start..<min(start + 3, count) { piece.append("n", number) }
        return ReplyRest { _ in rest(from: start + 3) }
      }
    }
    return { command in
      var reply = Reply()
      if case .playback(.status) = command { reply.rest = rest(from: 0) }
      return .success(reply)
    }
  }

  @Test("A long answer whose piece is refused ends with the refusal, and so does its list")
  func refusedPiece() {
    var conversation = Conversation { command in
      var reply = Reply(["n": "0"])
      if case .playback(.status) = command {
        reply.rest = ReplyRest { piece in
          piece.append("n", 1)
          piece.refusal = Ack(.argument, "too much")
          return nil
        }
      }
      return .success(reply)
    }
    conversation.receive("status\ncommand_list_ok_begin\nstats\nstatus\nstats\ncommand_list_end\nstats\n")
    let sent = conversation.events.map { if case .sent(let text) = $0 { text } else { "" } }
    #expect(
      sent.joined().hasSuffix(
        "n: 0\nn: 1\nACK [2@0] {status} too much\n"
          + "n: 0\nlist_OK\nn: 0\nn: 1\nACK [2@1] {status} too much\nn: 0\nOK\n"))
  }

  @Test(
    "A long answer is the same as a short one, whatever comes with it", arguments: [0, 1, 3, 7, 1000],
    [false, true])
  func longAnswers(count: Int, mayBlock: Bool) {
    let lines = (0..<count).map { "n: \($0)\n" }.joined()
    for (input, output) in [
      ("status\nping\n", lines + "OK\nOK\n"),
      ("command_list_begin\nstatus\nping\nstatus\ncommand_list_end\nping\n", lines + lines + "OK\nOK\n"),
      (
        "command_list_ok_begin\nstatus\nfoo\ncommand_list_end\n",
        lines + "list_OK\nACK [5@1] {} unknown command \"foo\"\n"
      ),
      ("status\nidle\nnoidle\n", lines + "OK\nOK\n"), ("status\nnoidle\n", lines + "OK\n"),
    ] {
      var conversation = Conversation(answer: Self.counting(to: count, mayBlock: mayBlock))
      conversation.receive(input)
      let sent = conversation.events.map { if case .sent(let text) = $0 { text } else { "" } }
      #expect(sent.joined() == output, "\(input)")
    }
  }

  @Test("A long answer is made piece by piece, and nothing else is done before its end")
  func pieces() {
    var machine = ConnectionMachine()
    _ = machine.next()
    machine.append("status\nping\n".utf8)
    guard case .perform(let command, _) = machine.next() else { return #expect(Bool(false)) }
    machine.complete(Self.counting(to: 7)(command))
    var sent: [String] = []
    while machine.isAnswering {
      #expect(!machine.mayTimeOut && machine.hasMore)
      machine.notify(.player)
      guard case .send(let bytes) = machine.next() else { return #expect(Bool(false)) }
      sent.append(String(decoding: bytes, as: UTF8.self))
    }
    #expect(sent == ["", "n: 0\nn: 1\nn: 2\n", "", "n: 3\nn: 4\nn: 5\n", "", "n: 6\n", "OK\n"])
    #expect(machine.next() == .send(Array("OK\n".utf8)))
    #expect(machine.next() == nil && machine.mayTimeOut)
  }

  @Test("Who can send no more gets all of it; for who is gone it is not made", arguments: [false, true])
  func endsOfLongAnswers(mayBlock: Bool) {
    for isGone in [false, true] {
      var machine = ConnectionMachine()
      _ = machine.next()
      machine.append("status\nstats\n".utf8)
      guard case .perform(let command, _) = machine.next() else { return #expect(Bool(false)) }
      machine.complete(Self.counting(to: 1000, mayBlock: mayBlock)(command))
      machine.endInput()
      if isGone, !mayBlock { machine.dropAnswer() }
      var bytes: [UInt8] = []
      var performed: [Command] = []
      while let action = machine.next() {
        switch action {
        case .send(let piece): bytes += piece
        case .perform(let command, _):
          performed.append(command)
          machine.complete(.success(Reply()))
        case .makePiece(let rest):
          // While a piece is made, the client goes.
          if isGone { machine.dropAnswer() }
          machine.complete(.success(rest.next()))
        default: break
        }
      }
      #expect(machine.phase == .closed && performed == [.playback(.stats)])
      #expect(bytes.count(where: { $0 == UInt8(ascii: "n") }) == (isGone ? 0 : 1000))
    }
  }
}
