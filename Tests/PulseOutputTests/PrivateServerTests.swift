import Foundation
import HostTime
import PulseTestSupport
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

    @Test func watchdogEndsTheServerOfADeadProcess() async throws {
      let directory = try PrivateDirectory.make()
      let socket = "\(directory)/native"
      let process = try ServerProcess.start(
        arguments: [
          "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "-L",
          "module-native-protocol-unix socket=\(socket) auth-anonymous=1",
        ],
        environment: ["HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "PATH=/usr/bin:/bin"],
        directory: directory)
      try process.awaitSocket(socket, limit: 10)
      // What the kernel does when this process dies.
      close(process.lifeline)
      var status: Int32 = 0
      #expect(waitpid(process.identifier, &status, 0) == process.identifier)
      #expect(status & 0x7f == SIGKILL)
      #expect(waitpid(process.watchdog, &status, 0) == process.watchdog)
      #expect(!FileManager.default.fileExists(atPath: directory))
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
      #expect(there.probe(limit: 2))
      #expect(there.probe(limit: 0))
      let nowhere = PulseDevice(
        configuration: PulseConfiguration(server: "unix:/tmp/continuo-nowhere"), clock: clock)
      let start = clock.now
      #expect(!nowhere.probe(limit: 2))
      #expect(clock.now.seconds(since: start) < 1)
      server.kill(SIGSTOP)
      let stopped = PulseDevice(configuration: PulseConfiguration(server: server.address), clock: clock)
      #expect(!stopped.probe(limit: 0.2))
      server.kill(SIGCONT)
    }
  }
}
