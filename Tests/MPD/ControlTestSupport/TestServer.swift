package import ControlProtocol
package import ControlServer
import Foundation
import SystemSupport
package import TestSupport

/// State that a test waits for.
package final class Watched<Value: Sendable>: @unchecked Sendable {
  // Only touched under the condition's lock.
  private var current: Value
  private let condition = NSCondition()

  package init(_ value: Value) { current = value }

  package var value: Value { condition.withLock { current } }

  package func change<Result>(_ body: (inout Value) -> Result) -> Result {
    condition.withLock {
      defer { condition.broadcast() }
      return body(&current)
    }
  }

  /// Whether it comes true in time.
  package func wait(limit: Double = 120, _ isTrue: (Value) -> Bool) -> Bool {
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
package final class TestHandler: ControlHandler {
  package typealias Perform = @Sendable (Command, ClientInfo, Completion) -> Void
  private let performs: Perform
  package let watchers = Watched<[ClientID: Set<WatchTopic>]>([:])
  package let closed = Watched<[ClientID]>([])
  package let left = Watched<[ClientID]>([])

  /// Answers with a bare `OK` unless told otherwise.
  package init(_ perform: @escaping Perform = { _, _, completion in completion(Reply()) }) {
    performs = perform
  }

  /// Keeps the completions of `status` in `held`, and answers the rest with a bare `OK`.
  package static func holdingStatus(in held: Watched<[Completion]>) -> TestHandler {
    TestHandler { command, _, completion in
      if case .playback(.status) = command {
        held.change { $0.append(completion) }
      } else {
        completion(Reply())
      }
    }
  }

  package func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
  ) { performs(command, client, completion) }
  package func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {
    watchers.change { $0[client.id] = topics }
  }
  package func watchEnded(by client: ClientInfo) { watchers.change { _ = $0.removeValue(forKey: client.id) } }
  package func connectionClosed(_ client: ClientInfo) { closed.change { $0.append(client.id) } }
  package func clientLeft(_ client: ClientInfo) { left.change { $0.append(client.id) } }
}

/// How clients reach a server.
package enum Transport: String, Sendable, CaseIterable {
  case unix, tcp

  /// What servers that are made now are reached by.
  @TaskLocal package static var current = Transport.unix
}

/// A server in a directory of its own, reached as `Transport.current` says.
package final class TestServer {
  package let directory: TemporaryFolder
  package let server: MPDServer
  package let handler: TestHandler
  /// Where clients of the test connect: a path, or `tcp:PORT`.
  package let path: String

  package init(
    handler: TestHandler = TestHandler(), access: SocketAccess = .ownerOnly,
    network: NetworkAccess = NetworkAccess(), change: (inout ServerLimits) -> Void = { _ in }
  ) throws {
    directory = try TemporaryFolder()
    var limits = ServerLimits()
    // Who they are is not what most tests are about.
    limits.networkClients = limits.clients
    change(&limits)
    self.handler = handler
    server = try MPDServer(
      socket: .bound(to: directory.file("socket"), access: access), handler: handler, limits: limits)
    switch Transport.current {
    case .unix: path = server.path
    case .tcp:
      let any = NetworkAddress(host: "127.0.0.1", port: 0)
      path = "tcp:\(try server.listen(on: any, access: network).port)"
    }
  }

  deinit { server.stop() }

  package func client() throws -> ControlConnection { try ControlConnection(path) }
}
