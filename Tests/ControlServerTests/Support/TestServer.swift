import ControlProtocol
import ControlServer
import Foundation
import Synchronization
import TestSupport

/// State that a test waits for.
final class Watched<Value: Sendable>: @unchecked Sendable {
  // Only touched under the condition's lock.
  private var current: Value
  private let condition = NSCondition()

  init(_ value: Value) { current = value }

  var value: Value { condition.withLock { current } }

  func change<Result>(_ body: (inout Value) -> Result) -> Result {
    condition.withLock {
      defer { condition.broadcast() }
      return body(&current)
    }
  }

  /// Whether it comes true in time.
  func wait(limit: Double = 30, _ isTrue: (Value) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: limit)
    return condition.withLock {
      while !isTrue(current) {
        if !condition.wait(until: end) { return isTrue(current) }
      }
      return true
    }
  }
}

/// Performs commands as a test says, and notes what it was told.
final class TestHandler: ControlHandler {
  typealias Perform = @Sendable (Command, ClientInfo, Completion) -> Void
  private let performs: Perform
  let watchers = Watched<[ClientID: Set<WatchTopic>]>([:])
  let closed = Watched<[ClientID]>([])
  let left = Watched<[ClientID]>([])

  /// Answers with a bare `OK` unless told otherwise.
  init(_ perform: @escaping Perform = { _, _, completion in completion(Reply()) }) { performs = perform }

  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
  ) {
    performs(command, client, completion)
  }
  func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {
    watchers.change { $0[client.id] = topics }
  }
  func watchEnded(by client: ClientInfo) { watchers.change { _ = $0.removeValue(forKey: client.id) } }
  func connectionClosed(_ client: ClientInfo) { closed.change { $0.append(client.id) } }
  func clientLeft(_ client: ClientInfo) { left.change { $0.append(client.id) } }
}

/// A server in a directory of its own.
final class TestServer {
  let directory: TemporaryFolder
  let server: ControlServer
  let handler: TestHandler
  var path: String { server.path }

  init(
    handler: TestHandler = TestHandler(), access: SocketAccess = .ownerOnly,
    change: (inout ServerLimits) -> Void = { _ in }
  ) throws {
    directory = try TemporaryFolder()
    var limits = ServerLimits()
    change(&limits)
    self.handler = handler
    server = try ControlServer(
      socket: .bound(to: directory.file("socket"), access: access), handler: handler, limits: limits)
  }

  deinit { server.stop() }

  func client() throws -> ControlConnection { try ControlConnection(path) }
}
