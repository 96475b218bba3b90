package import Foundation

/// Runs a program of the system's to its end, and returns what it prints. Throws if its status is not 0.
@discardableResult
package func runTool(_ tool: String, _ arguments: [String], in folder: String? = nil) throws -> Data {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  let pipe = Pipe()
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    let command = ([tool] + arguments).joined(separator: " ")
    throw ConnectionTrouble("\(command): status \(process.terminationStatus); is \(tool) installed?")
  }
  return data
}
