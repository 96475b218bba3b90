import ControlProtocol
import ControlTestSupport
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import ControlServer

@Suite(.blocksThread, .timeLimit(.minutes(10)))
struct SocketTests {
  private func mode(_ path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  private func probe(_ path: String) throws -> Program {
    try Program([Program.probe, "serve", path])
  }

  /// Leaves a socket behind that nobody listens to.
  private func leaveDead(_ path: String) throws {
    let program = try probe(path)
    #expect(try program.line() == "ready")
    program.kill()
    _ = program.status()
    #expect(mode(path) != nil)
  }

  @Test(
    "No directory is made in the root directory", arguments: ["/nonexist/socket", "/nonexist/x/y/socket"])
  func root(_ path: String) throws {
    #expect(throws: ListenError.self) { _ = try ListeningSocket.bound(to: path).path }
    #expect(mode("/nonexist") == nil)
  }

  @Test("The default path follows the session's directory, and has a private one without it")
  func defaultPath() {
    #expect(DefaultSocket.path(runtimeDirectory: "/x", user: 7) { _ in true } == "/x/continuo/socket")
    for directory in [nil, "", "relative"] {
      let path = DefaultSocket.path(runtimeDirectory: directory, user: 7) { $0 == "/run/user/7" }
      #expect(path == "/run/user/7/continuo/socket")
      #expect(
        DefaultSocket.path(runtimeDirectory: directory, user: 7) { _ in false } == "/tmp/continuo-7/socket")
    }
  }

  @Test(
    "Directory and socket are the user's alone, and whatever the umask is, no other mode is ever seen",
    arguments: ["000", "022", "277", "777"])
  func umask(_ mask: String) throws {
    let directory = try TemporaryFolder()
    for round in 0..<5 {
      let path = directory.file("run\(round)/socket")
      let program = try Program.shell("umask \(mask)", ["serve", path])
      var seen: Set<UInt32> = []
      let end = Date(timeIntervalSinceNow: 120)
      while seen.isEmpty, Date() < end { if let mode = mode(path) { seen.insert(mode) } }
      for _ in 0..<20_000 { if let mode = mode(path) { seen.insert(mode) } }
      #expect(try program.line() == "ready")
      seen.insert(try #require(mode(path)))
      // A umask may take bits away for a moment, never add any.
      #expect(seen.allSatisfy { $0 & 0o177 == 0 }, "\(seen.map { String($0, radix: 8) })")
      #expect(mode(path) == 0o600)
      #expect(mode(directory.file("run\(round)")) == 0o700)
      program.endInput()
      #expect(program.status() == 0)
      #expect(mode(path) == nil)
    }
  }

  @Test("A wider mode is given as asked, and its directory lets those pass")
  func widened() throws {
    let directory = try TemporaryFolder()
    let path = directory.file("run/socket")
    let group = getgid()
    let server = try MPDServer(
      socket: .bound(to: path, access: SocketAccess(mode: 0o660, group: String(group))),
      handler: TestHandler())
    defer { server.stop() }
    #expect(mode(path) == 0o660)
    #expect(mode(directory.file("run")) == 0o710)
    #expect(throws: ListenError.noSuchGroup("no such group")) {
      _ = try ListeningSocket.bound(to: path, access: SocketAccess(mode: 0o660, group: "no such group")).path
    }
  }

  @Test("A second server refuses, and the first goes on")
  func second() throws {
    let server = try TestServer()
    let path = server.path
    #expect(throws: ListenError.alreadyRunning(path: path)) { _ = try ListeningSocket.bound(to: path).path }
    let program = try probe(path)
    #expect(try program.line() == "already running: a server answers at \(path)")
    #expect(program.status() == 73)
    let client = try server.client()
    client.send("ping\n")
    #expect(try client.line() == "OK")
  }

  @Test("A dead socket is replaced")
  func dead() throws {
    let directory = try TemporaryFolder()
    let path = directory.file("socket")
    try leaveDead(path)
    let server = try MPDServer(socket: .bound(to: path), handler: TestHandler())
    defer { server.stop() }
    let client = try ControlConnection(path)
    client.send("ping\n")
    #expect(try client.line() == "OK")
  }

