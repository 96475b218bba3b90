import Foundation

/// A program that a test runs: its output is read with a limit, and it is gone when its owner is.
package final class Program {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// The server in a process of its own, built with the tests.
  package static var probe: String {
    Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("ControlServerProbe").path
      ?? ""
  }

  package init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // Only the program holds it: its end is the end of the output.
    try output.fileHandleForWriting.close()
  }

  /// Runs the server by a shell that has done something first.
  package static func shell(_ before: String, _ arguments: [String]) throws -> Program {
    try Program(["sh", "-c", "\(before); exec \"$@\"", "sh", probe] + arguments)
  }

  deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// The next line of its output; empty at the end.
  package func line(limit: Double = 120) throws -> String {
    var bytes: [UInt8] = []
    let descriptor = output.fileHandleForReading.fileDescriptor
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(limit * 1000)) > 0 else { throw Silence() }
      var byte: UInt8 = 0
      guard read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") else {
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
  }

  /// The program says nothing.
  package struct Silence: Error {}

  /// Ends its input, which asks it to end.
  package func endInput() { try? input.fileHandleForWriting.close() }

  package func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for its end.
  package func status() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}

extension Program {
  /// Bytes of memory that it has of its own.
  package var memory: Int {
    let pages = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
    return (pages?.split(separator: " ").dropFirst().first).flatMap { Int($0) }.map { $0 * 4096 } ?? 0
  }

  /// Seconds of processor time so far, to a hundredth.
  package var processorTime: Double {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // After the name, which may contain anything, up to its parenthesis: fields 14 and 15 of proc(5).
    guard let fields = status?.split(separator: ")").last?.split(separator: " "), fields.count > 12,
      let user = Double(fields[11]), let system = Double(fields[12])
    else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
