import Foundation

/// Runs `pactl` against a server. Throws if it does not end well within a minute.
@discardableResult package func pactl(_ address: String, _ arguments: String...) throws -> String {
  try pactl(address, arguments)
}

/// The same.
@discardableResult
package func pactl(_ address: String, _ arguments: some Sequence<String>) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  let arguments = Array(arguments)
  process.arguments = ["timeout", "60", "pactl", "--server=\(address)"] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Overdue(
      what: "pactl \(arguments.joined(separator: " "))", limit: 60, last: "\(process.terminationStatus)")
  }
  return String(decoding: data, as: UTF8.self)
}
