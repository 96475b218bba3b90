/// The connection of a client, as a value: bytes and events go in, actions come out in order.
///
/// The machine contains no sockets, threads or time. A server appends the bytes it receives, then calls
/// `next()` until it returns nil:
///
/// ```swift
/// machine.append(bytes)
/// while let action = machine.next() { … }
/// ```
///
/// A server that must pause output stops calling `next()`. The same loop is needed after `complete(_:)`,
/// `answerPassword()`, `notify(_:)`, `endInput()` and `dropAnswer()`. The greeting is the first action.
///
/// Commands are performed one at a time. After `perform`, `makePiece` or `checkPassword`, no action except
/// `close` follows until the command or piece is completed. Input waits meanwhile, so answers come in the
/// order of the commands.
package struct ConnectionMachine: ~Copyable, Sendable {
  package enum Action: Hashable, Sendable {
    case send([UInt8])
    /// Perform the command, then call `complete(_:)` once. Never a command of ``Command/Connection``, because
    /// the machine performs those itself.
    case perform(Command, Context)
    /// Make the next piece of a long answer with `ReplyRest.next`, on a thread that may block; then call
    /// `complete(_:)` once.
    case makePiece(ReplyRest)
    /// The client gave a password; `isRight` indicates whether the password is correct. Call
    /// `answerPassword()` once when the answer is due.
    case checkPassword(isRight: Bool)
    /// Send the records of this watch from now on, beginning with the current state.
    case beginWatch(WatchRequest)
    /// Send no more records. An `OK` follows.
    case endWatch
    /// Let other clients have their turns, then continue with `next()`. See `ProtocolLimits.linesPerTurn`.
    case yield
    /// Close the connection after all earlier output is sent. Ends a watch. The last action.
    case close
  }

  enum Phase: Hashable {
    case ready
    /// A command is being performed; its name and index are for a refusal.
    case performing(String, index: Int)
    /// The server makes a piece of a long answer.
    case makingPiece
    case watching
    case closed
  }

  /// The end of an answer: the closing bytes and, in case a later piece is a refusal, the command and its
  /// index.
  struct AnswerEnd {
    let bytes: [UInt8]
    let command: String
    let index: Int
  }

  private(set) var configuration: Configuration
  var permissions: Permissions
  var context = Context()
  var phase = Phase.ready
  var input = LineBuffer()
  var inputHasEnded = false
  var list: CommandList?
  var idle = IdleState()
  /// The permissions granted by the password whose answer is pending, or the refusal.
  var passwordAnswer: Result<Permissions, Ack>?
  /// The rest of a long answer and its end, sent before the next line is processed.
  var unsent: (rest: ReplyRest, end: AnswerEnd)?
  /// The pending actions. At most two, the maximum that one step appends.
  var actions: [Action] = [.send(Array(ProtocolLimits.greeting.utf8))]

  private var linesInTurn = 0

  /// The line of the last refusal, without its newline. Nil if there is none; the server resets it after
  /// logging it.
  package var refusal: String?

  /// The number of complete lines taken from the input, including those stored in a command list. A server restarts
  /// a client's time limit when this number changes.
  package internal(set) var linesTaken: UInt64 = 0

  package init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    permissions = configuration.permissions
  }

  // MARK: State

  /// Whether the server should read from the client. False while `ProtocolLimits.requestLine` or more bytes
  /// wait, after the end of input, and after the connection is closed.
  package var wantsInput: Bool {
    phase != .closed && !inputHasEnded && input.count < ProtocolLimits.requestLine
  }

  /// Whether there is unprocessed input, a command list or the rest of an answer, so that actions may follow
  /// without new input.
  package var hasMore: Bool { input.count > 0 || list != nil || isAnswering }

  /// Whether the rest of a long answer is still to be made and sent, which `next()` continues.
  package var isAnswering: Bool { unsent != nil }

  /// Whether the client is expected to send a line, so that a time limit applies. False during `idle` and
  /// `watch`, and while the client waits for an answer.
  package var mayTimeOut: Bool { phase == .ready && !isIdle && !isAnswering }

  package var isIdle: Bool { idle.awaited != nil }

  package var isWatching: Bool { phase == .watching }

  package var isPerforming: Bool {
    switch phase {
    case .performing, .makingPiece: true
    case .ready, .watching, .closed: false
    }
  }

  package var isAwaitingPassword: Bool { passwordAnswer != nil }

  // MARK: Events

  /// Appends received bytes, in pieces of any size. Closes the connection if more than
  /// `ProtocolLimits.backlog` bytes already wait.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard phase != .closed, !inputHasEnded else { return }
    if input.count <= ProtocolLimits.backlog { input.append(bytes) } else { close() }
  }

  /// Records the end of the client's input. The complete lines received so far are still processed; an
  /// incomplete line is dropped. Then the connection is closed, even during `idle` and `watch`, since `noidle`
  /// can no longer come.
  /// Returns whether the input had not ended before.
  @discardableResult
  package mutating func endInput() -> Bool {
    defer { inputHasEnded = true }
    return !inputHasEnded
  }

  /// Answers the password of the last `checkPassword`. Has no effect if none is pending.
  package mutating func answerPassword() {
    guard let answer = passwordAnswer.take() else { return }
    if case .success(let permissions) = answer { self.permissions = permissions }
    complete(answer.map { _ in Reply() })
  }

  /// Completes the command of the last `perform`, or the piece of the last `makePiece`. Has no effect if none is in
  /// progress, for example after `close`.
  package mutating func complete(_ result: Result<Reply, Ack>) {
    guard isPerforming, passwordAnswer == nil else { return }
    let completed = phase
    phase = .ready
    switch (completed, result) {
    case (.performing(let name, let index), .success(let reply)): succeed(reply, name, index: index)
    case (.performing(let name, let index), .failure(let ack)): fail(ack, name, index: index)
    // `unsent` is nil if the client has disconnected meanwhile.
    case (_, .success(let piece)): if let end = unsent?.end { send(piece, end) }
    case (_, .failure(let ack)): if let end = unsent.take()?.end { fail(ack, end.command, index: end.index) }
    }
  }

  /// Drops the rest of a long answer after the client has disconnected. Commands that were already received are
  /// still performed.
  package mutating func dropAnswer() { unsent = nil }

  /// Records changes of subsystems. May be called at any time.
  package mutating func notify(_ subsystems: Subsystems) {
    guard phase != .closed else { return }
    if let answer = idle.raise(subsystems) { sendChanges(answer) }
  }

  /// Replaces the passwords. The client's permissions do not change.
  package mutating func setPasswords(_ passwords: [Argument: Permissions]) {
    configuration.passwords = passwords
  }

  package mutating func next() -> Action? {
    while actions.isEmpty {
      guard phase != .closed, !isPerforming else { return nil }
      guard linesInTurn < ProtocolLimits.linesPerTurn else {
        linesInTurn = 0
        return .yield
      }
      linesInTurn += 1
      if isAnswering {
        answerOn()
      } else if !step() {
        linesInTurn = 0
        return nil
      }
    }
    return actions.count == 1 ? actions.removeLast() : actions.removeFirst()
  }
}

