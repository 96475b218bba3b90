/// One client's connection as a value: bytes and events go in, what is to be done comes out, in order.
///
/// It knows nothing of sockets, threads and time. The server appends what it receives and then takes actions with
/// `next()` until there is none:
///
/// ```swift
/// machine.append(bytes)
/// while let action = machine.next() { … }
/// ```
///
/// A server that must not send more for the moment stops taking actions; nothing happens until it goes on. The same is
/// to be done after `complete(_:)`, `notify(_:)` and `endInput()`. The greeting is the first action of all.
///
/// One command is carried out at a time: after `perform` there are no more actions until `complete(_:)`, and input
/// waits, so answers come in the order of the commands.
package struct ConnectionMachine: Sendable {
  /// What the server knows about the client and tells the machine once.
  package struct Configuration: Hashable, Sendable {
    /// What the client may do until it gives a password.
    package var permissions: Permissions
    /// What it may do after giving one of these, whatever it might do before, as in mpd.
    package var passwords: [Argument: Permissions]

    /// By default everything is allowed and there is no password: the socket's mode has decided who comes in.
    package init(permissions: Permissions = .all, passwords: [Argument: Permissions] = [:]) {
      self.permissions = permissions
      self.passwords = passwords
    }
  }

  /// What a client has asked for about the form of its answers, and what it may do.
  package struct Context: Hashable, Sendable {
    /// The tags it wants to see of songs.
    package var tags = TagSet.standard
    /// The most bytes of a binary chunk.
    package var binaryLimit = ProtocolLimits.defaultBinaryChunk
    /// What it may do. The command itself is allowed; some need another permission for certain arguments.
    package var permissions = Permissions.all

    /// That of a client that has not asked for anything.
    package init() {}
  }

  /// What the server has to do.
  package enum Action: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// Carry this out and then call `complete(_:)`, once. Never one of ``Command/Connection``, which are the machine's
    /// own business.
    case perform(Command, Context)
    /// The client has given a password, a wrong one or not: call `answerPassword()`, once, when the answer is due.
    case checkPassword(isRight: Bool)
    /// Send the records of this watch from now on, beginning with the present state.
    case beginWatch(WatchRequest)
    /// Send no more records. An `OK` follows.
    case endWatch
    /// Let other clients have their turn and then go on with `next()`, see `ProtocolLimits.linesPerTurn`.
    case yield
    /// Close the connection once everything before it is sent. A watch ends with it. The last action.
    case close
  }

  enum Phase: Hashable {
    case ready
    /// A command is being carried out: its name, and its place for a refusal.
    case performing(String, index: Int)
    case watching
    case closed
  }

  /// The end of an answer: the bytes after it, or where a piece of it is refused, the command and its index for the refusal.
  struct AnswerEnd {
    let bytes: [UInt8]
    let command: String
    let index: Int
  }

  let configuration: Configuration
  var permissions: Permissions
  var context = Context()
  var phase = Phase.ready
  var input = LineBuffer()
  var inputHasEnded = false
  var list: CommandList?
  var idle = IdleState()
  /// What the password that waits for its answer allows.
  var passwordAnswer: Result<Permissions, Ack>?
  /// What is still to be sent of a long answer, and what ends it. Nothing else is done before.
  var unsent: (rest: ReplyRest, end: AnswerEnd)?
  /// Never more than three: what one step makes.
  var actions: [Action] = [.send(Array(ProtocolLimits.greeting.utf8))]

  private var linesInTurn = 0

  /// How many whole lines have been taken so far. A server restarts a client's time limit when this has changed.
  package internal(set) var linesTaken: UInt64 = 0

  /// A client that has just connected.
  package init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    permissions = configuration.permissions
  }

  // MARK: What the server may ask

  /// Whether it makes sense to read from the client: `false` while so much is waiting that a command would fit, after
  /// the end of input, and when the connection is closed.
  package var wantsInput: Bool {
    phase != .closed && !inputHasEnded && input.count < ProtocolLimits.requestLine
  }

  /// Whether there may be something to do without new input: lines that were not carried out yet, the beginning of one,
  /// the rest of an answer.
  package var hasMore: Bool { input.count > 0 || list != nil || isAnswering }

  /// Whether a long answer is under way: its next piece is made by `next()`.
  package var isAnswering: Bool { unsent != nil }

  /// Whether the client is expected to send a line, and so may run out of time: not while it is
  /// in `idle` or `watch`, and not while it waits for an answer.
  package var mayTimeOut: Bool {
    phase == .ready && !isIdle && !isAnswering
  }

  /// Whether the client is in `idle`.
  package var isIdle: Bool { idle.awaited != nil }

  /// Whether the client is in `watch`.
  package var isWatching: Bool { phase == .watching }

  /// Whether a command is being carried out.
  package var isPerforming: Bool {
    if case .performing = phase { true } else { false }
  }

  /// Whether a password waits for its answer.
  package var isAwaitingPassword: Bool { passwordAnswer != nil }

  /// Whether nothing more will come of this connection, once the actions that are left have been taken.
  package var isClosed: Bool { phase == .closed }

  // MARK: What happens

  /// Takes bytes as they were received, in pieces of any size. If more than `ProtocolLimits.backlog` wait already,
  /// the connection is closed.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    if takesBytes() { input.append(bytes) }
  }

  /// Takes bytes as they were received: the same for memory, which needs no look at each byte.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if takesBytes() { input.append(bytes) }
  }

  private mutating func takesBytes() -> Bool {
    guard phase != .closed, !inputHasEnded else { return false }
    guard input.count <= ProtocolLimits.backlog else {
      close()
      return false
    }
    return true
  }

  /// The client will send no more. Everything that it has sent is answered, then the connection is closed; a line
  /// without a newline is dropped. `idle` and `watch` end at once, as nothing could end them any more.
  package mutating func endInput() {
    inputHasEnded = true
  }

  /// The answer to the password of the last `checkPassword` is due. Without one this does nothing.
  package mutating func answerPassword() {
    guard let answer = passwordAnswer.take() else { return }
    if case .success(let permissions) = answer { self.permissions = permissions }
    complete(answer.map { _ in Reply() })
  }

  /// The command of the last `perform` is done. Without one this does nothing, so it may come too late.
  package mutating func complete(_ result: Result<Reply, Ack>) {
    guard case .performing(let name, let index) = phase, passwordAnswer == nil else { return }
    phase = .ready
    switch result {
    case .success(let reply): succeed(reply, name, index: index)
    case .failure(let ack): fail(ack, name, index: index)
    }
  }

  /// Nobody reads answers any more: what is left of a long one is not made. What the client had sent is still carried
  /// out.
  package mutating func dropAnswer() { unsent = nil }

  /// Something has changed. May come at any time.
  package mutating func notify(_ subsystems: Subsystems) {
    guard phase != .closed else { return }
    if let answer = idle.raise(subsystems) { sendChanges(answer) }
  }

  /// The next thing to do, or `nil` if there is nothing for now.
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
