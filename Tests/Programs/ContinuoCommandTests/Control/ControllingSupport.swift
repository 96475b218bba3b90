import ArgumentParser
import ControlProtocol
import ControlServer
import ControlTestSupport
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

/// A server whose answers a test writes, in a folder of its own. It notes what it is asked.
final class ScriptedServer {
  typealias Answer = @Sendable (Command) throws(Ack) -> Reply

  /// Answers, and notes.
  private final class Handler: ControlHandler {
    private struct State {
      var lines: [String] = []
      weak var server: MPDServer?
    }

    private let answer: Answer?
    private let records: [(WatchRecord, WatchTopic)]
    private let state = Mutex(State())

    init(_ answer: Answer?, _ records: [(WatchRecord, WatchTopic)]) {
      self.answer = answer
      self.records = records
    }

    var lines: [String] { state.withLock { $0.lines } }

    func setServer(_ server: MPDServer) { state.withLock { $0.server = server } }

    private func note(_ command: Command) {
      var line: [UInt8] = []
      (try? command.request())?.write(into: &line)
      // Without the line feed; bytes that are not UTF-8 as the server would show them.
      state.withLock { $0.lines.append(Argument(line.dropLast()).description) }
    }

    func perform(
      _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
    ) {
      note(command)
      do throws(Ack) {
        completion(try answer?(command) ?? Reply())
      } catch {
        completion(error)
      }
    }

    func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {
      let server = state.withLock { $0.server }
      for (record, topic) in records where topics.contains(topic) {
        server?.broadcast(record, to: topic, only: client.id)
      }
    }
  }

  private let folder: TemporaryFolder
  private let handler: Handler
  private let server: MPDServer
  var path: String { server.path }
  /// The commands that came, as request lines.
  var lines: [String] { handler.lines }

  /// Answers commands with a bare `OK` unless told otherwise, and sends `records` to whoever watches.
  init(records: [(WatchRecord, WatchTopic)] = [], answer: Answer? = nil) throws {
    folder = try TemporaryFolder()
    handler = Handler(answer, records)
    server = try MPDServer(
      socket: .bound(to: folder.file("socket"), access: .ownerOnly), handler: handler)
    handler.setServer(server)
  }

  deinit { server.stop() }

  /// Answers at a TCP port of this machine too; which.
  func listen() throws -> UInt16 {
    try server.listen(on: NetworkAddress(host: "127.0.0.1", port: 0), access: NetworkAccess()).port
  }

  /// Ends it, on any thread; clients are cut off.
  var stopper: @Sendable () -> Void { { [server] in server.stop() } }

  /// Runs `continuo` with these arguments, for this server.
  func run(_ arguments: [String], terminal: Bool = false, lines: Int = .max) throws -> Printed {
    try Printed(arguments, path: path, terminal: terminal, lines: lines)
  }
}

/// What a command of `continuo` printed, and how it ended.
final class Printed {
  private(set) var bytes: [UInt8] = []
  private(set) var complaints: [String] = []
  private(set) var status = ExitStatus.played
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Runs it with the server at `path`, unless it names one. Its reader leaves after so many lines. `onWrite` is called for each piece.
  init(
    _ arguments: [String], path: String? = nil, terminal: Bool = false, lines: Int = .max,
    onWrite: @escaping () -> Void = {}
  ) throws {
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? any ControlCommand)
    let output = CommandOutput(
      write: { [unowned self] bytes throws(CommandOutput.Failure) in
        if lines > 0 {
          self.bytes += bytes
          onWrite()
        }
        if self.bytes.count(where: { $0 == UInt8(ascii: "\n") }) >= lines { throw .readerLeft }
      },
      complain: { [unowned self] in complaints.append($0) }, isTerminal: terminal)
    let named = try command.control.server { $0 == "CONTINUO_SOCKET" ? path : nil }
    status = command.conduct(at: named, output: output)
  }
}
