import Clocks
import Foundation
import PulseTestSupport
import SystemSupport
import Testing

@testable import PulseOutput

extension RealServers {
  /// The private server's life.
  @Suite struct PrivateServerTests {
    let clock = SystemClock.shared

    func isAlive(_ identifier: Int32) -> Bool { kill(identifier, 0) == 0 }

    @Test func startsQuicklyAndLeavesNothing() throws {
      let start = clock.now
      let server = try PrivatePulseServer()
      print("private server started in \(clock.now.seconds(since: start) * 1000) ms")
      let identifier = try #require(server.processIdentifier)
      #expect(isAlive(identifier))
      var status = stat()
      #expect(stat(server.directory, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      #expect(server.address == "unix:\(server.socketPath)")
      server.stop()
      server.stop()
      #expect(!isAlive(identifier))
      #expect(!FileManager.default.fileExists(atPath: server.directory))
    }

    @Test func sinkIsAsConfigured() throws {
      var configuration = PrivatePulseServer.Configuration()
      configuration.sink = "museum"
      configuration.sampleRate = 48000
      configuration.sampleFormat = "s16le"
      let server = try PrivatePulseServer(configuration)
      defer { server.stop() }
      #expect(
        try pactl(server.address, "list", "short", "sinks").contains(
          "museum\tmodule-null-sink.c\ts16le 2ch 48000Hz"))
    }

