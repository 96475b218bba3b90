import Clocks
import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Background sessions under `continuo phone run`: transfers of an application that is stopped or has ended.
  @Suite struct PhoneTransferTests {
    private typealias Phone = PhoneTests.Phone

    private static let content: [UInt8] = {
      var random = RandomSource(seed: 7)
      return random.bytes(1 << 20)
    }()

    private let folder: TemporaryFolder
    /// Opened for each answer that waits.
    private let gate = DispatchSemaphore(value: 0)
    private var target: String { folder.file("target") }
    private var state: String { "XDG_STATE_HOME=\(folder.file("state"))" }

    init() throws { folder = try TemporaryFolder() }

    /// What the phone keeps of the probe's transfers.
    private var kept: [String] {
      let path = folder.file("state/continuo/transfers/DownloadProbe")
      return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func phone(_ words: String..., options: [String] = []) throws -> Phone {
      try Phone(
        ["/usr/bin/env", state, product("DownloadProbe"), "phone"] + words,
        options: ["--grace", "0"] + options)
    }

    /// A server whose first answer waits for the gate: with half of the file, or all of it.
    private func server(
      upload: Bool = false, _ answer: @escaping @Sendable (HostileServer.Request) -> [HostileServer.Step]
    ) throws -> HostileServer {
      let wait = HostileServer.Step.call { [gate] in _ = gate.wait(timeout: .now() + 120) }
      return try HostileServer { request in
        let steps = answer(request)
        guard request.number == 1 else { return steps }
        guard case .send(let body)? = steps.last, steps.count > 1 else { return [wait] + steps }
        return steps.dropLast() + [.send(Array(body[..<(body.count / 2)])), wait]
          + [.send(Array(body[(body.count / 2)...]))]
      }
    }

    /// Ends a phone, as a rule once nothing is left of its transfers: those are deleted after the delegate's calls.
    private func end(_ phone: Phone, isIdle: Bool = true) async throws {
      let start = SystemClock.shared.now
      while isIdle, kept != ["lock"] {
        guard SystemClock.shared.now.seconds(since: start) < 120 else {
          throw Failure("left behind: \(kept)")
        }
        // Nobody tells of another process's files.
        try await Task.sleep(for: .milliseconds(5))
      }
      phone.run.child.signal(SIGTERM)
      _ = try await phone.run.finished(status: 128 + SIGTERM)
    }

    @Test("A download goes on while the application is stopped, over the same connection, and wakes it")
    func suspended() async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      // The transfer belongs to the phone even if the application has used a default session before.
      let phone = try phone("download", server.url("/a"), target, "foreground")
      try await phone.line("received \(Self.content.count / 2)")
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      gate.signal()
      let woken = try await phone.line("woken for phone", after: count)
      // Nothing is heard before.
      #expect(
        phone.output[count..<woken].allSatisfy { $0.contains("woken") || $0.contains("\"background\"") })
      let ended = try await phone.line("completed 200", after: woken)
      try await phone.state("suspended", after: try await phone.line("all events", after: ended))
      #expect(try folder.read("target") == Self.content && server.requests.count == 1)
      #expect(!phone.output[count...].contains("active"))
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test(
      "A delayed download wakes or launches the application, and starts as its delegate answers",
      arguments: [false, true])
    func delayed(_ isTerminated: Bool) async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      gate.signal()
      let phone = try phone("download", server.url("/a"), target, "delayed")
      try await phone.line("begun")
      try await phone.tell(isTerminated ? "terminate" : "home")
      let count = try await phone.state(isTerminated ? "notRunning" : "suspended")
      let woken = try await phone.line("woken for phone", after: count)
      #expect(server.requests.isEmpty)
      // The question may come before or after.
      try await phone.line("due")
      try await phone.line("completed 200", after: woken)
      #expect(
        server.requests.map { $0.fields["x-asked"] } == ["1"] && !phone.output[count...].contains("active"))
      #expect(try folder.read("target") == Self.content)
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test("An upload goes on while the application is stopped, and its answer wakes it")
    func upload() async throws {
      let server = try server { _ in
        [.send(HostileFile.head("201 Created", ["Content-Length: 4"]) + Array("kept".utf8))]
      }
      defer { server.stop() }
      let file = try folder.write("song", Self.content)
      let phone = try phone("upload", server.url("/a"), file)
      try await phone.line("sent \(Self.content.count)")
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      gate.signal()
      let woken = try await phone.line("woken for phone", after: count)
      try await phone.line("answer kept", after: woken)
      try await phone.line("completed 201", after: woken)
      #expect(server.requests.map(\.body) == [Self.content])
      #expect(server.requests.first?.fields["user-agent"] == "DownloadProbe")
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test("A transfer that fails wakes the application too")
    func failed() async throws {
      let server = try server { HostileFile.plain("302 Found", ["Location: \($0.target)"]) }
      defer { server.stop() }
      let phone = try phone("download", server.url("/a"), target)
      try await phone.line("begun")
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      gate.signal()
      try await phone.line("completed -1007", after: try await phone.line("woken for phone", after: count))
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test(
      "An application that has ended is launched by its transfers, in the background",
      arguments: [false, true])
    func terminated(_ isFault: Bool) async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let phone =
        try isFault
        ? phone("download", server.url("/a"), target, "hang") : phone("download", server.url("/a"), target)
      try await phone.line("received \(Self.content.count / 2)")
      let first = try await phone.process()
      try await phone.tell(isFault ? "home" : "terminate")
      let count = try await phone.state("notRunning")
      if isFault { #expect(phone.run.log.value.errors.contains { $0.contains("0x8badf00d") }) }
      _ = try await phone.run.log.wait(for: "the reason to wait") { log in
        log.errors.contains { $0.contains("background transfers continue, and will launch it again") }
      }
      gate.signal()
      try await phone.line("all events", after: try await phone.line("woken for phone", after: count))
      #expect(try await phone.process() != first)
      let lines = phone.output[count...]
      #expect(lines.contains("background") && lines.contains("completed 200") && !lines.contains("active"))
      #expect(try folder.read("target") == Self.content && server.requests.count == 1)
      try await phone.state("suspended", after: count)
      try await phone.tell("foreground")
      try await phone.line("active", after: count)
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test("An application that was launched again and makes no session is woken for it all the same")
    func unopened() async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let phone = try phone("download", server.url("/a"), target, "once")
      try await phone.line("received \(Self.content.count / 2)")
      try await phone.tell("terminate")
      var count = try await phone.state("notRunning")
      try await phone.tell("launch")
      count = try await phone.state("active", after: count)
      try await phone.tell("home")
      count = try await phone.state("suspended", after: count)
      gate.signal()
      try await phone.line("completed 200", after: try await phone.line("woken for phone", after: count))
      try await end(phone)
    }

    @Test(
      "A session whose identifier is too long for an order wakes nobody, which is said, and waits for the user"
    )
    func longIdentifier() async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let phone = try phone("download", server.url("/a"), target, "long")
      try await phone.line("received \(Self.content.count / 2)")
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      gate.signal()
      _ = try await phone.run.log.wait(for: "the reason") { log in
        log.errors.contains {
          $0.contains("is not woken for a background session: its identifier is longer than 8000 bytes")
        }
      }
      try await phone.tell("foreground")
      try await phone.line("completed 200", after: count)
      #expect(!phone.output.contains { $0.hasPrefix("woken") })
      try await end(phone)
    }

    @Test(
      "Without a user the phone ends once the transfers of an application that has ended are done",
      arguments: [["home"], ["terminate"], ["terminate", "home"]])
    func alone(_ events: [String]) async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let isFault = events == ["home"]
      let phone = try phone(
        "download", server.url("/a"), target, "early", isFault ? "hang" : "",
        options: events.enumerated().flatMap { ["--at", "\($0):\($1)"] })
      try await phone.state("notRunning")
      gate.signal()
      let log = try await phone.run.finished(status: isFault ? 70 : 0)
      #expect(log.output.contains("completed 200") && log.output.contains("all events"))
      #expect(try folder.read("target") == Self.content && kept == ["lock"])
    }

    @Test("The phone's end stops the transfers; the next phone goes on with what is there")
    func nextPhone() async throws {
      let content = Self.content
      let server = try server { HostileFile(content).answer($0) }
      defer { server.stop() }
      do {
        let phone = try phone("download", server.url("/a"), target)
        try await phone.line("received \(content.count / 2)")
        try await phone.tell("home")
        try await phone.state("suspended")
        try await end(phone, isIdle: false)
      }
      gate.signal()
      #expect(kept.contains { $0.hasSuffix(".task") } && kept.contains { $0.hasSuffix(".part") })
      let phone = try phone("rest", target)
      try await phone.line("completed 206")
      let resumed = try #require(phone.output.first { $0.hasPrefix("resumed at ") })
      let first = try #require(Int(resumed.dropFirst("resumed at ".count)))
      #expect(first == content.count / 2 && server.requests.last?.first == first - 65_536)
      #expect(try folder.read("target") == content)
      try await end(phone)
      #expect(kept == ["lock"])
    }

    @Test("A person who quits the application cancels its transfers, of which the next launch hears")
    func quit() async throws {
      let server = try server { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let terminal = try PseudoTerminal()
      let child = try Child(
        [
          product("continuo"), "phone", "run", "--no-socket", "/usr/bin/env", state, product("DownloadProbe"),
          "phone", "download", server.url("/a"), target,
        ],
        environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], streams: .terminal(path: terminal.path))
      try await terminal.shows("received \(Self.content.count / 2)")
      terminal.type("q")
      #expect(try await child.ended().status == 0)
      gate.signal()
      #expect(kept.contains { $0.hasSuffix(".task") })
      let phone = try phone("rest", target)
      try await phone.line("completed -999, reason 0")
      #expect(server.requests.count == 1 && !folder.names.contains("target"))
      try await end(phone)
      #expect(kept == ["lock"])
    }
  }
}
