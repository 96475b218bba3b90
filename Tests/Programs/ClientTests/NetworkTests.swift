import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// Servers at a TCP port, with passwords.
  @Suite struct NetworkTests {
    private static let passwords = [
      "look@read", "fill@read,add", "drive@read,control", "all@read,add,control,admin",
    ]

    private func startContinuo(_ hall: Hall) async throws -> (socket: String, port: Int) {
      let port = try LoopbackSocket.freePort()
      let file = "\(hall.folder)/passwords"
      try Data(Self.passwords.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
      chmod(file, 0o600)
      let socket = try await hall.startContinuo([
        "--output", "simulated", "--listen", "127.0.0.1:\(port)", "--password", file,
      ])
      return (socket, port)
    }

    /// Who may do what, and which files a client from the network may name. (By `addid`, but not by `add`, mpd takes an
    /// absolute path below its music directory.)
    private func requests(_ music: String) -> [String] {
      [
        "ping", "status", "next", "add a.mp3", "idle", "commands extra", "stats 1", "unheardof", "password",
        "password wrong", "tagtypes clear", "tagtypes all", "config",
        "password look", "currentsong", "next", "add a.mp3", "setvol 5", "outputs", "disableoutput 0",
        "config",
        "password fill", "add a.mp3", "addid b.mp3", "next", "clear", "playlistinfo",
        "add \(music)/a.mp3", "add file://\(music)/a.mp3", "add /etc/passwd",
        "addid /etc/passwd",
        "add missing.mp3",
        "password drive", "next", "play 0", "stop", "add a.mp3", "clear", "disableoutput 0",
        "password all", "add a.mp3", "disableoutput 0", "enableoutput 0", "config", "add \(music)/a.mp3",
        "clear", "password look", "clear",
      ]
    }

    @Test func permissionsAreAsWithMPD() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let mpdPort = try LoopbackSocket.freePort()
      _ = try await hall.startMPD(
        (["bind_to_address \"127.0.0.1\"", "port \"\(mpdPort)\""]
          + Self.passwords.map { "password \"\($0)\"" }
          + ["local_permissions \"read,add,control,admin\""]).joined(separator: "\n"))
      let (_, port) = try await startContinuo(hall)
      let mpd = try ControlConnection("tcp:\(mpdPort)")
      let continuo = try ControlConnection("tcp:\(port)")
      /// Ids and times are each server's own.
      func essence(_ answer: [String]) -> [String] {
        // Continuo says why.
        if let last = answer.last, last.contains("Access denied") {
          return [String(last.prefix { $0 != ":" })]
        }
        guard answer.last == "OK" else { return answer }
        return answer.filter { !$0.hasPrefix("Id: ") && !$0.hasPrefix("uptime: ") }
      }
      for request in requests(hall.music) {
        if request == "idle" {
          // Refused by both, or it would not be answered.
          mpd.send("idle\n")
          continuo.send("idle\n")
          #expect(try continuo.line() == mpd.line())
          continue
        }
        let expected = try mpd.ask(request)
        let answer = try continuo.ask(request)
        if ["status", "outputs", "playlistinfo"].contains(request) {
          #expect(answer.last == expected.last, "\(request)")
        } else {
          #expect(essence(answer) == essence(expected), "\(request)")
        }
      }
    }

    @Test func everyCommandIsOfferedToThoseWhoMayUseIt() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let (socket, port) = try await startContinuo(hall)
      let local = try ControlConnection(socket)
      let all = Set(try local.ask("commands"))
      #expect(try local.ask("notcommands") == ["OK"])
      for password in [nil, "look", "fill", "drive", "all"] {
        let client = try ControlConnection("tcp:\(port)")
        if let password { #expect(try client.ask("password \(password)") == ["OK"]) }
        let offered = Set(try client.ask("commands"))
        let withheld = Set(try client.ask("notcommands"))
        #expect(offered.union(withheld) == all)
        #expect(offered.intersection(withheld) == ["OK"])
        for name in withheld where name != "OK" {
          let command = name.dropFirst("command: ".count)
          #expect(
            try client.ask("\(command)") == [
              "ACK [4@0] {\(command)} you don't have permission for \"\(command)\""
            ])
        }
      }
    }

    @Test func clientsGiveTheirPassword() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let (_, port) = try await startContinuo(hall)
      func mpc(_ host: String, _ arguments: String...) async throws -> Hall.Answer {
        try await hall.run(
          ["mpc", "-q"] + arguments, environment: ["MPD_HOST": host, "MPD_PORT": "\(port)"])
      }
      #expect(try await mpc("127.0.0.1", "next").text.contains("you don't have permission"))
      #expect(try await mpc("wrong@127.0.0.1", "next").text.contains("incorrect password"))
      #expect(try await mpc("all@127.0.0.1", "add", "a.mp3").status == 0)
      let program = product("continuo")
      func own(_ arguments: String...) async throws -> Hall.Answer {
        try await hall.run(
          [program] + arguments, environment: ["MPD_HOST": "all@127.0.0.1", "MPD_PORT": "\(port)"])
      }
      #expect(try await own("add", "b.mp3").text == "")
      #expect(try await own("search", "song", "artist=ARTIST a").text == "a.mp3\n")
      let quoted = try await own("search", "--add", "it's \"quoted\"")
      #expect(quoted.text.contains("nothing found") && quoted.status == 1)
      #expect(try await own("random", "on").status == 0)
      #expect(try await own("random").text == "on\n")
      #expect(try await own("random", "toggle").status == 0)
      #expect(try await own("jump", "2").status == 0)
      #expect(try await own("status", "--json").text.contains("\"position\":1"))
      #expect(try await own("move", "2", "1").status == 0)
      #expect(try await own("delete", "2-").status == 0)
      let queue = try await own("queue", "--json")
      #expect(queue.text.contains("b.mp3") && !queue.text.contains("a.mp3"))
      #expect(try await own("update", "--wait").text == "")
      #expect(try await own("load", "list").text == "")
      #expect(try await own("delete", "9").text.contains("no song with this number"))
      let refused = try await hall.run(
        [program, "next", "--host", "look@127.0.0.1:\(port)"], environment: [:])
      #expect(refused.status == 1)
      #expect(refused.text.contains("you don't have permission for \"next\""))
      let wrong = try await hall.run([
        program, "next", "--host", "127.0.0.1:\(try LoopbackSocket.freePort())",
      ])
      #expect(wrong.status == 69)
    }

    @Test func startIsRefusedInWords() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let taken = try await startContinuo(hall).port
      let program = [
        product("continuo"), "serve", "--no-state", "--output", "simulated", "--socket", "\(hall.folder)/b/s",
      ]
      let twice = try await hall.run(program + ["--listen", "127.0.0.1:\(taken)"])
      #expect(twice.status == 73)
      #expect(twice.text.contains("cannot listen at 127.0.0.1:\(taken): address already in use"))
      #expect(!FileManager.default.fileExists(atPath: "\(hall.folder)/b/s"))
      let file = "\(hall.folder)/passwords"
      chmod(file, 0o644)
      let open = try await hall.run(program + ["--listen", "0", "--password", file])
      #expect(open.status == 64)
      #expect(open.text.contains("--password \(file): accessible to other users"))
    }
  }
}
