import ControlProtocol
import Dispatch
import Testing

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
    try #require(group.wait(timeout: .now() + 60) == .success)
    return try #require(result).get()
  }
}
