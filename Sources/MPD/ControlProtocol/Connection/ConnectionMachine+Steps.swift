/// The steps of the machine. Each makes few actions, so that a server can pause between any two.
extension ConnectionMachine {
  /// Processes the next line, from the input or a running list. Returns false if there is none.
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

  /// Outside `idle` and `watch`, `noidle` gets no reply. It may have crossed with the answer that ended the
  /// `idle`; the client would take a reply for that of its next command.
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
      let permissions = configuration.passwords[password]
      passwordAnswer = permissions.map { .success($0) } ?? .failure(Ack(.password, "incorrect password"))
      phase = .performing("password", index: index)
      actions.append(.checkPassword(isRight: permissions != nil))
    case .binarylimit(let limit):
      context.binaryLimit = limit
      succeed(Reply())
    case .tagtypes(let request): succeed(changeTags(request))
    // Waiting inside a list would delay the answers to the commands before it. mpd closes too, since 0.23.17.
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

  private mutating func changeTags(_ request: TagTypesRequest) -> Reply {
    var reply = Reply()
    switch request {
    case .report:
      for tag in context.tags.tags { reply.append("tagtype", tag.rawValue) }
    case .all: context.tags = .all
    case .clear: context.tags = []
    case .enable(let tags): context.tags.formUnion(tags)
    case .disable(let tags): context.tags.subtract(tags)
    }
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

  /// Sends the next piece of a long answer.
  mutating func answerOn() {
    guard let (rest, end) = unsent else { return }
    send(rest.next(), end)
  }

  private mutating func send(_ piece: Reply, _ answerEnd: AnswerEnd) {
    var end = answerEnd.bytes
    if let refusal = piece.refusal {
      (unsent, list) = (nil, nil)
      end = refusal.line(index: answerEnd.index, command: answerEnd.command)
    } else {
      unsent = piece.rest.map { ($0, answerEnd) }
      if isAnswering { end = [] }
    }
    let bytes = piece.bytes.isEmpty ? end : piece.bytes + end
    // Empty pieces are sent too if more follow: the server checks the clock between actions.
    if !bytes.isEmpty || isAnswering { actions.append(.send(bytes)) }
  }

  /// Sends a refusal, which also ends the list. The commands before it remain performed.
  mutating func fail(_ ack: Ack, _ command: String, index: Int) {
    list = nil
    actions.append(.send(ack.line(index: index, command: command)))
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
