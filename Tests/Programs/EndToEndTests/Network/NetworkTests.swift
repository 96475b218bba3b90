import Foundation
import NetworkTestSupport
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// URLs, from servers that do everything wrong. Sound is rendered to a file, which waits for bytes.
  @Suite struct NetworkTests {
    /// Plays `arguments` into a file and returns what is in it.
    private func render(
      _ arguments: [String], in studio: Studio, status: Int32 = 0
    ) async throws -> (sound: Sound, player: Player) {
      let file = "\(studio.folder)/heard-\(UUID().uuidString).wav"
      let player = try studio.play(arguments + ["--output", "wav:\(file)"])
      #expect(try await player.ended().status == status, "\(player.log.value)")
      return (try Sound(waveFile: file), player)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    enum Cut: CaseIterable {
      case large, small, reset, withoutTag, anotherTagEachTime, wrongPlace, noParts, multipart
    }

    @Test(
      "Cut again and again: what is heard is the file, and each request begins where it should",
      arguments: Cut.allCases)
    func cuts(_ cut: Cut) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: cut == .small ? 1 : 10).write(into: studio.folder)
      let content = try bytes(path)
      let server = try HostileServer { request in
        var file = HostileFile(content)
        let limit = cut == .small ? 4_099 : 65_536
        file.cut = limit
        switch cut {
        case .large, .small: break
        case .reset: file.ending = .reset
        case .withoutTag: file.tag = nil
        case .anotherTagEachTime: file.tag = "\"v\(request.number)\""
        // From the second request on these send the whole, which must not be cut always.
        case .wrongPlace:
          file.rangeError = 1_000
          if request.number > 3 { file.cut = nil }
        case .noParts:
          file.refusesParts = true
          if request.number > 3 { file.cut = nil }
        case .multipart:
          if request.number > 1 { file.lines = ["Content-Type: multipart/byteranges; boundary=x"] }
          if request.number > 3 { file.cut = nil }
        }
        return file.answer(request)
      }
      defer { server.stop() }
      let (sound, player) = try await render([server.url("/a.mp3")], in: studio)
      expectSame(sound, try await Sound.mpg123([path]))
      #expect(player.events.network(of: 0).last?.what == "complete")
      if cut == .large {
        var place = 0
        for (index, request) in server.requests.enumerated() {
          #expect(request.first == max(0, place - 4_096))
          #expect(request.fields["if-range"] == (index == 0 ? nil : "\"1\""))
          place = max(0, place - 4_096) + 65_536
        }
        let seen = player.events.network(of: 0)
        #expect(seen.prefix(4).map(\.what) == ["request", "response", "retry", "request"])
        #expect(
          seen[1].status == 206 && seen[1].total == content.count && seen[1].url == server.url("/a.mp3"))
        #expect(seen[3].from == 61_440 && seen[3].attempt == 2)
        #expect(seen[2].error?.contains("127.0.0.1") == true)
      }
    }

    @Test("Without ranges: two cuts are made good; one that is always there is the end, named, without haste")
    func withoutRanges() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 3).write(into: studio.folder)
      let content = try bytes(path)
      let server = try HostileServer { request in
        var file = HostileFile(content)
        file.hasRanges = false
        if request.target == "/always.mp3" || request.number < 3 { file.cut = 30_000 }
        return file.answer(request)
      }
      defer { server.stop() }
      let (sound, _) = try await render([server.url("/twice.mp3")], in: studio)
      let whole = try await Sound.mpg123([path])
      expectSame(sound, whole)
      #expect(server.requests.count == 3)

      let (part, player) = try await render(
        [server.url("/always.mp3"), path, "--network-timeout", "3"], in: studio, status: 1)
      let count = part.frames.count - whole.frames.count
      #expect(count > 70_000)
      expectSame(
        part, Sound(format: .float32, frames: Array(whole.frames.prefix(count)) + whole.frames),
        "what there was")
      let failure = try await player.seen("the failure") { if case .failed = $0 { true } else { false } }
      guard case .failed(0, let url, let error) = failure.event else { throw Failure("\(failure)") }
      #expect(url == server.url("/always.mp3") && error.contains("127.0.0.1"))
      #expect(player.events.network(of: 0).last?.what == "lost")
      #expect(server.requests.count { $0.target == "/always.mp3" } <= 12)
    }

    enum Swap: CaseIterable { case anotherTag, sameTag, noTag }

    @Test(
      "Another file from the second request on: frames of the first, then of the second from the same time",
      arguments: Swap.allCases)
    func swap(_ swap: Swap) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let first = try await Song(duration: 6, seed: 1).write(into: studio.folder)
      let second = try await Song(duration: 6, seed: 2).write(into: studio.folder)
      let contents = [try bytes(first), try bytes(second)]
      #expect(contents[0].count == contents[1].count)
      let server = try HostileServer { request in
        let version = min(request.number, 2)
        var file = HostileFile(contents[version - 1])
        file.tag = swap == .noTag ? nil : swap == .sameTag ? "\"1\"" : "\"\(version)\""
        if version == 1 { file.cut = 60_000 }
        return file.answer(request)
      }
      defer { server.stop() }
      let (sound, player) = try await render([server.url("/a.mp3")], in: studio)
      let (before, after) = (try await Sound.mpg123([first]), try await Sound.mpg123([second]))
      #expect(sound.frames.count == after.frames.count)
      let seam = zip(sound.frames, before.frames).prefix { $0 == $1 }.count
      #expect(seam > 150_000)
      expectSame(
        sound, Sound(format: .float32, frames: before.frames[..<seam] + after.frames[seam...]),
        "a seam at \(seam)")
      #expect(player.events.network(of: 0).filter { $0.what == "changed" }.count == 1)
    }

    enum Length: CaseIterable { case untold, chunked, compressed, tooLong, tooShort }

    @Test(
      "Lengths that are not told, or wrong: what is heard is the file, and the next one of the server",
      arguments: Length.allCases)
    func lengths(_ length: Length) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 2).write(into: studio.folder)
      let next = try await Song(duration: 0.5, seed: 2).write(into: studio.folder)
      let (content, other) = (try bytes(path), try bytes(next))
      let server = try HostileServer { request in
        var file = HostileFile(request.target == "/b.mp3" ? other : content)
        guard request.target == "/a.mp3" else { return file.answer(request) }
        switch length {
        case .untold: file.length = .untold
        case .chunked: file.length = .chunked
        case .compressed: file.isCompressed = true
        case .tooLong: file.lengthError = 5_000
        case .tooShort: if request.number == 1 { file.lengthError = -5_000 }
        }
        return file.answer(request)
      }
      defer { server.stop() }
      let (sound, player) = try await render([server.url("/a.mp3"), server.url("/b.mp3")], in: studio)
      expectSame(sound, try await Sound.mpg123([path, next]))
      #expect(
        player.events.events.filter { $0 == .didPlayToEndTime(index: 0) || $0 == .didPlayToEndTime(index: 1) }
          .count == 2)
    }

    @Test("URLs beside files, in their order; what is none, and what cannot be had, is named and left out")
    func mixed() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.5).write(into: studio.folder)
      let content = try bytes(path)
      let server = try HostileServer { request in
        switch request.target {
        case "/a.mp3?key=K3Y": HostileFile(content).answer(request)
        case "/page.mp3":
          [
            .send(
              HostileFile.head("200 OK", ["Content-Type: text/html; charset=utf-8", "Content-Length: 26"])
                + Array("<html>No such song.</html>".utf8))
          ]
        default: HostileFile.plain("404 Not Found")
        }
      }
      defer { server.stop() }
      let (sound, player) = try await render(
        [path, server.url("/a.mp3?key=K3Y"), server.url("/gone.mp3"), server.url("/page.mp3"), path],
        in: studio,
        status: 1)
      expectSame(sound, try await Sound.mpg123([path, path, path]))
      #expect(player.events.events.contains(.currentItem(index: 1, url: server.url("/a.mp3?key=K3Y"))))
      #expect(
        player.events.events.contains(
          .failed(index: 2, url: server.url("/gone.mp3"), error: "127.0.0.1 answered 404")))
      #expect(
        player.events.events.contains(
          .failed(index: 3, url: server.url("/page.mp3"), error: "the server sent a web page")))
    }

    @Test("Ten redirects are followed, eleven are not; credentials and added fields stay with their server")
    func redirects() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.3).write(into: studio.folder)
      let content = try bytes(path)
      let other = try HostileServer { HostileFile(content).answer($0) }
      defer { other.stop() }
      let server = try HostileServer { request in
        if request.target == "/elsewhere" {
          return HostileFile.plain("302 Found", ["Location: \(other.url("/b.mp3"))"])
        }
        guard let left = Int(request.target.dropFirst()), left > 0 else {
          return HostileFile(content).answer(request)
        }
        return HostileFile.plain("302 Found", ["Location: /\(left - 1)"])
      }
      defer { server.stop() }
      let secret = server.url("/elsewhere").replacingOccurrences(of: "http://", with: "http://user:S3CRET@")
      let fields = try studio.write("# ours\nX-Key: S3CRET too\n".utf8, to: "fields")
      let (sound, player) = try await render(
        [
          server.url("/10"), server.url("/11"), secret, "--header", "@\(fields)", "--header", "X-Other: 1",
          "--user-agent", "Test/1",
        ],
        in: studio, status: 1)
      expectSame(sound, try await Sound.mpg123([path, path]))
      #expect(
        player.events.events.contains(
          .failed(index: 1, url: server.url("/11"), error: "127.0.0.1 redirects more than 10 times")))
      let asked = try #require(server.requests.last { $0.target == "/elsewhere" })
      #expect(asked.fields["authorization"] == "Basic \(Data("user:S3CRET".utf8).base64EncodedString())")
      #expect(asked.fields["x-key"] == "S3CRET too" && asked.fields["x-other"] == "1")
      #expect(asked.fields["user-agent"] == "Test/1")
      let led = try #require(other.requests.last)
      #expect(
        led.fields["authorization"] == nil && led.fields["x-key"] == nil && led.fields["x-other"] == nil)
      #expect(!"\(player.log.value) \(player.events)".contains("S3CRET"))
    }

    @Test("A server that hangs: the player waits, and goes to the next song at once when it is told to")
    func hanging() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 3).write(into: studio.folder)
      let next = try await Song(duration: 0.5, seed: 2).write(into: studio.folder)
      let content = try bytes(path)
      let server = try HostileServer { request in
        var file = HostileFile(content)
        file.cut = 24_000
        file.ending = .hang
        return file.answer(request)
      }
      defer { server.stop() }
      let socket = "\(studio.folder)/socket"
      let player = try studio.play([server.url("/a.mp3"), next, "--output", "simulated", "--socket", socket])
      try await player.seen("the stall") { $0 == .stalled(index: 0) }
      try await player.seen("the waiting player") {
        $0
          == .timeControlStatus(
            "waitingToPlayAtSpecifiedRate", reason: "AVPlayerWaitingToMinimizeStallsReason")
      }
      let client = try Conversation(socket)
      let began = Date()
      #expect(try await client.ask("next") == ["OK"])
      #expect(Date().timeIntervalSince(began) < 10)
      #expect(try await player.ended().status == 0)
      #expect(player.events.events.contains(.didPlayToEndTime(index: 1)))
      // Up to the last whole frame, step by step, and no further.
      let steps = player.events.steps(of: 0).map(\.value)
      #expect(steps.prefix(140) == Array(0..<140)[...])
      #expect(Set(steps).count == steps.count && (steps.last ?? 0) < 160)
      client.finish()
    }

    @Test("Without libcurl files play, and URLs say what is missing")
    func withoutLibrary() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.3).write(into: studio.folder)
      // As if the library were not there: whoever opens it gets none.
      let source = "\(studio.folder)/without.c"
      try """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <string.h>
      void *dlopen(const char *name, int flags) {
        if (name && strstr(name, "libcurl")) return 0;
        return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);
      }
      """.write(toFile: source, atomically: true, encoding: .utf8)
      _ = try await output(of: ["clang", "-shared", "-fPIC", "-o", "\(studio.folder)/without.so", source])
      let printed = String(
        decoding: try await output(of: [
          "sh", "-c",
          "LD_PRELOAD=\"$3\" \"$0\" play --no-socket --output wav:\"$1\" \"$2\" http://127.0.0.1:9/a.mp3 2>&1; echo status $?",
          product("continuo"), "\(studio.folder)/all.wav", path, "\(studio.folder)/without.so",
        ]), as: UTF8.self)
      #expect(printed.contains("libcurl is not installed (Debian: libcurl4)"), "\(printed)")
      #expect(printed.contains("status 1"), "\(printed)")
      expectSame(try Sound(waveFile: "\(studio.folder)/all.wav"), try await Sound.mpg123([path]))
    }

    @Test(
      "Options that make no sense are refused, each by name",
      arguments: [
        (["--header", "no colon"], "--header"), (["--header", "Range: bytes=0-"], "Range"),
        (["--header", "@/none/such"], "--header @/none/such"),
        (["--cache", "/none/such"], "--cache /none/such"),
        (["--cache-size", "many"], "--cache-size"), (["--buffer", "1"], "--buffer"),
        (["--network-timeout", "x"], "--network-timeout"), (["--network", "some"], "--network"),
        (["--cacert", "/dev/null"], "--cacert /dev/null"), (["--proxy", ""], "--proxy"),
        (["--proxy", "foo://127.0.0.1"], "--proxy foo"), (["--background-modes", ""], "--background-modes"),
      ])
    func options(_ arguments: [String], _ name: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let player = try studio.play(arguments + ["http://127.0.0.1:9/a.mp3", "--no-socket"], hasEvents: false)
      #expect(try await player.ended().status == 64)
      #expect(player.log.value.errors.contains { $0.contains(name) }, "\(player.log.value)")
    }
  }
}
