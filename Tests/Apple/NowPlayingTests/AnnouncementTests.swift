import NowPlaying
import PulseTestSupport
import TestSupport
import Testing

/// What Avahi, here a script on a bus of its own, is asked for.
@Suite(.timeLimit(.minutes(10))) struct AnnouncementTests {
  /// What a client asked, in order: the member and its arguments.
  private final class Avahi: Sendable {
    let calls = Observed([BusMessage]())
    private let client: BusClient
    /// The state of the server: 1 while its host name is being established, 2 from then on, 3 after a conflict.
    private let state: Observed<Int32>

    /// `taken`: names that other programs of the machine have.
    init(_ address: String, taken: [String] = [], state: Int32 = 2) throws {
      let state = Observed(state)
      self.state = state
      client = try BusClient(address) { [calls] call, _ in
        calls.update { $0.append(call) }
        switch call.member {
        case "GetState": return .values([.int32(state.value)])
        case "EntryGroupNew": return .values([.objectPath("/Client1/EntryGroup1")])
        case "AddService" where taken.contains(call.arguments[3].text ?? ""):
          return .failure(BusError(name: "org.freedesktop.Avahi.CollisionError", message: "taken"))
        default: return .values([])
        }
      }
    }

    /// Another machine of the network has the name that was committed.
    func collide(group: String = "/Client1/EntryGroup1") {
      client.emit(
        BusMessage(
          path: group, interface: "org.freedesktop.Avahi.EntryGroup", member: "StateChanged",
          arguments: [.int32(3), .string("org.freedesktop.Avahi.CollisionError")]))
    }

    /// The state of the server changes.
    func change(to state: Int32) {
      self.state.update { $0 = state }
      client.emit(
        BusMessage(
          path: "/", interface: "org.freedesktop.Avahi.Server", member: "StateChanged",
          arguments: [.int32(state), .string("")]))
    }

    func appear() async throws { #expect(try await client.requestName("org.freedesktop.Avahi")) }

    func committed(_ count: Int = 1) async throws -> [BusMessage] {
      try await calls.wait(for: "Commit") { $0.count { $0.member == "Commit" } == count }
    }
  }

  private static let service = ServiceAnnouncement.Service(name: "Music", type: "_mpd._tcp", port: 6600)

  @Test func serviceIsAnnounced() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let avahi = try Avahi(stage.address)
    try await avahi.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    let calls = try await avahi.committed()
    withExtendedLifetime(announcement) {}
    #expect(calls.map(\.member) == ["EntryGroupNew", "GetState", "AddService", "Commit"])
    #expect(calls.map(\.path) == ["/", "/", "/Client1/EntryGroup1", "/Client1/EntryGroup1"])
    #expect(calls[2].signature == "iiussssqaay")
    #expect(
      calls[2].arguments == [
        .int32(-1), .int32(-1), .uint32(0), .string("Music"), .string("_mpd._tcp"), .string(""), .string(""),
        .uint16(6600), .byteArrays([]),
      ])
  }

  @Test func otherNameIsTakenWhereThereIsOneAlready() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let avahi = try Avahi(stage.address, taken: ["Music", "Music #2"])
    try await avahi.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    let calls = try await avahi.committed()
    withExtendedLifetime(announcement) {}
    #expect(
      calls.filter { $0.member == "AddService" }.map { $0.arguments[3].text } == [
        "Music", "Music #2", "Music #3",
      ])
  }

  @Test func otherNameIsTakenWhereAnotherMachineHasIt() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let avahi = try Avahi(stage.address, taken: ["Music #2"])
    try await avahi.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    _ = try await avahi.committed()
    // The first is another program's.
    avahi.collide(group: "/Client2/EntryGroup1")
    avahi.collide()
    let calls = try await avahi.committed(2)
    withExtendedLifetime(announcement) {}
    #expect(
      calls.map(\.member) == [
        "EntryGroupNew", "GetState", "AddService", "Commit", "Reset", "GetState", "AddService", "AddService",
        "Commit",
      ])
    #expect(
      calls.filter { $0.member == "AddService" }.map { $0.arguments[3].text } == [
        "Music", "Music #2", "Music #3",
      ])
    #expect(
      calls.allSatisfy {
        $0.path == (["EntryGroupNew", "GetState"].contains($0.member) ? "/" : "/Client1/EntryGroup1")
      })
  }

  @Test func serviceWaitsForTheNameOfTheMachine() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let avahi = try Avahi(stage.address, state: 1)
    try await avahi.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    _ = try await avahi.calls.wait(for: "the state") { $0.last?.member == "GetState" }
    avahi.change(to: 2)
    let calls = try await avahi.committed()
    withExtendedLifetime(announcement) {}
    #expect(calls.map(\.member) == ["EntryGroupNew", "GetState", "AddService", "Commit"])
  }

  @Test(arguments: [1, 3] as [Int32]) func serviceFollowsTheNameOfTheMachine(state: Int32) async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let avahi = try Avahi(stage.address, taken: ["Music"])
    try await avahi.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    _ = try await avahi.committed()
    avahi.change(to: state)
    _ = try await avahi.calls.wait(for: "the state") { $0.count { $0.member == "GetState" } == 2 }
    avahi.change(to: 2)
    let calls = try await avahi.committed(2)
    withExtendedLifetime(announcement) {}
    #expect(calls.suffix(4).map(\.member) == ["Reset", "GetState", "AddService", "Commit"])
    #expect(calls.suffix(2).first?.arguments[3].text == "Music #2")
  }

  @Test func avahiThatComesLaterIsTold() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    // It has asked who is there, and nobody was.
    let other = try BusClient(stage.address)
    #expect(try await other.requestName("org.example.Other"))
    let avahi = try Avahi(stage.address)
    try await avahi.appear()
    _ = try await avahi.committed()
    withExtendedLifetime(announcement) {}
  }

  @Test func busThatIsStartedAgainIsToldAgain() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let first = try Avahi(stage.address)
    try await first.appear()
    let announcement = ServiceAnnouncement(Self.service, address: stage.address)
    _ = try await first.committed()
    try await stage.killDaemon()
    try await stage.startDaemon()
    let second = try Avahi(stage.address)
    try await second.appear()
    _ = try await second.committed()
    withExtendedLifetime(announcement) {}
  }

  @Test func withoutABusNothingHappens() {
    _ = ServiceAnnouncement(Self.service, address: "unix:path=/nonexistent/bus")
    _ = ServiceAnnouncement(Self.service, address: "nonsense")
  }
}
