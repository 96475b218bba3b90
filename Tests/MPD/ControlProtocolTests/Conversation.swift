import ControlTestSupport

@testable import ControlProtocol

/// A connection with a server behind it that answers every command at once, and all that came of it.
struct Conversation: ~Copyable {
  /// What happened, with neighbouring bytes joined and the turns left out, so that it does not depend on how the
  /// input was cut.
  enum Event: Hashable {
    case sent(String)
    case performed(Command)
    case watchBegan(WatchRequest)
    case watchEnded
    case closed
  }

  var machine: ConnectionMachine
  var events: [Event] = []
  /// The answer to a command.
  var answer: (Command) -> Result<Reply, Ack>

  init(
    configuration: ConnectionMachine.Configuration = .init(),
    answer: @escaping (Command) -> Result<Reply, Ack> = { _ in .success(Reply()) }
  ) {
    machine = ConnectionMachine(configuration: configuration)
    self.answer = answer
    run()
    events = []
  }

  mutating func receive(_ text: String) {
    receive(Array(text.utf8))
  }

  mutating func receive(_ bytes: [UInt8]) {
    machine.append(bytes)
    run()
  }

  mutating func notify(_ subsystems: Subsystems) {
    machine.notify(subsystems)
    run()
  }

  mutating func endInput() {
    machine.endInput()
    run()
  }

  mutating func run() {
    while let action = machine.next() {
      switch action {
      case .send(let bytes): send(String(decoding: bytes, as: UTF8.self))
      case .perform(let command, _):
        events.append(.performed(command))
        machine.complete(answer(command))
      case .makePiece(let rest): machine.complete(.success(rest.next()))
      case .beginWatch(let request): events.append(.watchBegan(request))
      case .checkPassword: machine.answerPassword()
      case .endWatch: events.append(.watchEnded)
      case .close: events.append(.closed)
      case .yield: break
      }
    }
  }

  private mutating func send(_ text: String) {
    if case .sent(let before) = events.last {
      events[events.count - 1] = .sent(before + text)
    } else {
      events.append(.sent(text))
    }
  }

  /// All that was sent, whatever came between.
  var sent: String {
    events.reduce(into: "") { text, event in
      if case .sent(let more) = event { text += more }
    }
  }

  /// What the client gets for this input, and whether the connection is still open.
  static func reply(to input: String) -> (text: String, isOpen: Bool) {
    var conversation = Conversation()
    conversation.receive(input)
    return (conversation.sent, conversation.machine.phase != .closed)
  }
}