  @Test(
    "Of servers that start at the same moment one gets the path, dead socket or not",
    arguments: [false, true])
  func race(isDeadThere: Bool) throws {
    let directory = try TemporaryFolder()
    for round in 0..<10 {
      let path = directory.file("run\(round)/socket")
      if isDeadThere { try leaveDead(path) }
      let programs = try (0..<5).map { _ in try probe(path) }
      let lines = try programs.map { try $0.line() }
      #expect(lines.count { $0 == "ready" } == 1, "\(lines)")
      #expect(lines.count { $0.hasPrefix("already running") } == 4, "\(lines)")
      // An optimised build would end the programs here, after their last use.
      try withExtendedLifetime(programs) {
        let client = try ControlConnection(path)
        client.send("ping\n")
        #expect(try client.line() == "OK")
      }
    }
  }

  @Test("What is no socket is left alone")
  func notASocket() throws {
    let directory = try TemporaryFolder()
    let path = directory.file("socket")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: ListenError.notASocket(path: path)) { _ = try ListeningSocket.bound(to: path).path }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    let link = directory.file("link")
    #expect(symlink(directory.file("elsewhere"), link) == 0)
    #expect(throws: ListenError.notASocket(path: link)) { _ = try ListeningSocket.bound(to: link).path }
  }

  @Test("A path that cannot be one says why")
  func badPath() throws {
    let directory = try TemporaryFolder()
    let room = UnixAddress.longestPath - directory.path.utf8.count - 1
    let longest = directory.file(String(repeating: "x", count: room))
    let server = try MPDServer(socket: .bound(to: longest), handler: TestHandler())
    _ = try ControlConnection(longest)
    server.stop()
    for path in [longest + "x", "", directory.path + "/", "a\0b"] {
      #expect(throws: ListenError.invalidPath(path, limit: 107)) {
        _ = try ListeningSocket.bound(to: path).path
      }
    }
    #expect(
      "\(ListenError.invalidPath(longest + "x", limit: 107))".contains("too long (108 bytes, at most 107)"))
  }

  @Test("A directory that others may change is refused; one with the sticky bit is not")
  func unsafeDirectory() throws {
    let directory = try TemporaryFolder()
    chmod(directory.path, 0o777)
    #expect(throws: ListenError.unsafeDirectory(path: directory.path)) {
      _ = try ListeningSocket.bound(to: directory.file("socket")).path
    }
    chmod(directory.path, 0o1777)
    let server = try MPDServer(socket: .bound(to: directory.file("socket")), handler: TestHandler())
    server.stop()
  }

  @Test(
    "The default directory is the user's alone at each start, and no link and no other user's directory is used"
  )
  func defaultDirectory() throws {
    let directory = try TemporaryFolder()
    let own = directory.file("continuo")
    let path = own + "/socket"
    func start() throws -> Program {
      try Program(["env", "XDG_RUNTIME_DIR=\(directory.path)", Program.probe, "serve", path])
    }
    #expect(mkdir(own, 0o755) == 0)
    chmod(own, 0o777)
    do {
      let program = try start()
      #expect(try program.line() == "ready")
      #expect(mode(own) == 0o700)
      program.endInput()
      #expect(program.status() == 0)
    }
    #expect(rename(own, directory.file("elsewhere")) == 0)
    #expect(symlink(directory.file("elsewhere"), own) == 0)
    #expect(try start().line().contains("open:"))
    unlink(own)
    // Only root can make a directory that is another's.
    if geteuid() == 0 {
      #expect(mkdir(own, 0o700) == 0 && chown(own, 65534, 65534) == 0)
      #expect(try start().line() == "\(ListenError.unsafeDirectory(path: own))")
    }
  }

  @Test("Who keeps the directory locked holds a start up only so long")
  func locked() throws {
    let directory = try TemporaryFolder()
    let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(throws: ListenError.directoryLocked(path: directory.path)) {
      _ = try ListeningSocket.bound(to: directory.file("socket")).path
    }
  }

  @Test("At its end a server removes its own socket and no other's")
  func removal() throws {
    let server = try TestServer()
    let path = server.path
    unlink(path)
    let other = try MPDServer(socket: .bound(to: path), handler: TestHandler())
    defer { other.stop() }
    server.server.stop()
    #expect(mode(path) == 0o600)
    let client = try ControlConnection(path)
    client.send("ping\n")
    #expect(try client.line() == "OK")
  }

  @Test(
    "Who may connect",
    arguments: [
      (0o600, 1000, 1000, true), (0o600, 0, 1000, true), (0o600, 1001, 1000, false), (0o600, 65534, 0, false),
      (0o660, 1001, 1000, true), (0o666, 65534, 0, true),
    ])
  func admission(mode: Int, user: Int, server: Int, isAdmitted: Bool) {
    let access = SocketAccess(mode: UInt32(mode))
    #expect(access.admits(user: UInt32(user), server: UInt32(server)) == isAdmitted)
  }

  @Test("A foreign user is refused even where the file lets it connect; with a wider mode it is a client")
  func foreignUser() throws {
    // Only root can be somebody else; for others the check itself is tested above.
    guard geteuid() == 0 else { return }
    let clients = Watched<[ClientInfo]>([])
    let handler = TestHandler { _, client, completion in
      clients.change { $0.append(client) }
      completion(Reply())
    }
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.settimeout(120); s.connect(sys.argv[1])
      f = s.makefile('rw'); print(repr(f.readline()))
      try:
        f.write('stats\\n'); f.flush(); print(repr(f.readline()))
      except OSError: pass
      """
    func ask(_ path: String) throws -> Program {
      try Program([
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, path,
      ])
    }
    let own = try TestServer(handler: handler)
    chmod(own.directory.path, 0o755)
    chmod(own.path, 0o666)
    #expect(try ask(own.path).line() == "''")
    #expect(clients.value.isEmpty)

    let wide = try TestServer(handler: handler, access: SocketAccess(mode: 0o666))
    chmod(wide.directory.path, 0o755)
    let program = try ask(wide.path)
    #expect(try program.line() == "'OK MPD 0.23.5\\n'")
    #expect(try program.line() == "'OK\\n'")
    let foreign = try #require(clients.value.first)
    #expect(foreign.isLocal && !foreign.isSameUser)
    let client = try wide.client()
    client.send("stats\n")
    #expect(try client.line() == "OK")
    #expect(clients.value.last?.isSameUser == true)
  }

  @Test("A socket that systemd passes is served, and left where it is")
  func activation() throws {
    let directory = try TemporaryFolder()
    let path = directory.file("passed")
    let program = try Program(passingSocket(at: path, to: [Program.probe, "activated"]))
    #expect(try program.line() == "unset: true")
    #expect(try program.line() == "ready")
    let client = try ControlConnection(path)
    client.send("ping\n")
    #expect(try client.line() == "OK")
    program.endInput()
    #expect(program.status() == 0)
    #expect(mode(path) != nil)
  }

  @Test("What was passed to another process, is no listening socket, or is one of several, is not taken")
  func wrongActivation() throws {
    let foreign = try Program(["env", "LISTEN_PID=1", "LISTEN_FDS=1", Program.probe, "activated"])
    #expect(try foreign.line() == "nothing passed")
    let file = try Program([
      "sh", "-c", "exec env LISTEN_PID=$$ LISTEN_FDS=1 \"$0\" activated 3</dev/null", Program.probe,
    ])
    #expect(try file.line() == "LISTEN_FDS must pass exactly one socket, a listening Unix stream socket")
    let directory = try TemporaryFolder()
    let several = try Program(
      passingSocket(at: directory.file("passed"), to: [Program.probe, "activated"], count: 2))
    #expect(try several.line() == "LISTEN_FDS must pass exactly one socket, a listening Unix stream socket")
  }

  @Test("A server without descriptors waits without using the processor, and goes on when there are some")
  func descriptors() throws {
    let directory = try TemporaryFolder()
    let path = directory.file("socket")
    let program = try Program.shell("ulimit -n 20", ["serve", path])
    #expect(try program.line() == "ready")
    var clients: [ControlConnection] = []
    var turnedAway: ControlConnection?
    while turnedAway == nil, clients.count < 40 {
      let client = try ControlConnection(path, takesGreeting: false)
      if client.isSilent(for: 10) { turnedAway = client } else { clients.append(client) }
    }
    let waiting = try #require(turnedAway, "the limit was never met")
    let before = program.processorTime
    #expect(waiting.isSilent(for: 1))
    #expect(program.processorTime - before < 0.2)
    clients.removeAll()
    #expect(try waiting.line() == "OK MPD 0.23.5")
  }
}
