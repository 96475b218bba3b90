import AppLifecycle
import ContinuoTesting
import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The download screen with a real server.
  @Suite struct DownloadTests {
    private static let names = ["one", "two", "three", "four"].map { "\($0).mp3" }
    private static let downloaded = names.map { "Downloaded \($0)" }
    private let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A server of four files, which does not send the end of the first one until the rest is asked for.
    private func server(onClose: @escaping @Sendable () -> Void = {}) throws -> HostileServer {
      let file = HostileFile(content)
      return try HostileServer(
        { request in
          var file = file
          if request.target.hasSuffix("/one.mp3"), request.number == 1 {
            (file.cut, file.ending) = (200_000, .hang)
          }
          return file.answer(request)
        }, onClose: onClose)
    }

    private func arguments(_ server: HostileServer, _ more: [String]) -> [String] {
      ["download", "--service", server.url("/music"), "--downloads", folder.path] + more
    }

    /// Whether more of the first file was stored than the 4 KiB that are asked for again.
    private var hasPart: Bool {
      let part = try? FileManager.default.attributesOfItem(atPath: folder.file("one.mp3.part"))
      return (part?[.size] as? Int ?? 0) > 8_192
    }

    /// Expects the files that the server has, and no more.
    private func expectFiles() throws {
      for name in Self.names {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
        #expect(data.elementsEqual(content), "\(name)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
    }

    @MainActor @Test func filesAreTheServers() async throws {
      defer { folder.remove() }
      let file = HostileFile(content)
      let gate = DispatchSemaphore(value: 0)
      let server = try HostileServer { request in
        gate.wait()
        gate.signal()
        return file.answer(request)
      }
      try await withPhone(arguments(server, [])) { phone in
        try await phone.play("home@1")
        gate.signal()
        try await phone.wait(for: "| No more downloads")
        #expect(phone.lines == Self.downloaded + ["No more downloads"])
        #expect(server.requests.map(\.target) == Self.names.map { "/music/\($0)" })
        #expect(
          phone.device.record.only("task", "state background", "state suspended") == """
            1.000 task "Download" begun
            1.000 state background
            1.000 task "Download" ended
            1.000 state suspended
            """)
        try expectFiles()
      }
    }

    /// T6, with the program: where a suspended application has lost its connection it goes on by Range, and the file is the
    /// server's.
    @Test func aReclaimedConnectionIsReplaced() async throws {
      defer { folder.remove() }
      let server = try server()
      // No time for tasks: it is suspended at once.
      let run = try Run(arguments(server, ["--background-time", "0", "--script", "-"]))
      run.type("tap")
      let end = ContinuousClock.now + .seconds(120)
      while !hasPart, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
      run.type("home")
      try await run.line { $0.contains("sockets reclaimed: 127.0.0.1:") }
      run.type("foreground")
      try await run.printed("No more downloads")
      let transcript = try await run.quit()
      #expect(transcript.application.contains { $0.hasPrefix("Download interrupted: ") })
      #expect(transcript.application.contains { $0.hasPrefix("Going on at byte ") })
      #expect(transcript.application.filter { $0.hasPrefix("Downloaded") } == Self.downloaded)
      #expect(transcript.application.last == "No more downloads")
      #expect(server.requests.contains { $0.first ?? 0 > 0 && $0.fields["if-range"] == "\"1\"" })
      #expect(server.bytesSent < 4 * content.count + 500_000)
      #expect(transcript.errors.isEmpty)
      try expectFiles()
    }

    /// T10: begun before, asked for in didEnterBackground, closed by the expiration handler; no termination, and the rest in
    /// front.
    @MainActor @Test func theExpirationHandlerClosesTheConnection() async throws {
      defer { folder.remove() }
      let closings = Atomic(0)
      let server = try server { closings.add(1, ordering: .sequentiallyConsistent) }
      try await withPhone(arguments(server, [])) { phone in
        try await phone.wait(for: "a part of the first file") { hasPart }
        try await phone.play("home@1 quit@290")
        // Long before the front: the server waits for nothing.
        try await phone.wait(for: "the end of the connection") {
          closings.load(ordering: .sequentiallyConsistent) == 1
        }
        try await phone.play("foreground@300")
        try await phone.wait(for: "| No more downloads")
        #expect(
          phone.device.record.since(.seconds(1)).only("| Out", "task", "state", "terminated") == """
            1.000 state inactive
            1.000 task "Download" begun
            1.000 state background
            176.000 task "Download" expires
            176.000 | Out of time, 4 downloads left
            176.000 task "Download" ended
            176.000 state suspended
            300.000 state inactive
            300.000 state active
            """)
        #expect(phone.lines.contains { $0.hasPrefix("Going on at byte ") })
        #expect(phone.lines.filter { $0.hasPrefix("Downloaded") } == Self.downloaded)
        #expect(server.requests.contains { $0.first ?? 0 > 0 })
        try expectFiles()
      }
    }

    @MainActor @Test func whatIsNotThereIsSaidSo() async throws {
      defer { folder.remove() }
      let server = try HostileServer { _ in HostileFile.plain("404 Not Found") }
      try await withPhone(arguments(server, [])) { phone in
        try await phone.wait(for: "| No more downloads")
        #expect(phone.lines.count { $0.hasPrefix("Download of ") } == 4, "\(phone.lines)")
        #expect(phone.lines.last == "No more downloads")
      }
    }
  }
}