/// The steps of the machine. Each appends at most two actions, so that a server can pause between any two.
extension ConnectionMachine {
  /// Processes the next line, from the input or a running list, or closes the connection if none can follow.
  /// Returns false while no line is complete.
  mutating func step() -> Bool {
    if list?.isRunning == true {
      stepList()
      return true
    }
    guard let line = input.takeLine() else {
      guard inputHasEnded || input.count >= ProtocolLimits.requestLine else { return false }
      close()
      return true
    }
    linesTaken &+= 1
    take(line)
    return true
  }

  private mutating func take(_ line: ArraySlice<UInt8>) {
    guard line.count < ProtocolLimits.requestLine, let first = line.first, first.isLowercaseLetter else {
      return close()
    }
    let words = line.trimmingEnd()
    if words.isWord("noidle") {
      takeNoidle()
    } else if isIdle || isWatching {
      close()
    } else if list != nil {
      extendList(with: line, isEnd: words.isWord("command_list_end"))
    } else if words.isWord("command_list_begin") {
      list = CommandList(confirmsEach: false)
    } else if words.isWord("command_list_ok_begin") {
      list = CommandList(confirmsEach: true)
    } else {
      execute(line, index: 0)
    }
  }

  /// Handles `noidle`, which gets no reply outside `idle` and `watch`. A `noidle` may cross with the answer
  /// that ended the `idle`; the client would mistake a reply for the one to its next command.
  private mutating func takeNoidle() {
    if let answer = idle.cancel() {
      sendChanges(answer)
    } else if isWatching {
      phase = .ready
      actions.append(.endWatch)
      actions.append(.send(ReplyEnd.ok))
    }
  }

  private mutating func extendList(with line: ArraySlice<UInt8>, isEnd: Bool) {
    if isEnd {
      list?.run()
    } else if list?.append(line) == false {
      close()
    }
  }

