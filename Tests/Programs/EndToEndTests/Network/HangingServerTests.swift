import Clocks
import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
  /// Servers that stop to answer at each place where a server can.
  @Suite struct HangingServerTests {
    enum Place: CaseIterable {
      /// No connection is made: the kernel drops the requests for one.
      case connect
      /// The connection is made, and what encryption needs is not said.
      case encryption
      /// The request is taken, and no head comes.
      case head
      /// The body stops.
      case body

      /// Seconds until the connection is given up.
      var limit: Double {
        switch self {
        case .connect, .encryption: 10
        case .head: 20
        case .body: 15
        }
      }
    }

    /// A player that serves clients, and a client.
    private struct Served {
      let player: Player
      let client: Conversation

      init(_ studio: Studio, _ name: String, _ arguments: [String]) throws {
        let socket = "\(studio.folder)/\(name)"
        player = try studio.play(arguments + ["--output", "simulated", "--socket", socket])
        client = try Self.connected(socket)
      }

      /// A client of the socket, which is there before it takes connections.
      private static func connected(_ socket: String) throws -> Conversation {
        let end = SystemClock.shared.now.advanced(bySeconds: 120)
        while true {
          do { return try Conversation(socket) } catch {
            guard SystemClock.shared.now < end else { throw error }
            usleep(5_000)
          }
        }
      }

      /// Waits until the client is told that the network is waited for. Nothing was heard for less than `sound`
      /// seconds then.
      func waits(sound: Double = 5, limit: Double = 120) async throws {
        var place = -1.0
        var stood = SystemClock.shared.now
        let end = stood.advanced(bySeconds: limit)
        while true {
          let status = try await client.ask("status")
          let now = SystemClock.shared.now
          let elapsed = status.first { $0.hasPrefix("elapsed: ") }.flatMap { Double($0.dropFirst(9)) } ?? 0
          if elapsed != place { (place, stood) = (elapsed, now) }
          if status.contains("error: waiting for 127.0.0.1") {
            #expect(status.contains("state: pause"), "\(status)")
            #expect(now.seconds(since: stood) < sound, "\(status)")
            return
          }
          guard now < end else { throw Failure("nobody is told of the wait: \(status)") }
          try await Task.sleep(for: .milliseconds(5))
        }
      }

      /// What is asked for while a server hangs is done at once.
      func answers(_ command: String, repeats: Int = 1) async throws {
        let seconds = try await client.time(of: command, repeats: repeats)
        // The server hangs for 10 s and more.
        #expect(seconds < 9, "\(command) took \(seconds) s")
      }
    }

    /// The servers of all places at the same time: each is given up after its own limit, and asked once more.
    @Test(
      "wherever a server hangs: it is named within half a second, holds up nobody, and is asked again in time"
    )
    func hanging() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 20).write(into: studio.folder)
      let next = try await Song(duration: 20, seed: 2).write(into: studio.folder)
      let content = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      let encrypted = try await EncryptedServer.standingStill(content, in: studio.folder)
      defer { encrypted.stop() }
      let scenes = try [Place.connect, .head, .body].map { try Scene($0, content, next: next, in: studio) }
      let served = try Served(
        studio, "encryption", [next, encrypted.url("a.mp3"), next, "--cacert", encrypted.authority])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for scene in scenes { group.addTask { try await scene.run() } }
        group.addTask { try await Self.saysNothingOfEncryption(served, encrypted) }
        try await group.waitForAll()
      }
    }
  }
}

extension EndToEndTests.HangingServerTests {
  private static func saysNothingOfEncryption(
    _ served: Served, _ server: EncryptedServer
  ) async throws {
    let (client, clock) = (served.client, SystemClock.shared)
    try await client.passes(0.1)
    try await served.answers("next")
    let hung = clock.now
    try await served.waits()
    try await served.answers("seek 1 0", repeats: 3)
    try await served.answers("next")
    try await client.passes(0.1)
    try await served.answers("previous")
    try await served.waits()
    try await Task.sleep(for: .seconds(Place.encryption.limit - clock.now.seconds(since: hung) + 1))
    server.resume()
    try await client.passes(0.5)
    #expect(clock.now.seconds(since: hung) < Place.encryption.limit + 30)
    try await served.answers("stop")
    _ = try await served.player.ended(by: SIGTERM)
  }

  /// A server, and a player of it.
  private final class Scene: Sendable {
    private let place: Place
    private let server: HostileServer
    private let served: Served
    private let isLate: Switch

    private final class Switch: Sendable {
      let isOn = Mutex(true)
      let server = Mutex<HostileServer?>(nil)
    }

    /// A first part of the song comes; what is asked for then does not, until the test says so.
    init(_ place: Place, _ content: [UInt8], next: String, in studio: Studio) throws {
      let isLate = Switch()
      let server = try HostileServer { request in
        var file = HostileFile(content)
        guard isLate.isOn.withLock({ $0 }) else { return file.answer(request) }
        guard request.target == "/song.mp3", request.number == 1 else { return [.hang] }
        file.cut = 30_000
        file.ending = place == .body ? .hang : .close
        if place == .connect { isLate.server.withLock { $0 }?.stopAccepting() }
        return file.answer(request)
      }
      isLate.server.withLock { $0 = server }
      self.place = place
      self.server = server
      self.isLate = isLate
      served = try Served(studio, "\(place)", [server.url("/song.mp3"), next, server.url("/other.mp3")])
    }

    func run() async throws {
      defer { server.stop() }
      let (client, clock) = (served.client, SystemClock.shared)
      try await served.waits()
      let hung = clock.now
      // Into what is there: it is heard again, up to where it ends.
      try await served.answers("seek 0 1", repeats: 3)
      try await served.waits()
      try await served.answers("seek 0 0")
      isLate.isOn.withLock { $0 = false }
      if place == .connect {
        // The first request for a connection is given up before there is one.
        try await Task.sleep(for: .seconds(place.limit - 1))
        server.goOnAccepting()
      }
      try await client.passes(2.5)
      #expect(clock.now.seconds(since: hung) < place.limit + 30, "\(place)")
      // The song behind the next one hangs from its beginning on.
      isLate.isOn.withLock { $0 = true }
      if place == .connect { server.stopAccepting() }
      try await served.answers("next")
      try await client.passes(0.1)
      try await served.answers("next")
      try await served.waits()
      try await served.answers("seek 0 1")
      try await served.answers("stop")
      _ = try await served.player.ended(by: SIGTERM)
    }
  }
}
