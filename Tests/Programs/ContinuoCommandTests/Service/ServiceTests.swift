import Foundation
import Glibc
import TestSupport
import Testing

@testable import ContinuoCommand

/// What the service manager is told and given.
@Suite struct ServiceTests {
  /// Binds a datagram socket, has `ServiceManager` speak to it, and returns what came.
  private func received(at address: String, _ body: (ServiceManager) -> Void) throws -> [String] {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var bytes = Array(address.utf8)
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes[0] == 0 ? 0 : 1)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    #expect(result == 0)
    body(try #require(ServiceManager(address: address)))
    var messages: [String] = []
    var buffer = [UInt8](repeating: 0, count: 100)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return messages }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }

  @Test func tellsAtAPathAndAtAnAbstractName() throws {
    let folder = try TemporaryFolder()
    for address in [folder.file("notify"), "@continuo-test-\(UUID().uuidString)"] {
      let messages = try received(at: address) { manager in
        manager.tell(.ready)
        manager.tell(.stopping)
      }
      #expect(messages == ["READY=1", "STOPPING=1"])
    }
  }

  @Test(arguments: ["", "/", "relative", String(repeating: "/x", count: 60)])
  func addressThatIsNone(_ address: String) { #expect(ServiceManager(address: address) == nil) }

  @Test func managerThatDoesNotListenIsNotWaitedFor() throws {
    let folder = try TemporaryFolder()
    try #require(ServiceManager(address: folder.file("nobody"))).tell(.ready)
  }

  @Test(arguments: [
    ("plain", "plain"), ("", "\"\""), ("a b", "\"a b\""), ("100%", "100%%"), ("$HOME", "$$HOME"),
    ("say \"hi\"", "\"say \\\"hi\\\"\""), ("it's", "\"it's\""), ("back\\slash", "\"back\\\\slash\""),
  ])
  func wordsOfACommandLine(_ word: String, _ expected: String) {
    #expect(SystemdUnits.quoted(word) == expected)
  }

  /// Each line is a section, an assignment, a remark or empty; the socket is the one that clients look for.
  @Test func unitsAreWellFormed() {
    let text = SystemdUnits.text(
      program: "/usr/bin/continuo", arguments: ["--home", "/srv/my music"], directory: nil,
      socket: SystemdUnits.Socket())
    for line in text.split(separator: "\n") {
      let isAssignment = line.firstIndex(of: "=").map { line[..<$0].allSatisfy(\.isLetter) } ?? false
      #expect(line.hasPrefix("#") || line.hasPrefix("[") && line.hasSuffix("]") || isAssignment, "\(line)")
    }
    #expect(text.contains("\nExecStart=/usr/bin/continuo serve --home \"/srv/my music\"\n"))
    #expect(text.contains("\nExecReload=/bin/sh -c \"kill -HUP ${MAINPID}\"\n"))
    #expect(text.contains("\nListenStream=%t/continuo/socket\n"))
    #expect(text.contains("\nType=notify\n"))
    #expect(text.contains("\nSuccessExitStatus=143\n"))
    // What only widens a filter comes after it.
    let filters = text.split(separator: "\n").filter { $0.hasPrefix("SystemCallFilter=") }
    #expect(
      filters == [
        "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged @resources",
        "SystemCallFilter=@chown @setuid capset setpriority",
      ])
    #expect(text.contains("\nSocketMode=0600\nDirectoryMode=0700\n") && !text.contains("SocketGroup"))
    #expect(text.contains("\nStartLimitIntervalSec=60\n") && !text.contains("WorkingDirectory"))
  }

  /// Systemd creates the socket, so its options are settings of the socket's unit.
  @Test func socketOptionsAreInTheSocketUnit() {
    let arguments = SystemdUnits.arguments([
      "--print-systemd-unit", "--socket", "s", "--home", "Music", "--socket-mode=0660", "--socket-group",
      "audio",
    ])
    let text = SystemdUnits.text(
      program: "continuo", arguments: arguments, directory: "/srv/100 %",
      socket: SystemdUnits.Socket(path: "/srv/100 %/s", mode: 0o660, group: "audio"))
    #expect(
      text.contains(
        "\nListenStream=/srv/100 %%/s\nSocketMode=0660\nSocketGroup=audio\nDirectoryMode=0711\n"))
    #expect(text.contains("\nWorkingDirectory=/srv/100 %%\nExecStart=continuo serve --home Music\n"))
  }
}
