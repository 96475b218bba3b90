import Continuo
import PulseTestSupport
import Testing

@Suite("UIApplicationMain", .timeLimit(.minutes(10)))
struct ApplicationMainTests {
  /// On the program's file system, for the link.
  private let folder = URL(fileURLWithPath: product("ContinuoProbe")).deletingLastPathComponent()
    .appendingPathComponent("probe-\(UUID().uuidString)")

  /// What the probe says, in a folder with that `Info.plist`; and its status.
  private func run(_ style: String, infoPlist: String?) throws -> (
    status: Int32, output: String, errors: String
  ) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appendingPathComponent("Probe")
    // Not a copy: a program that another test starts at this moment has the file open for writing until it runs, and the kernel
    // does not execute such a file.
    try FileManager.default.linkItem(atPath: product("ContinuoProbe"), toPath: program.path)
    try infoPlist?.write(to: folder.appendingPathComponent("Info.plist"), atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "120", program.path, style]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // A few lines: neither pipe fills while the other is read.
    let texts = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return (process.terminationStatus, texts[0], texts[1])
  }

  private func plist(_ content: String) -> String {
    "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>"
  }

  @Test("Launches the delegate with the modes of Info.plist and runs", arguments: ["application", "main"])
  func launch(_ style: String) throws {
    let modes = "<key>UIBackgroundModes</key><array><string>audio</string><string>music</string></array>"
    let result = try run(style, infoPlist: plist(modes))
    #expect(result.status == 0 && result.output == "launched, inactive, modes audio\nactive\n")
    #expect(result.errors.contains("unknown background mode \"music\""))
  }

  @Test("Without an Info.plist there are no modes")
  func noModes() throws {
    let result = try run("main", infoPlist: nil)
    #expect(result.status == 0 && result.output == "launched, inactive, modes none\nactive\n")
    #expect(result.errors.isEmpty)
  }

  @Test("A damaged Info.plist is said, and ends the program")
  func damaged() throws {
    let result = try run("main", infoPlist: "<plist>")
    #expect(
      result.status == 78 && result.output.isEmpty
        && result.errors.contains("Info.plist: not a property list"))
  }
}