  private mutating func stepList() {
    if let line = list?.takeLine() {
      execute(line, index: list?.index ?? 0)
    } else {
      list = nil
      actions.append(.send(ReplyEnd.ok))
    }
  }

  private mutating func execute(_ line: ArraySlice<UInt8>, index: Int) {
    let request: Request
    do {
      request = try Request.parse(line: line)
    } catch {
      if let ack = error.ack { fail(ack, "", index: index) }
      if error.closesConnection { close() }
      return
    }
    do {
      let command = try Command(request, permissions: permissions)
      if case .connection(let own) = command {
        try execute(own, index: index)
      } else {
        phase = .performing(request.name, index: index)
        context.permissions = permissions
        actions.append(.perform(command, context))
      }
    } catch {
      fail(error, CommandRow.named(request.name)?.name ?? "", index: index)
    }
  }

  private mutating func execute(_ command: Command.Connection, index: Int) throws(Ack) {
    switch command {
    case .ping: succeed(Reply())
    case .close: close()
    case .commands: succeed(commandNames { $0.isAllowed(permissions) })
    case .notcommands: succeed(commandNames { !$0.isAllowed(permissions) })
    case .password(let password):
      let refusal = Ack(.password, "incorrect password")
      // Without passwords no guess can succeed, so the refusal need not be delayed.
      if configuration.passwords.isEmpty { throw refusal }
      let permissions = configuration.passwords[password]
      passwordAnswer = permissions.map { .success($0) } ?? .failure(refusal)
      phase = .performing("password", index: index)
      actions.append(.checkPassword(isRight: permissions != nil))
    case .binarylimit(let limit):
      context.binaryLimit = limit
      succeed(Reply())
    case .tagtypes(let request): succeed(context.change(request))
    // Waiting inside a list would delay the final `OK` of the list. mpd also closes the connection, since
    // 0.23.17.
    case .idle where list != nil, .watch where list != nil: close()
    case .idle(let subsystems):
      if let answer = idle.wait(for: subsystems) { sendChanges(answer) }
    case .watch(let request):
      phase = .watching
      actions.append(.beginWatch(request))
    }
  }

  private func commandNames(where isWanted: (CommandRow) -> Bool) -> Reply {
    var reply = Reply()
    for row in CommandRow.all where isWanted(row) { reply.append("command", row.name) }
    return reply
  }

  // MARK: Answers

  mutating func succeed(_ reply: Reply, _ command: String = "", index: Int = 0) {
    var end: [UInt8] = ReplyEnd.ok
    if let list {
      self.list?.advance()
      end = list.confirmsEach ? ReplyEnd.listOK : []
    }
    send(reply, AnswerEnd(bytes: end, command: command, index: index))
  }

  /// Sends the next piece of a long answer, or requests it from the server if making the piece may block.
  mutating func answerOn() {
    guard let (rest, end) = unsent else { return }
    if rest.mayBlock {
      phase = .makingPiece
      actions.append(.makePiece(rest))
    } else {
      send(rest.next(), end)
    }
  }

  private mutating func send(_ piece: Reply, _ answerEnd: AnswerEnd) {
    var end = answerEnd.bytes
    if let refusal = piece.refusal {
      (unsent, list) = (nil, nil)
      end = line(of: refusal, answerEnd.command, index: answerEnd.index)
    } else {
      unsent = piece.rest.map { ($0, answerEnd) }
      if isAnswering { end = [] }
    }
    let bytes = piece.bytes.isEmpty ? end : piece.bytes + end
    // Empty pieces are sent too if more follow, because the server checks the clock between actions.
    if !bytes.isEmpty || isAnswering { actions.append(.send(bytes)) }
  }

  /// Sends a refusal and ends the command list. The list's earlier commands are not undone.
  mutating func fail(_ ack: Ack, _ command: String, index: Int) {
    list = nil
    actions.append(.send(line(of: ack, command, index: index)))
  }

  private mutating func line(of ack: Ack, _ command: String, index: Int) -> [UInt8] {
    let line = ack.line(index: index, command: command)
    refusal = String(decoding: line.dropLast(), as: UTF8.self)
    return line
  }

  mutating func sendChanges(_ subsystems: Subsystems) {
    var reply = Reply()
    for name in subsystems.names { reply.append("changed", name) }
    actions.append(.send(reply.bytes + ReplyEnd.ok))
  }

  /// Closes the connection after all earlier output is sent.
  mutating func close() {
    phase = .closed
    list = nil
    unsent = nil
    input.removeAll()
    actions.append(.close)
  }
}
