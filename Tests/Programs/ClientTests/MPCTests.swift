import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// mpc: every subcommand, by what it prints and by what it does.
  @Suite struct MPCTests {
    /// One run of mpc.
    private struct Run {
      let arguments: [String]
      /// All that it prints. Nil: whatever.
      var prints: String?
      /// A part of what it prints.
      var shows: String?
      var status: Int32 = 0
      /// Lines that `status` has afterwards.
      var state: [String] = []
      /// The files in the queue afterwards.
      var queue: [String]?

      init(
        _ arguments: String..., prints: String? = nil, shows: String? = nil, status: Int32 = 0,
        state: [String] = [], queue: [String]? = nil
      ) {
        self.arguments = arguments
        self.prints = prints
        self.shows = shows
        self.status = status
        self.state = state
        self.queue = queue
      }
    }

    private static let modes = "volume:100%   repeat: off   random: off   single: off   consume: off\n"

    private static let runs: [Run] = [
      Run(prints: modes), Run("version", prints: "mpd version: 0.23.5\n"),
      Run("stats", shows: "Uptime:       0 days, 0:0"),
      Run("add", "a.mp3", prints: "", queue: ["a.mp3"]),
      Run("add", "b.mp3", "sub", prints: "", queue: ["a.mp3", "b.mp3", "sub/c.mp3"]),
      Run("add", "missing.mp3", shows: "No such directory", status: 1),
      Run("current", prints: ""), Run("queued", prints: ""),
      Run("playlist", prints: "Artist A - Song A\nArtist B - Song B\nsub/c.mp3\n"),
      Run(
        "-f", "%position% [%title%|%file%] %time% %artist% %album% %track% %date% %genre%", "playlist",
        shows: "1 Song A 0:40 Artist A Album X 1 2024 Test\n2 Song B 0:40 Artist B Album X 2"),
      Run(
        "play", shows: "Artist A - Song A\n[playing] #1/3   0:0", state: ["state: play"]),
      Run("current", prints: "Artist A - Song A\n"), Run("queued", prints: "Artist B - Song B\n"),
      Run("-q", "pause", prints: "", state: ["state: pause"]),
      Run("pause-if-playing", prints: "", status: 127, state: ["state: pause"]),
      Run("toggle", shows: "[playing] #1/3", state: ["state: play"]),
      Run("pause-if-playing", shows: "[paused]  #1/3", state: ["state: pause"]),
      Run("seek", "10", shows: "[paused]  #1/3   0:10/0:40 (25%)", state: ["elapsed: 10.000"]),
      Run("seek", "+5", shows: "0:15/0:40 (37%)", state: ["elapsed: 15.000"]),
      Run("seek", "-0:05", shows: "0:10/0:40 (25%)", state: ["elapsed: 10.000"]),
      Run("seek", "50%", shows: "0:20/0:40 (50%)", state: ["elapsed: 20.000"]),
      Run("seekthrough", "+30", shows: "Artist B - Song B", state: ["song: 1"]),
      Run("cdprev", shows: "#2/3", state: ["song: 1"]),
      Run("play", "3", shows: "sub/c.mp3\n[playing] #3/3", state: ["song: 2", "state: play"]),
      Run("prev", shows: "Artist B - Song B\n[playing] #2/3", state: ["song: 1"]),
      Run("next", shows: "sub/c.mp3\n[playing] #3/3", state: ["song: 2"]),
      Run("next", prints: modes, state: ["state: stop"]),
      Run("prev", prints: "MPD error: Not playing\n", status: 1),
      Run("searchplay", "song b", shows: "Artist B - Song B\n[playing] #2/3", state: ["song: 1"]),
      Run(
        "insert", "it's \"quoted\".mp3", prints: "",
        queue: ["a.mp3", "b.mp3", "it's \"quoted\".mp3", "sub/c.mp3"]),
      Run(
        "move", "1", "3", prints: "", state: ["song: 0"],
        queue: ["b.mp3", "it's \"quoted\".mp3", "a.mp3", "sub/c.mp3"]),
      Run("mv", "3", "1", prints: "", queue: ["a.mp3", "b.mp3", "it's \"quoted\".mp3", "sub/c.mp3"]),
      Run("del", "3", prints: "", queue: ["a.mp3", "b.mp3", "sub/c.mp3"]),
      Run("del", "0", prints: "", queue: ["a.mp3", "sub/c.mp3"]),
      Run("crop", prints: "", queue: ["sub/c.mp3"]),
      Run("stop", prints: modes, state: ["state: stop"]),
      Run("load", "list", shows: "loading: list", queue: ["sub/c.mp3", "a.mp3", "sub/c.mp3"]),
      Run(
        "--range=0:1", "load", "list", shows: "loading: list",
        queue: ["sub/c.mp3", "a.mp3", "sub/c.mp3", "a.mp3"]),
      Run("load", "missing", shows: "No such playlist", status: 1),
      Run("playlist", "list", shows: "sub/c.mp3\n"),
      Run("shuffle", prints: modes, state: ["playlistlength: 4"]),
      Run("clear", prints: modes, queue: []),
      Run("ls", prints: "a.mp3\nb.mp3\nit's \"quoted\".mp3\nlist.m3u\nsub\n"),
      Run("ls", "sub", prints: "sub/c.mp3\n"),
      Run("lsplaylists", prints: "list.m3u\n"),
      Run("volume", prints: "volume:100%\n"),
      Run("volume", "40", shows: "volume: 40%", state: ["volume: 40"]),
      Run("volume", "+5", shows: "volume: 45%", state: ["volume: 45"]),
      Run("volume", "-50", shows: "volume:  0%", state: ["volume: 0"]),
      Run("volume", "100", prints: modes, state: ["volume: 100"]),
      Run("repeat", "on", shows: "repeat: on", state: ["repeat: 1"]), Run("repeat", state: ["repeat: 0"]),
      Run("random", "on", shows: "random: on", state: ["random: 1"]), Run("random", state: ["random: 0"]),
      Run("single", "on", shows: "single: on", state: ["single: 1"]),
      Run("single", "once", shows: "single: once", state: ["single: oneshot"]),
      Run("single", "off", state: ["single: 0"]),
      Run("consume", "on", shows: "consume: on", state: ["consume: 1"]),
      Run("consume", state: ["consume: 0"]),
      Run("crossfade", prints: "crossfade: 0\n"), Run("crossfade", "0", prints: ""),
      Run("crossfade", "3", shows: "exact frames", status: 1),
      Run("mixrampdb", shows: "mixrampdb: 0"), Run("mixrampdelay", shows: "mixrampdelay: -1"),
      Run("replaygain", prints: "replay_gain_mode: off\n"), Run("replaygain", "off", prints: ""),
      Run("replaygain", "track", prints: ""), Run("replaygain", prints: "replay_gain_mode: track\n"),
      Run("replaygain", "off", prints: ""),
      Run("outputs", prints: "Output 1 (simulated) is enabled\n"),
      Run("disable", "1", prints: "Output 1 (simulated) is disabled\n"),
      Run("enable", "only", "1", prints: "Output 1 (simulated) is enabled\n"),
      Run("toggleoutput", "simulated", prints: "Output 1 (simulated) is disabled\n"),
      Run("enable", "1", prints: "Output 1 (simulated) is enabled\n"),
      Run("channels", prints: ""),
      Run("sendmessage", "nobody", "x", shows: "nobody is subscribed to this channel", status: 1),
      Run("find", "title", "x", prints: ""), Run("find", "title", "Song A", prints: "a.mp3\n"),
      Run("search", "any", "x", prints: "a.mp3\nb.mp3\nit's \"quoted\".mp3\n"),
      Run("list", "artist", prints: "\nArtist A\nArtist B\n"),
      Run("listall", prints: "a.mp3\nb.mp3\nit's \"quoted\".mp3\nsub/c.mp3\n"),
      Run("findadd", "title", "x", prints: ""), Run("--wait", "update", shows: "volume:100%"),
      Run("searchadd", "title", "x", prints: ""),
      Run("clearerror", prints: modes),
      Run("add", "a.mp3", prints: "", queue: ["a.mp3"]), Run("save", "x", prints: ""),
      Run("lsplaylists", prints: "list.m3u\nx\n"), Run("playlist", "x", prints: "Artist A - Song A\n"),
      Run("save", "x", shows: "already exists", status: 1), Run("rm", "x", prints: ""),
      Run("lsplaylists", prints: "list.m3u\n"), Run("prio", "7", "1", prints: ""),
      Run("-f", "%prio% %file%", "playlist", prints: "7 a.mp3\n"),
      Run("prio", "7", "3", shows: "Bad song index", status: 1),
      Run("sticker", "a.mp3", "set", "rating", "5", prints: ""),
      Run("sticker", "a.mp3", "list", prints: "rating=5\n"),
      Run("sticker", "a.mp3", "delete", "rating", prints: ""),
      Run("sticker", "a.mp3", "get", "rating", shows: "no such sticker", status: 1),
      Run("clear", prints: modes, queue: []),
      // What there is not, is refused and harms nobody.
      Run("albumart", "b.mp3", status: 1), Run("mount", status: 1), Run("listneighbors", status: 1),
      Run(prints: modes, state: ["state: stop", "playlistlength: 0"]),
    ]

    /// `mpc ls | mpc add` gives up at the first refusal.
    @Test func whateverIsListedCanBeAdded() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let folder = "\(hall.music)/artwork"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      // A folder with a playlist and no song.
      try Data("../a.mp3\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/list.m3u"))
      let socket = try await hall.startContinuo()
      let listed = try await hall.run(["mpc", "ls"], environment: ["MPD_HOST": socket])
      let names = listed.text.split(separator: "\n").map(String.init)
      #expect(names.contains("artwork"))
      let answer = try await hall.run(["mpc", "add"] + names, environment: ["MPD_HOST": socket])
      #expect(answer.status == 0 && answer.text == "")
      let observer = try ControlConnection(socket)
      #expect(
        try observer.ask("status").contains { $0.hasPrefix("playlistlength: ") && $0 != "playlistlength: 0" })
      // Who names it by its path hears of it.
      #expect(try observer.ask("add \"\(folder)\"") == ["ACK [50@0] {add} \(folder): contains no songs"])
    }

    @Test func everySubcommandPrintsAndDoesWhatItSays() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let observer = try ControlConnection(socket)
      for run in Self.runs {
        var answer = try await hall.run(["mpc"] + run.arguments, environment: ["MPD_HOST": socket])
        if run.shows?.contains("[playing]") == true {
          try await observer.untilSoundMoves()
          while answer.text.contains("[paused]") {
            answer = try await hall.run(["mpc"], environment: ["MPD_HOST": socket])
          }
        }
        let comment = Comment(rawValue: "mpc \(run.arguments.joined(separator: " ")): \(answer)")
        #expect(answer.status == run.status, comment)
        if let prints = run.prints { #expect(answer.text == prints, comment) }
        if let shows = run.shows { #expect(answer.text.contains(shows), comment) }
        try await observer.untilStatus(has: run.state, after: "\(comment)")
        let queue = try observer.untilTagged().filter { $0.hasPrefix("file: ") }.map {
          $0.dropFirst("file: ".count)
        }
        if let expected = run.queue { #expect(queue.map(String.init) == expected, comment) }
      }
    }

    @Test func pictureComesWhole() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let path = "\(hall.folder)/copy"
      try await hall.run(
        ["sh", "-c", "exec mpc readpicture b.mp3 > \"$1\"", "sh", path], environment: ["MPD_HOST": socket])
      let picture = FileManager.default.contents(atPath: "\(hall.folder)/picture.png")
      #expect(picture != nil)
      #expect(FileManager.default.contents(atPath: path) == picture)
    }

    /// `idle`, `idleloop`, `current --wait`, `subscribe`, `waitmessage`: those that wait for something.
    @Test func waitingSubcommandsWakeForWhatTheyWaitFor() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let host = ["MPD_HOST": socket]
      let control = try ControlConnection(socket)
      #expect(try control.ask("add sub") == ["OK"])
      #expect(try control.ask("add a.mp3") == ["OK"])
      _ = try control.untilTagged()

      /// Starts mpc and waits until it has asked for what it waits for. From then on it misses nothing: what happens
      /// is kept for a client from its first moment on.
      func start(_ arguments: String..., asks request: String) async throws -> (Child, Observed<[String]>) {
        let proxy = try CountingProxy(at: "\(hall.folder)/\(arguments.joined())", to: socket)
        let lines = Observed([String]())
        let child = try hall.start(
          ["stdbuf", "-oL", "mpc"] + arguments, environment: ["MPD_HOST": proxy.path], lines: lines)
        _ = try await proxy.requests.wait(for: request) { $0.contains { $0.hasPrefix(request) } }
        proxy.stop()
        return (child, lines)
      }
      let (_, loop) = try await start("idleloop", asks: "idle")
      let (idling, idle) = try await start("idle", "mixer", "options", asks: "idle")
      #expect(try control.ask("setvol 50") == ["OK"])
      #expect(try await idling.ended().status == 0)
      _ = try await idle.wait(for: "the mixer") { $0 == ["mixer"] }
      _ = try await loop.wait(for: "the mixer") { $0.contains("mixer") }

      let (_, news) = try await start("subscribe", "news", asks: "idle")
      let (waiting, message) = try await start("waitmessage", "once", asks: "idle")
      #expect(try await hall.run(["mpc", "channels"], environment: host).text == "news\nonce\n")
      #expect(try await hall.run(["mpc", "sendmessage", "news", "it rains"], environment: host).status == 0)
      _ = try await news.wait(for: "the news") { $0 == ["it rains"] }
      #expect(try await hall.run(["mpc", "sendmessage", "once", "hello"], environment: host).status == 0)
      #expect(try await waiting.ended().status == 0)
      _ = try await message.wait(for: "the message") { $0 == ["hello"] }

      #expect(try control.ask("play 0") == ["OK"])
      let (change, current) = try await start("current", "--wait", asks: "idle")
      #expect(try control.ask("next") == ["OK"])
      #expect(try await change.ended().status == 0)
      _ = try await current.wait(for: "the next song") { $0 == ["Artist A - Song A"] }
      _ = try await loop.wait(for: "the player") { $0.contains("player") }
      // Bare idle never tells of what mpd does not know.
      #expect(try control.ask("home") == ["OK"])
      #expect(try control.ask("foreground") == ["OK"])
      #expect(
        Set(loop.value).isSubset(
          of: [
            "options", "mixer", "player", "playlist", "subscription", "message", "output", "update",
            "database",
          ]))
    }
  }
}

extension ControlConnection {
  /// Waits until `status` has these lines. That sound moves again, on a busy machine, is no event for clients.
  func untilStatus(has lines: [String], after what: String = "") async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
      let status = try ask("status")
      if lines.allSatisfy(status.contains) { return }
      guard ContinuousClock.now < deadline else { throw Failure("\(what) not \(lines) but \(status)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits until more of a song is heard. Before that, on a busy machine, `status` may say that it is paused.
  func untilSoundMoves() async throws {
    func elapsed() throws -> String? { try ask("status").first { $0.hasPrefix("elapsed: ") } }
    let (before, deadline) = (try elapsed(), ContinuousClock.now + .seconds(120))
    while try elapsed() == before {
      guard ContinuousClock.now < deadline else { throw Failure("no sound after \(before ?? "nothing")") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// The queue, once the tags of all its songs are read.
  func untilTagged() throws -> [String] {
    while true {
      let songs = try ask("playlistinfo")
      if songs.count(where: { $0.hasPrefix("file: ") }) == songs.count(where: { $0.hasPrefix("Time: ") }) {
        return songs
      }
      _ = try ask("idle playlist")
    }
  }
}
