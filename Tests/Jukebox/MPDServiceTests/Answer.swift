import ControlProtocol
import Dispatch
import Testing

@testable import ControlServer
@testable import MPDService

/// An answer that a test waits for.
final class Answer: @unchecked Sendable {
  // Written before the group is left, read after that.
  private var result: Result<Reply, Ack>?
  private let group = DispatchGroup()

  init() { group.enter() }

  func complete(_ result: Result<Reply, Ack>) {
    self.result = result
    group.leave()
  }

  var isThere: Bool { group.wait(timeout: .now()) == .success }

  /// The answer, which has to come within a minute.
  func get() throws -> Reply {
    try #require(group.wait(timeout: .now() + 120) == .success)
    return try #require(result).get()
  }
}

extension LibraryCommands {
  /// The answer to a question of a client of the server's own user, as text.
  func answer(to command: Command.Database) throws -> String {
    let answer = Answer()
    perform(
      command, ConnectionMachine.Context(),
      for: ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)
    ) { answer.complete($0) }
    return String(decoding: try answer.get().bytes, as: UTF8.self)
  }
}
