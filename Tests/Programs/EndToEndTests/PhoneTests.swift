import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// `continuo phone run`: a suspension that stops processes, and an end that ends them.
  @Suite struct PhoneTests {
    /// A phone with the probe, or another program, and its control socket.
    final class Phone: Sendable {
      let run: Run
      private let folder: TemporaryFolder
      private var socket: String { folder.file("phone/socket") }

      init(_ program: [String], options: [String] = [], server: String? = nil) throws {
        folder = try TemporaryFolder()
        run = try Run(
          "continuo",
          ["phone", "run", "--events", "-", "--socket", folder.file("phone/socket")] + options + program,
          server: server)
      }

      convenience init(words: String..., options: [String] = [], server: String? = nil) throws {
        try self.init([product("ContinuoProbe"), "phone"] + words, options: options, server: server)
      }

      deinit { folder.remove() }

      var output: [String] { run.log.value.output }

      /// Has a client give a command, and waits until the phone has answered it.
      func tell(_ command: String) async throws {
        let answer = try await Conversation(socket).ask(command)
        guard answer.last == "OK" else { throw Failure("\(answer)") }
      }

      /// Waits for a line that contains this, behind so many lines; returns how many lines there are up to it.
      @discardableResult
      func line(_ text: String, after count: Int = 0) async throws -> Int {
        let log = try await run.log.wait(for: "\(text) after \(count) lines") { log in
          log.output.dropFirst(count).contains { $0.contains(text) }
        }
        return (log.output[count...].firstIndex { $0.contains(text) } ?? count) + 1
      }

      @discardableResult
      func state(_ state: String, after count: Int = 0) async throws -> Int {
        try await line("\"state\":\"\(state)\"", after: count)
      }

      /// The program's process, of its latest launch. Its lines and the phone's come in any order.
      func process() async throws -> pid_t {
        try await self.line("launched ")
        let line = try #require(output.last { $0.hasPrefix("launched ") })
        return try #require(pid_t(line.dropFirst("launched ".count).prefix { $0.isNumber }))
      }
    }

    /// The processes of a session.
    private func processes(of session: pid_t) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { process in
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        // One that nobody has reaped yet is none.
        return fields.count > 4 && fields[1] != "Z" && pid_t(fields[4]) == session
      }
    }

    private func becomesEmpty(_ session: pid_t) async throws {
      let start = SystemClock.shared.now
      while !processes(of: session).isEmpty {
        guard SystemClock.shared.now.seconds(since: start) < 120 else {
          throw Failure("left behind: \(processes(of: session))")
        }
        // Nobody tells of the end of a stranger's child.
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// The ticks and the switches of all threads of a session's processes, by thread.
    private func work(of session: pid_t) -> [String: String] {
      var work: [String: String] = [:]
      for process in processes(of: session) {
        let folder = "/proc/\(process)/task"
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
          let stat = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
          let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
          // The thread may have ended meanwhile.
          guard fields.count > 13 else { continue }
          let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
          let switches = status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
          work["\(thread)"] = "\(fields[1]) \(fields[12]) \(fields[13]) \(switches)"
        }
      }
      return work
    }

    /// The work of a session whose threads have stopped. The kernel shows a thread as stopped before it has left the
    /// processor, and counts that switch later.
    private func workAtRest(of session: pid_t) async throws -> [String: String] {
      let start = SystemClock.shared.now
      var last = work(of: session)
      while true {
        try await Task.sleep(for: .milliseconds(50))
        let next = work(of: session)
        if next == last { return next }
        guard SystemClock.shared.now.seconds(since: start) < 120 else { throw Failure("no rest: \(next)") }
        last = next
      }
    }

    /// The threads that are neither stopped nor, as the parent of a vfork(2), waiting for a stopped child. A shell starts its
    /// programs so (dash 0.5.12).
    private func running(_ work: [String: String]) -> [String] {
      work.values.filter { !$0.hasPrefix("T") && !$0.hasPrefix("D") }
    }

    @Test("An unlock resumes an application that was locked in front, also after a launch that has no effect")
    func unlock() async throws {
      let phone = try Phone(words: "child", options: ["--grace", "0"])
      try await phone.state("active")
      try await phone.tell("lock")
      let count = try await phone.state("suspended")
      try await phone.tell("launch")
      try await phone.tell("unlock")
      try await phone.state("active", after: count)
      try await phone.tell("terminate")
      try await phone.line("terminating")
    }

    @Test("While suspended no thread, timer, task or child runs; then they go on, late once")
    func stands() async throws {
      let phone = try Phone(words: "child", options: ["--grace", "0"])
      for work in ["active", "timer", "task", "thread", "child"] { try await phone.line(work) }
      try await phone.tell("home")
      try await phone.state("suspended")
      let session = try await phone.process()
      let count = phone.output.count
      let before = try await workAtRest(of: session)
      #expect(before.count > 3 && running(before) == [])
      try await Task.sleep(for: .seconds(2))
      #expect(work(of: session) == before)
      #expect(phone.output.count == count)
      try await phone.tell("foreground")
      let back = try await phone.line("active", after: count)
      for work in ["timer", "task", "thread", "child"] { try await phone.line(work, after: back) }
      // 200 were due. It runs again for a moment before it is active.
      #expect(phone.output[count..<back].count { $0 == "timer" } < 190)
      try await phone.tell("terminate")
      try await phone.line("terminating")
      try await phone.tell("launch")
      try await phone.line("launched", after: back)
      try await becomesEmpty(session)
      let next = try await phone.process()
      #expect(next != session)
      phone.run.child.signal(SIGTERM)
      _ = try await phone.run.finished(status: 128 + SIGTERM)
      try await becomesEmpty(next)
    }

    @Test("A descendant that has left the session stands and ends too", arguments: [false, true])
    func daemon(_ isKilled: Bool) async throws {
      let phone = try Phone(words: "silent", "daemon", options: ["--grace", "0"])
      try await phone.line("active")
      try await phone.line("daemon ")
      let name = try #require(phone.output.first { $0.hasPrefix("daemon ") })
      let daemon = try #require(pid_t(name.dropFirst("daemon ".count)))
      let session = getsid(daemon)
      #expect(session != (try await phone.process()))
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      let before = try await workAtRest(of: session)
      #expect(!before.isEmpty && running(before) == [])
      try await Task.sleep(for: .milliseconds(500))
      #expect(work(of: session) == before)
      try await phone.tell("foreground")
      try await phone.line("daemon ", after: count)
      phone.run.child.signal(isKilled ? SIGKILL : SIGTERM)
      try await becomesEmpty(session)
    }

    @Test("A background task keeps it running, also one that a thread begins late")
    func tasks() async throws {
      let phone = try Phone(words: "silent", "late", options: ["--grace", "100"])
      try await phone.line("active")
      try await phone.tell("home")
      let count = try await phone.line("granted")
      // Until the task's end and the grace of 5 s, less the time of the task and the delay.
      try await phone.state("suspended", after: count)
      try await phone.tell("foreground")
      try await phone.state("active", after: count)
      phone.run.child.signal(SIGINT)
      _ = try await phone.run.finished(status: 128 + SIGINT)
    }

    @Test("The watchdog kills an application that hangs, and its child, with a report")
    func watchdog() async throws {
      let phone = try Phone(words: "hang", "child")
      try await phone.line("child")
      let session = try await phone.process()
      try await phone.tell("home")
      let log = try await phone.run.finished(status: 70)
      #expect(log.errors.contains { $0.contains("0x8badf00d") })
      #expect(log.output.last?.contains("notRunning") == true)
      try await becomesEmpty(session)
    }

    @Test("A program that ends by itself ends the phone with its status; one that is killed has crashed")
    func ends() async throws {
      let leaving = try Phone(words: "leave")
      try await leaving.line("active")
      try await leaving.tell("home")
      _ = try await leaving.run.finished(status: 7)
      let killed = try Phone(words: "silent")
      try await killed.line("active")
      kill(try await killed.process(), SIGKILL)
      let log = try await killed.run.finished(status: 128 + SIGKILL)
      #expect(log.errors.contains { $0.contains("has crashed: killed by signal 9") })
    }

    @Test("A stranger is stopped and ended all the same, and that is said", arguments: [false, true])
    func stranger(_ isLost: Bool) async throws {
      let script = "trap '' TERM; echo launched $$; while :; do echo timer; sleep 0.02; done"
      let phone = try isLost ? Phone(words: "close") : Phone(["/bin/sh", "-c", script])
      // Its timers need the descriptors that it has closed.
      let work = isLost ? "thread" : "timer"
      try await phone.line(work)
      let session = try await phone.process()
      try await phone.tell("home")
      let count = try await phone.state("suspended")
      let reason = isLost ? "has closed its connection" : "has not made itself known"
      _ = try await phone.run.log.wait(for: reason) { $0.errors.contains { $0.contains(reason) } }
      let before = try await workAtRest(of: session)
      try await Task.sleep(for: .milliseconds(300))
      #expect(self.work(of: session) == before)
      try await phone.tell("foreground")
      try await phone.line(work, after: count)
      try await phone.tell("terminate")
      try await becomesEmpty(session)
      phone.run.child.signal(SIGTERM)
      _ = try await phone.run.finished(status: 128 + SIGTERM)
    }

    @Test("A home press of before the launch waits for it")
    func early() async throws {
      let phone = try Phone(words: "silent", "slow", options: ["--at", "0:home"])
      try await phone.state("suspended", after: try await phone.line("active"))
      phone.run.child.signal(SIGTERM)
      _ = try await phone.run.finished(status: 128 + SIGTERM)
    }

    @Test("No such program; a second phone at the socket")
    func refused() async throws {
      let log = try await Phone(["/nonexistent/program"]).run.finished(status: 66)
      #expect(log.errors.contains { $0.contains("/nonexistent/program: no such file or directory") })
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let arguments = [
        "phone", "run", "--socket", folder.file("a/socket"), product("ContinuoProbe"), "phone", "silent",
      ]
      let first = try Run("continuo", arguments)
      _ = try await first.log.wait(for: "a launch") { $0.output.contains("active") }
      let second = try await Run("continuo", arguments).finished(status: 73)
      #expect(second.errors.contains { $0.contains("already running") } && second.output.isEmpty)
      first.child.signal(SIGTERM)
      _ = try await first.finished(status: 128 + SIGTERM)
    }

    @Test("A phone that is killed, at any moment, takes everything with it", arguments: 0..<24)
    func killed(_ number: Int) async throws {
      let phone = try Phone(words: "child", "stubborn", options: ["--grace", "0"])
      try await phone.line("launched")
      let session = try await phone.process()
      if number % 3 > 0 {
        try await phone.line("active")
        try await phone.tell("home")
      }
      if number % 3 > 1 { try await phone.state("suspended") }
      phone.run.child.signal(SIGKILL)
      try await becomesEmpty(session)
    }

    @Test("Not a frame is lost by a suspension, and each step comes once")
    func sound() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 8, seed: 9)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let phone = try Phone(words: "silent", path, options: ["--grace", "0"], server: server.address)
      var count = 0
      for _ in 0..<3 {
        for _ in 0..<30 { count = try await phone.line("step ", after: count) }
        try await phone.tell("home")
        count = try await phone.state("suspended", after: count)
        let before = phone.output.count
        try await Task.sleep(for: .milliseconds(400))
        #expect(phone.output.count == before)
        try await phone.tell("foreground")
      }
      let log = try await phone.run.finished()
      #expect(log.output.contains("played"))
      #expect(log.output.filter { $0.hasPrefix("step ") }.map { Int64($0.dropFirst(5)) } == song.steps)
      let heard = Sound(try await capture.untilSilence()).withoutSilence
      let file = try await Sound.mpg123([path])
      expectSame(heard, file.withoutSilence)
    }
  }
}
