import ArgumentParser
import ControlProtocol
import ControlServer
import Foundation
import MusicFiles
import SystemSupport
import TestSupport
import Testing

@testable import ContinuoCommand

@Suite struct NetworkOptionTests {
  private func options(_ arguments: [String]) throws -> NetworkOptions {
    try #require(try RootCommand.parseAsRoot(["serve"] + arguments) as? Serve).network
  }

  @Test(arguments: [
    (["6600"], "*:6600"), (["*:0"], "*:0"), (["127.0.0.1:1"], "127.0.0.1:1"), (["[::1]:6600"], "[::1]:6600"),
    (["::1"], "[::1]:6600"), (["192.168.1.5"], "192.168.1.5:6600"), (["1", "2"], "*:1 *:2"),
  ])
  func listen(_ values: [String], _ addresses: String) throws {
    let options = try options(values.flatMap { ["--listen", $0] })
    #expect(options.listen.map { "\($0)" }.joined(separator: " ") == addresses)
  }

  @Test(arguments: [
    ["--listen", "localhost:6600"], ["--listen", "65536"], ["--listen", ""], ["--listen", "127.0.0.1:x"],
    ["--password", "x"], ["--listen", "1", "--password", ""], ["--default-permissions", "read"],
    ["--listen", "1", "--default-permissions", "everything"], ["--listen", "1", "--default-permissions", ""],
    ["--host-permissions", "127.0.0.1@read"], ["--listen", "1", "--host-permissions", "127.0.0.1"],
    ["--listen", "1", "--host-permissions", "kitchen@read"],
  ])
  func nonsense(_ arguments: [String]) throws {
    #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["serve"] + arguments) }
  }

  @Test func filesOfRequestsAreKnown() throws {
    let arguments = ["play", "--header", "@/h", "--header", "a: b", "--cacert", "/c", "song.mp3"]
    let play = try #require(try RootCommand.parseAsRoot(arguments) as? Play)
    #expect(play.requests.files.map { "\($0)" } == ["/h", "/c"])
  }

  @Test func access() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("passwords")
    try Data("secret@read,add\n".utf8).write(to: URL(fileURLWithPath: file))
    chmod(file, 0o600)
    let access = try options([
      "--listen", "6600", "--password", file, "--default-permissions", "none", "--host-permissions",
      "192.168.1.20@read", "--host-permissions", "::FFFF:10.0.0.1@control",
    ]).access()
    #expect(access.passwords == ["secret": [.read, .add]])
    #expect(access.others == [])
    #expect(
      access.hosts == [
        try #require(IPAddress("192.168.1.20")): .read,
        try #require(IPAddress("10.0.0.1")): [.control, .player],
      ])
  }

  @Test func passwords() throws {
    let text = """
      # the living room
      tick@read\r

      a@b@read,add,player,control,admin
      #no
      @@none
      """
    #expect(try PasswordFile.parse(Array(text.utf8)) == ["tick": .read, "a@b": .all, "@": []])
    for (text, problem) in [
      ("", PasswordFile.Problem.noPassword), ("# nothing\n", .noPassword),
      ("a@read\nsecret\n", .line(2, "missing @ between password and permissions")),
      ("@read", .line(1, "the password is empty")),
      ("a@read\na@add", .line(2, "duplicate password")),
      (
        "a@read,write",
        .line(1, "\"write\" is not a permission; there are read, add, player, control, admin and none")
      ),
    ] {
      #expect(throws: problem) { try PasswordFile.parse(Array(text.utf8)) }
    }
  }

  @Test("A file of passwords that others may read is refused", arguments: [0o640, 0o604, 0o620, 0o666])
  func openPasswords(_ mode: Int) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("passwords")
    try Data("secret@read\n".utf8).write(to: URL(fileURLWithPath: file))
    chmod(file, UInt32(mode))
    #expect(throws: PasswordFile.Problem.openToOthers) { try PasswordFile.read(MediaPath(file)) }
    #expect(throws: PasswordFile.Problem.unreadable(.system(ENOENT))) {
      try PasswordFile.read(MediaPath(folder.file("none")))
    }
  }

  // MARK: Clients

  @Test(arguments: [
    (["status", "--host", "kitchen.local"], [:], "kitchen.local:6600", nil),
    (["status", "--host", "secret@kitchen:7"], ["MPD_PORT": "8"], "kitchen:7", "secret"),
    (["status", "--host", "s@/run/x"], [:], "/run/x", "s"),
    (["status", "--socket", "/a"], ["MPD_HOST": "b"], "/a", nil),
    (["status"], ["MPD_HOST": "[::1]", "MPD_PORT": "8"], "[::1]:8", nil),
    (["status"], ["MPD_HOST": "a@b:9", "MPD_PORT": "8"], "b:9", "a"),
    (["status"], ["CONTINUO_SOCKET": "/c", "MPD_HOST": "b"], "/c", nil),
    (["status"], ["CONTINUO_SOCKET": "", "MPD_HOST": "/b"], "/b", nil),
  ])
  func server(
    _ arguments: [String], _ environment: [String: String], _ address: String, _ password: String?
  ) throws {
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? any ControlCommand)
    let server = try command.control.server { environment[$0] }
    #expect("\(server.address)" == address)
    #expect(server.password == password.map { Argument($0) })
  }

  @Test func serverThatIsNone() throws {
    for value in ["", "a:b", "secret@", "kitchen:0", "@"] {
      #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["status", "--host", value]) }
    }
    #expect(throws: (any Error).self) {
      try RootCommand.parseAsRoot(["status", "--host", "a", "--socket", "/b"])
    }
    let command = try #require(try RootCommand.parseAsRoot(["status"]) as? any ControlCommand)
    for environment in [["MPD_HOST": "a:b"], ["MPD_HOST": "a", "MPD_PORT": "x"]] {
      #expect(throws: SyntaxError.self) { try command.control.server { environment[$0] } }
    }
  }

  @Test("Names for a server elsewhere are the server's")
  func addElsewhere() throws {
    let server = try ScriptedServer()
    let port = try server.listen()
    let host = "127.0.0.1:\(port)"
    #expect(try server.run(["add", "--host", host, "a.mp3", "sub/b"]).status == .played)
    // Only the server knows which of them are folders.
    #expect(server.lines == ["add a.mp3", "add sub/b", "unplayable a.mp3", "unplayable sub/b"])
    #expect(try server.run(["status", "--host", "wrong@\(host)"]).complaints == ["incorrect password"])
    let nobody = try Printed(["status", "--host", "127.0.0.1:1"])
    #expect(nobody.status == .unavailable)
    #expect(
      nobody.complaints == [
        "no server at 127.0.0.1:1: connect: Connection refused; there, continuo serve --listen 1 starts one"
      ])
  }
}
