import ArgumentParser
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder
@testable import ContinuoCommand

/// What stands on the pages for a shell is what bash understands, and the programs take the arguments that it has for them.
@Suite("The documentation's commands", .timeLimit(.minutes(10)))
struct ShellTests {
  @Test("are understood by bash and by the programs", arguments: Page.all.filter { !$0.shellBlocks.isEmpty })
  func areUnderstood(page: Page) async throws {
    for block in page.shellBlocks {
      for call in try await calls(in: block) {
        #expect(
          problem(call) == nil, "\(page.path), block at line \(block.line): \(call.joined(separator: " "))")
      }
    }
  }

  @Test("are looked at: an option that is gone, and a quote that is missing, are found")
  func findsMistakes() async throws {
    let block = Page.Block(
      line: 1, code: "swift run -c release continuo play --gone 'a  b' &\ncontinuo pause\n")
    #expect(
      try await Set(calls(in: block)) == [["continuo", "play", "--gone", "a  b"], ["continuo", "pause"]])
    #expect(problem(["continuo", "play", "--gone", "a"])?.contains("--gone") == true)
    #expect(problem(["Backgrounder", "audio", "--gone"])?.contains("--gone") == true)
    await #expect(throws: Failure.self) {
      try await calls(in: Page.Block(line: 1, code: "continuo play 'a\n"))
    }
  }

  /// What a program says of the arguments that it does not take; nil if it takes them.
  private func problem(_ call: [String]) -> String? {
    var arguments = call.dropFirst()
    var program: any ParsableCommand.Type =
      call.first == "Backgrounder" ? BackgrounderCommand.self : RootCommand.self
    // To ask the whole program takes longer.
    if let command = program.configuration.subcommands.first(where: { Self.name($0) == arguments.first }) {
      (program, arguments) = (command, arguments.dropFirst())
    }
    do {
      // As root: the result may be a command of the command.
      _ = try program.parseAsRoot(Array(arguments))
      return nil
    } catch {
      // Help, a version or a script for a shell are no failure.
      return program.exitCode(for: error) == .success ? nil : program.message(for: error)
    }
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }

  /// Runs a block in a bash that has no programs but mkdir, and returns what it calls Continuo's programs with.
  private func calls(in block: Page.Block) async throws -> [[String]] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let script = """
      cd "$HOME"
      PATH=/nowhere
      command_not_found_handle() { :; }
      mkdir() { command -p mkdir "$@"; }
      record() { printf '%s\\0' "$#" "$@" >> "$HOME/calls"; }
      continuo() { record continuo "$@"; }
      swift() {
        [ "$1" = run ] || return 0
        shift
        [ "$1" = -c ] && shift 2
        case $1 in continuo | Backgrounder) record "$@" ;; esac
      }
      source "$0" || exit
      wait
      """
    let path = try folder.write("block", Array((block.code + "true\n").utf8))
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    let log = open(folder.file("log"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer {
      close(null)
      close(log)
    }
    for arguments in [["-n", path], ["-c", script, path]] {
      let shell = try Child(
        ["bash"] + arguments, environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"],
        streams: .descriptors(input: null, output: null, error: log))
      guard try await shell.ended().status == 0 else {
        throw Failure("block at line \(block.line): \(try folder.read("log").asText)")
      }
    }
    var words =
      (try? folder.read("calls"))?.split(separator: 0, omittingEmptySubsequences: false).map(\.asText)[...]
      ?? []
    var calls: [[String]] = []
    while let count = words.popFirst().flatMap({ Int($0) }) {
      calls.append(Array(words.prefix(count)))
      words = words.dropFirst(count)
    }
    return calls
  }
}

extension Collection<UInt8> {
  fileprivate var asText: String { String(decoding: self, as: UTF8.self) }
}
