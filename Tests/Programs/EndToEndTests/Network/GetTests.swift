import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// `continuo get`, as a process that is killed, stopped and refused.
  @Suite struct GetTests {
    private let folder: TemporaryFolder
    private static let content: [UInt8] = {
      var random = RandomSource(seed: 5)
      return random.bytes(1 << 20)
    }()

    init() throws { folder = try TemporaryFolder() }

    private func get(_ arguments: String...) throws -> Run {
      try Run("continuo", ["get", "--output", folder.path] + arguments)
    }

    /// A version of a large file: each MiB of it is another one.
    private func large(_ version: Int, megabytes: Int) -> [UInt8] {
      (0..<megabytes).flatMap { part in
        [UInt8(version), UInt8(part)] + Self.content.dropFirst(2)
      }
    }

    /// The steps, with what is long in pieces.
    private func slowly(_ steps: [HostileServer.Step], piece: Int, pause: Double) -> [HostileServer.Step] {
      steps.map { step in
        guard case .send(let bytes) = step, bytes.count > piece else { return step }
        return .sendSlowly(bytes, piece: piece, pause: pause)
      }
    }

    @Test(
      "A file comes whole under its name; what is there is not fetched again, or replaced when that is wished"
    )
    func whole() async throws {
      let server = try HostileServer { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let url = server.url("/music/a%20song.mp3?token=SECRET")
      let log = try await get(url).finished()
      #expect(log.output == ["\(folder.path)/a song.mp3: 1.0 MB"] && log.errors.isEmpty)
      #expect(try folder.read("a song.mp3") == Self.content && folder.names == ["a song.mp3"])
      let again = try await get(url).finished(status: 73)
      #expect(again.errors == ["continuo: \(folder.path)/a song.mp3 is there already"])
      #expect(server.requests.count == 1)
      try folder.write("a song.mp3", "old")
      _ = try await get("--force", url).finished()
      #expect(try folder.read("a song.mp3") == Self.content)
    }

    @Test("The names of the file and of the folder need not be UTF-8")
    func names() async throws {
      let server = try HostileServer { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      try folder.write("content", Self.content)
      let script = """
        set -e
        cd "$1"
        f=$(printf 'f\\351.mp3') d=$(printf 'd\\351')
        mkdir "$d"
        "$0" get --output "$f" "$2"
        "$0" get --output "$d" "$2"
        cmp "$f" content
        cmp "$d/song.mp3" content
        test $(ls | wc -l) = 3
        """
      let run = try Run("sh", ["-c", script, product("continuo"), folder.path, server.url("/song.mp3")])
      _ = try await run.finished()
    }

    @Test(
      "One of several URLs fails, with its reason and without secrets; the others come; the status says so")
    func several() async throws {
      let server = try HostileServer { request in
        if request.target == "/none.mp3?SECRET" {
          return [.send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))]
        }
        return HostileFile(Array(request.target.utf8)).answer(request)
      }
      defer { server.stop() }
      let secret = server.url("/none.mp3?SECRET").replacing("://", with: "://user:SECRET@")
      let log = try await get(
        "--header", "X-Mine: 7", server.url("/1.mp3"), secret, server.url("/2.mp3")
      ).finished(status: 1)
      #expect(log.errors == ["continuo: \(folder.path)/none.mp3: 127.0.0.1 answered 404"])
      #expect(folder.names == ["1.mp3", "2.mp3"])
      #expect(try folder.read("2.mp3") == Array("/2.mp3".utf8))
      #expect(server.requests.allSatisfy { $0.fields["x-mine"] == "7" })
      #expect(server.requests[1].fields["authorization"] != nil)
    }

    @Test(
      "A command line that makes no sense",
      arguments: [
        (["http://h/"], "no file name"), (["http://h/.bashrc"], "no file name"),
        (["http://h/a/.."], "no file name"), (["ftp://u:p@h/a"], "ftp: URLs are not supported"),
        (["a.mp3"], "not a URL like"),
        (["http://h/a", "http://i/a"], "would both be"),
        (["--output", "-", "http://h/a"], "get writes files"),
        (["--output", "/etc/passwd", "http://h/a", "http://h/b"], "need a folder"), ([], "url"),
        (["http://h/" + String(repeating: "a", count: 240)], "no file name"),
      ])
    func senseless(_ arguments: [String], _ text: String) async throws {
      let log = try await Run("continuo", ["get"] + arguments).finished(status: 64)
      #expect(log.errors.joined().contains(text), "\(log)")
    }

    @Test("Ctrl-C keeps what came and says so; the same command goes on with it; two at once are refused")
    func interrupted() async throws {
      let content = large(1, megabytes: 4)
      let isSlow = Mutex(true)
      let server = try HostileServer { request in
        let steps = HostileFile(content).answer(request)
        return isSlow.withLock { $0 } ? slowly(steps, piece: 524_288, pause: 10) : steps
      }
      defer { server.stop() }
      let part = folder.file("a.mp3.part")
      let run = try get(server.url("/a.mp3"))
      let clock = ContinuousClock()
      let limit = clock.now + .seconds(120)
      while (try? folder.read("a.mp3.part").count) ?? 0 < 300_000, clock.now < limit {
        try await Task.sleep(for: .milliseconds(5))
      }
      let second = try await get(server.url("/a.mp3")).finished(status: 73)
      #expect(second.errors == ["continuo: \(folder.path)/a.mp3 is being downloaded already"])
      run.child.signal(SIGINT)
      let log = try await run.finished(status: 130)
      #expect(log.errors.last?.contains("kept; run the same command to resume") == true)
      let count = try Data(contentsOf: URL(fileURLWithPath: part)).count
      #expect(count >= 300_000)
      isSlow.withLock { $0 = false }
      let rest = try await get(server.url("/a.mp3")).finished()
      #expect(rest.output.first?.contains("resuming at") == true)
      #expect(server.requests.last?.first == count - 65_536)
      #expect(try folder.read("a.mp3") == content && folder.names == ["a.mp3"])
    }

    @Test("On a terminal, a message takes the place of the progress line")
    func messages() async throws {
      let isSeen = DispatchSemaphore(value: 0)
      var file = HostileFile(Self.content)
      file.cut = 300_000
      file.ending = .call { _ = isSeen.wait(timeout: .now() + 120) }
      let (cut, whole) = (file, HostileFile(Self.content))
      let server = try HostileServer { $0.number == 1 ? cut.answer($0) + [.close] : whole.answer($0) }
      defer { server.stop() }
      let terminal = try PseudoTerminal()
      let child = try Child(
        [product("continuo"), "get", "--output", folder.path, server.url("/a.mp3")],
        environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TERM": "xterm"],
        streams: .terminal(path: terminal.path))
      try await terminal.shows("a.mp3")
      isSeen.signal()
      _ = try await child.ended()
      let output = try await terminal.shows("a.mp3: 1.0 MB")
      #expect(output.contains("\r\u{1B}[Jcontinuo: "), "\(output.debugDescription)")
    }

    /// How often it is killed; the documentation of `Downloading` has the figure of 200 times.
    private static let kills = Rounds.count(4)

    /// Kills a program at random moments while it downloads, and begins it again until the file is there: one whole
    /// version of it, and at most 16 MiB of it fetched twice.
    private func kill(_ program: (_ url: String) throws -> Run) async throws {
      let size = 24
      let versions = (0..<2).map { large($0, megabytes: size) }
      let version = Mutex(0)
      let server = try HostileServer { request in
        let version = version.withLock { $0 }
        var file = HostileFile(versions[version])
        file.tag = "\"\(version)\""
        return slowly(file.answer(request), piece: 524_288, pause: 0.002)
      }
      defer { server.stop() }
      var random = RandomSource(seed: UInt64.random(in: 0 ... .max))
      let clock = ContinuousClock()
      for number in 0..<Self.kills {
        let sent = server.bytesSent
        let run = try program(server.url("/a.bin"))
        // A moment that the bytes tell, so that a slow machine is killed as far on its way as a fast one.
        let goal = random.below(size << 20)
        let limit = clock.now + .seconds(10)
        while server.bytesSent - sent < goal, clock.now < limit {
          try await Task.sleep(for: .milliseconds(1))
        }
        run.child.signal(SIGKILL)
        _ = try await run.child.ended()
        let isThere = folder.names.contains("a.bin")
        let isChanged = !isThere && number % 2 == 1
        if isChanged { version.withLock { $0 = 1 - $0 } }
        if !isThere {
          _ = try await program(server.url("/a.bin")).finished()
        }
        let result = try folder.read("a.bin")
        // Not in the macro, which would print 24 MB.
        let isWhole = result == versions[version.withLock { $0 }]
        #expect(isWhole)
        if !isChanged { #expect(server.bytesSent - sent <= (size + 16) << 20) }
        try FileManager.default.removeItem(atPath: folder.file("a.bin"))
      }
    }

    @Test(
      "SIGKILL at random moments, the file changed in half of them: one whole version, little fetched twice")
    func killed() async throws {
      try await kill { try get($0) }
      #expect(folder.names == [])
    }

    @Test("the same of an application with a background session")
    func killedApplication() async throws {
      let state = try TemporaryFolder()
      try await kill { url in
        try Run(
          "env",
          ["XDG_STATE_HOME=\(state.path)", product("DownloadProbe"), url, folder.file("a.bin")])
      }
    }

    @Test("A disk that takes no more, and folders that take nothing: 73, with the reason")
    func full() async throws {
      let server = try HostileServer { HostileFile(Self.content).answer($0) }
      defer { server.stop() }
      let command =
        "ulimit -f 500; exec '\(product("continuo"))' get --output '\(folder.path)' \(server.url("/a.mp3"))"
      let limited = try Run("sh", ["-c", command])
      let log = try await limited.finished(status: 73)
      #expect(log.errors == ["continuo: cannot write \(folder.path)/a.mp3.part: File too large"])
      #expect(folder.names == [])
      let none = try await Run("continuo", ["get", "-o", "\(folder.path)/none/", server.url("/a.mp3")])
        .finished(status: 73)
      #expect(
        none.errors == ["continuo: cannot write \(folder.path)/none/a.mp3.part: No such file or directory"])
      // Not even root can write there.
      let closed = try await Run("continuo", ["get", "-o", "/proc", server.url("/a.mp3")]).finished(
        status: 73)
      #expect(closed.errors.first?.hasPrefix("continuo: cannot write /proc/a.mp3.part") == true)
    }
  }
}
