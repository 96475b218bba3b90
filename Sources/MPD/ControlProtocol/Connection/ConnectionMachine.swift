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
/// `notify(_:)` and `endInput()`. The greeting is the first action.
///
/// Commands are performed one at a time. After `perform` no action follows until `complete(_:)`, and input
/// waits, so answers come in the order of the commands.
package struct ConnectionMachine: Sendable {
  /// The server's settings for a client, fixed for the connection.
  package struct Configuration: Hashable, Sendable {
    /// The client's permissions before a password.
    package var permissions: Permissions
    /// The permissions granted by each password. As in mpd, they replace the earlier ones.
    package var passwords: [Argument: Permissions]

    /// Creates a configuration. By default all permissions are granted without a password: the socket's mode
    /// has restricted access already.
    package init(permissions: Permissions = .all, passwords: [Argument: Permissions] = [:]) {
      self.permissions = permissions
      self.passwords = passwords
    }
  }

  /// The client's settings for replies, and its permissions.
  package struct Context: Hashable, Sendable {
    /// The tags in replies about songs.
    package var tags = TagSet.standard
    /// The maximum size of a binary chunk, in bytes.
    package var binaryLimit = ProtocolLimits.defaultBinaryChunk
    /// The client's permissions. The command itself is permitted; some arguments require another permission.
    package var permissions = Permissions.all

    /// Creates the initial context of a client.
    package init() {}
  }

  /// An action for the server.
  package enum Action: Hashable, Sendable {
    /// Send these bytes to the client.
    case send([UInt8])
    /// Perform the command, then call `complete(_:)` once. Never a command of ``Command/Connection``: the
    /// machine performs these itself.
    case perform(Command, Context)
    /// The client gave a password, correct or not: call `answerPassword()` once when the answer is due.
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
    case watching
    case closed
  }

  /// The end of an answer: the closing bytes and, for a piece that is refused, the command and its index.
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
  /// The permissions granted by the password whose answer is pending, or the refusal.
  var passwordAnswer: Result<Permissions, Ack>?
  /// The rest of a long answer and its end. Sent before anything else happens.
  var unsent: (rest: ReplyRest, end: AnswerEnd)?
  /// The pending actions. At most three, the number of one step.
  var actions: [Action] = [.send(Array(ProtocolLimits.greeting.utf8))]

  private var linesInTurn = 0

  /// The number of complete lines processed. A server restarts a client's time limit when it changes.
  package internal(set) var linesTaken: UInt64 = 0

  /// Creates the machine of a new connection.
  package init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    permissions = configuration.permissions
  }

  // MARK: What the server may ask

  /// Whether the server should read from the client. False while enough input for a complete command waits,
  /// after the end of input, and after the connection is closed.
  package var wantsInput: Bool {
    phase != .closed && !inputHasEnded && input.count < ProtocolLimits.requestLine
  }

  /// Whether actions are possible without new input: unprocessed or incomplete lines, or the rest of an
  /// answer.
  package var hasMore: Bool { input.count > 0 || list != nil || isAnswering }

  /// Whether a long answer is in progress; `next()` makes its next piece.
  package var isAnswering: Bool { unsent != nil }

  /// Whether the client is expected to send a line, so that a time limit applies. False during `idle` and
  /// `watch`, and while the client waits for an answer.
  package var mayTimeOut: Bool { phase == .ready && !isIdle && !isAnswering }

  /// Whether the client waits in `idle`.
  package var isIdle: Bool { idle.awaited != nil }

  /// Whether the client is in `watch`.
  package var isWatching: Bool { phase == .watching }

  /// Whether a command is being performed.
  package var isPerforming: Bool {
    if case .performing = phase { true } else { false }
  }

  /// Whether the answer to a password is pending.
  package var isAwaitingPassword: Bool { passwordAnswer != nil }

  /// Whether the connection is closed, apart from actions that were not taken yet.
  package var isClosed: Bool { phase == .closed }

  // MARK: What happens

  /// Appends received bytes, in pieces of any size. Closes the connection if more than
  /// `ProtocolLimits.backlog` bytes already wait.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    if takesBytes() { input.append(bytes) }
  }

  /// Appends received bytes from memory, which is faster than a sequence. Closes the connection if more than
  /// `ProtocolLimits.backlog` bytes already wait.
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

  /// Records the end of the client's input. All its commands are answered, then the connection is closed; an
  /// incomplete line is dropped. `idle` and `watch` end immediately, since `noidle` can no longer come.
  package mutating func endInput() { inputHasEnded = true }

  /// Answers the password of the last `checkPassword`. Has no effect if none is pending.
  package mutating func answerPassword() {
    guard let answer = passwordAnswer.take() else { return }
    if case .success(let permissions) = answer { self.permissions = permissions }
    complete(answer.map { _ in Reply() })
  }

  /// Completes the command of the last `perform`. Has no effect if none is in progress, so late calls are
  /// safe.
  package mutating func complete(_ result: Result<Reply, Ack>) {
    guard case .performing(let name, let index) = phase, passwordAnswer == nil else { return }
    phase = .ready
    switch result {
    case .success(let reply): succeed(reply, name, index: index)
    case .failure(let ack): fail(ack, name, index: index)
    }
  }

  /// Drops the rest of a long answer after the client has disconnected. Its earlier commands are still
  /// performed.
  package mutating func dropAnswer() { unsent = nil }

  /// Records changes of subsystems. May be called at any time.
  package mutating func notify(_ subsystems: Subsystems) {
    guard phase != .closed else { return }
    if let answer = idle.raise(subsystems) { sendChanges(answer) }
  }

  /// Returns the next action; nil if there is none for now.
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