    @Test func restartsAtItsAddressAfterACrash() throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let address = server.address
      server.kill(SIGKILL)
      #expect(server.processIdentifier == nil)
      #expect(throws: (any Error).self) { try pactl(address, "info") }
      try server.restart()
      #expect(server.address == address)
      try pactl(address, "info")
    }

    @Test func objectEndsItsServer() throws {
      var identifier: Int32 = 0
      do {
        let server = try PrivatePulseServer()
        identifier = try #require(server.processIdentifier)
      }
      #expect(!isAlive(identifier))
    }

    /// In a process of its own: other tests have servers too.
    @Test func stopAllEndsServers() async {
      await #expect(processExitsWith: .success) {
        let first = try PrivatePulseServer()
        let second = try PrivatePulseServer()
        let identifiers = [try #require(first.processIdentifier), try #require(second.processIdentifier)]
        PrivatePulseServer.stopAll()
        for identifier in identifiers { #expect(kill(identifier, 0) != 0) }
        #expect(first.processIdentifier == nil)
        #expect(second.processIdentifier == nil)
      }
    }

    /// What is there when the process dies: nothing yet, the directory, or a server as well.
    enum Guarded: CaseIterable { case nothing, directory, server }

    @Test(arguments: Guarded.allCases) func guardianEndsWhatADeadProcessLeaves(guarded: Guarded) async throws
    {
      let directory = try #require(PrivateDirectory.candidates().first)
      let environment = [
        "HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "PATH=/usr/bin:/bin",
      ]
      let guardian = try ServerGuardian.start(directory: directory, environment: environment)
      if guarded != .nothing { try PrivateDirectory.make(directory) }
      var server: ServerProcess?
      if guarded == .server {
        let socket = "\(directory)/native"
        let process = try ServerProcess.start(
          arguments: [
            "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "-L",
            "module-native-protocol-unix socket=\(socket) auth-anonymous=1",
          ],
          environment: environment, directory: directory, guardian: guardian)
        try process.awaitSocket(socket, limit: 60)
        server = process
      }
      // What the kernel does when this process dies.
      close(guardian.lifeline)
      var status: Int32 = 0
      #expect(waitpid(guardian.identifier, &status, 0) == guardian.identifier)
      if let server {
        #expect(waitpid(server.identifier, &status, 0) == server.identifier)
        #expect(status & 0x7f == SIGKILL)
      }
      let start = clock.now
      while FileManager.default.fileExists(atPath: directory) {
        guard clock.now.seconds(since: start) < 120 else { throw Failure("\(directory) is still there") }
        // Nobody tells of the end of a child's child.
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(kill(-guardian.identifier, 0) == -1)
    }

    @Test func stoppedServerCannotBeStartedAgain() throws {
      let server = try PrivatePulseServer()
      server.stop()
      #expect(throws: PrivatePulseServer.Failure.self) { try server.restart() }
      #expect(!FileManager.default.fileExists(atPath: server.directory))
      #expect(!server.isDead)
    }

    /// The process is killed by somebody else; its device has a new one.
    @Test func deviceStartsItsServerAgain() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(privateServer: server, clock: clock)
      #expect(device.probe(limit: 30))
      for _ in 1...2 {
        let first = try #require(server.processIdentifier)
        kill(first, SIGKILL)
        let start = clock.now
        while server.processIdentifier == first || server.isDead || !device.probe(limit: 0.2) {
          guard clock.now.seconds(since: start) < 120 else { throw Failure("nobody started it again") }
          try await Task.sleep(for: .milliseconds(5))
        }
        print("a new server after \(clock.now.seconds(since: start) * 1000) ms")
      }
    }

    /// A server that cannot be started any more is tried less and less often, however often it is asked for.
    @Test func hopelessServerCostsNothing() async throws {
      let folder = try PrivateDirectory.candidates().first.map { path in
        try PrivateDirectory.make(path)
        return path
      }
      let place = try #require(folder)
      defer { PrivateDirectory.remove(place) }
      let program = "\(place)/server"
      try await write(
        program: "echo >>\(place)/starts\ntest -e \(place)/broken && exit 1\nexec pulseaudio \"$@\"\n",
        to: program)
      var configuration = PrivatePulseServer.Configuration()
      configuration.program = program
      let server = try PrivatePulseServer(configuration)
      defer { server.stop() }
      let keeper = ServerKeeper(server, clock: clock)
      #expect(FileManager.default.createFile(atPath: "\(place)/broken", contents: nil))
      server.kill(SIGKILL)
      let start = clock.now
      // The time is the case: it is how often that counts.
      while clock.now.seconds(since: start) < 1.5 {
        keeper.look()
        try await Task.sleep(for: .milliseconds(2))
      }
      let starts = try String(contentsOfFile: "\(place)/starts", encoding: .utf8).count - 1
      #expect((1...4).contains(starts))
      let delays = (0...8).map { ServerKeeper.backoff.delay(after: $0 + 1) }
      #expect(delays == delays.sorted() && delays[0] == 0 && delays[8] == 5)
    }

    @Test func missingProgramIsSaid() throws {
      var configuration = PrivatePulseServer.Configuration()
      configuration.program = "continuo-no-such-program"
      let failure = #expect(throws: PrivatePulseServer.Failure.self) {
        _ = try PrivatePulseServer(configuration)
      }
      #expect(failure?.isMissingProgram == true)
      #expect(failure?.message.contains("not installed") == true)
    }

    @Test func badConfigurationIsSaid() throws {
      var configuration = PrivatePulseServer.Configuration()
      configuration.sampleFormat = "nonsense"
      let failure = #expect(throws: PrivatePulseServer.Failure.self) {
        _ = try PrivatePulseServer(configuration)
      }
      #expect(failure?.message.contains("Failed to load module") == true)
      #expect(failure?.isMissingProgram == false)
    }

    @Test func probeAnswers() throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let there = PulseDevice(configuration: PulseConfiguration(server: server.address), clock: clock)
      #expect(there.probe(limit: 60))
      #expect(there.probe(limit: 0))
      let nowhere = PulseDevice(
        configuration: PulseConfiguration(server: "unix:/tmp/continuo-nowhere"), clock: clock)
      let start = clock.now
      #expect(!nowhere.probe(limit: 60))
      #expect(clock.now.seconds(since: start) < 30)
      server.kill(SIGSTOP)
      let stopped = PulseDevice(configuration: PulseConfiguration(server: server.address), clock: clock)
      #expect(!stopped.probe(limit: 0.2))
      server.kill(SIGCONT)
    }
  }
}
