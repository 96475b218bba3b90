import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import MusicFiles
import SystemSupport

/// A command of `continuo` that a server performs.
protocol ControlCommand: ParsableCommand {
  var control: ControlOptions { get }

  /// Performs the command. A thrown error is reported to the user and ends the command. An `ExitStatus` and
  /// `CommandOutput.Failure.readerLeft` only end it.
  func perform(with client: inout MPDClient, output: CommandOutput) throws
}

extension ControlCommand {
  func run() throws {
    let server = try ExitStatus.usage.orExit { try control.server(environment: ProcessEnvironment.value) }
    let status = conduct(at: server, output: .standard())
    if status != .played { throw status.code }
  }

  /// Performs the command on a server and reports errors. Returns the exit status.
  func conduct(at server: ServerChoice, output: CommandOutput) -> ExitStatus {
    do {
      var client = try MPDClient.connected(
        to: server.address, password: server.password, timeout: MPDClient.quickPatience)
      try perform(with: &client, output: output)
      return .played
    } catch let status as ExitStatus {
      return status
    } catch let error as ControlClientError {
      output.complain(ControlTrouble.text(error, at: server.address))
      return if case .refused = error { .refused } else { .unavailable }
    } catch let error as RequestError {
      output.complain("\(error)")
      return .usage
    } catch CommandOutput.Failure.readerLeft {
      return .played
    } catch CommandOutput.Failure.system(let code) {
      output.complain("standard output: \(SystemError.text(code))")
      return .unavailable
    } catch {
      output.complain("\(error)")
      return .unavailable
    }
  }
}

enum ControlTrouble {
  /// Returns a message of one line, with the server and a remedy where they help.
  static func text(_ error: ControlClientError, at address: ServerAddress) -> String {
    switch (error, address) {
    case (.refused, _), (.turnedAway, _), (.noPermission, _): "\(error)"
    case (.noServer, .path(DefaultSocket.path)): "\(error); continuo serve starts one"
    case (.noServer, .path(let path)): "\(error); continuo serve --socket \(path) starts one"
    case (.noServer, .network(let address)):
      "\(error); there, continuo serve --listen \(address.port) starts one"
    case (.timeout(let seconds), _):
      "the server at \(address) has not answered for \(Int(seconds.rounded())) s"
    default: "\(address): \(error)"
    }
  }

  /// The explanation of the exit statuses in a command's help.
  static let help = """
    EXIT STATUS
      0   done
      1   the server refused; its message is on standard error
      64  the command line is invalid
      69  no server answers
    """
}

extension MPDClient {
  /// Sends a command and returns its reply. A refusal gets the words of `remedy` at the end of its message.
  @discardableResult
  mutating func ask(
    _ name: String, _ arguments: [ControlProtocol.Argument], timeout: Double,
    remedy: (ReplyParser.Refusal) -> String?
  ) throws -> ReplyFields {
    do {
      return try ask(name, arguments, timeout: timeout)
    } catch ControlClientError.refused(var refusal) {
      if let remedy = remedy(refusal) { refusal.message += "; \(remedy)" }
      throw ControlClientError.refused(refusal)
    }
  }
}

struct ProtocolTrouble: Error, CustomStringConvertible {
  var description: String { "unexpected reply from the server" }
}

extension CommandConfiguration {
  /// Returns the configuration of a command that connects to a server. The default `usage` is the parser's.
  static func control(
    _ name: String, _ abstract: String, usage: String? = nil, _ discussion: String = ""
  ) -> Self {
    CommandConfiguration(
      commandName: name, abstract: abstract, usage: usage,
      discussion: discussion.isEmpty ? ControlTrouble.help : "\(discussion)\n\n\(ControlTrouble.help)")
  }
}
