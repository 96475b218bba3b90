import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import NowPlaying

/// The connection, with a real bus.
@Suite struct SessionBusTests {
  @Test func aBusIsNamedByTheEnvironment() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    func isNamed(_ values: [String: String]) -> Bool { SessionBus.isNamed(in: { values[$0] }) }
    #expect(!isNamed([:]))
    #expect(!isNamed(["XDG_RUNTIME_DIR": folder.path]))
    try Data().write(to: URL(fileURLWithPath: folder.file("bus")))
    #expect(isNamed(["XDG_RUNTIME_DIR": folder.path]))
    for address in ["", "disabled:", "unix:path=\(folder.path)/none", "unix:path=\(folder.path)/none,guid=1"]
    {
      #expect(!isNamed(["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": folder.path]), "\(address)")
    }
    for address in ["unix:path=\(folder.path)/bus,guid=1", "unix:abstract=/tmp/x", "tcp:host=h,port=1"] {
      #expect(isNamed(["DBUS_SESSION_BUS_ADDRESS": address]), "\(address)")
    }
  }

  @Test("A bus that was not there is tried again at the next call")
  func aBusThatComesLater() async throws {
    let stage = try await BusStage(isRunning: false)
    defer { stage.close() }
    let bus = PersistentBus(address: stage.address)
    func begin() { bus.begin(onConnect: { _ in }, onCall: { _, _ in .values([]) }) }
    begin()
    try await stage.startDaemon()
    let end = ContinuousClock.now + .seconds(120)
    while bus.current == nil, ContinuousClock.now < end {
      begin()
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(bus.current != nil)
  }

  private static func call(_ destination: String, _ arguments: BusValue...) -> BusMessage {
    BusMessage(
      destination: destination, path: "/a", interface: "org.example.Echo", member: "Echo",
      arguments: arguments)
  }

  @Test func valuesOfAllTypesComeBackAsTheyWereSent() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let echo = try BusClient(stage.address) { call, _ in .values(call.arguments) }
    #expect(try await echo.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    let values: [BusValue] = [
      .bool(true), .bool(false), .int32(.min), .uint16(.max), .uint32(.max), .int64(.min), .uint64(.max),
      .double(-0.5),
      .string("Für Elise 🎹"), .string(""), .objectPath("/a/b"), .strings([]), .strings(["a", "", "ü"]),
      .byteArrays([]), .byteArrays([[], [0, 255]]),
      .dictionary([:]), .variant(.int32(7)), .variant(.strings(["x"])),
    ]
    for value in values {
      #expect(try await client.call(Self.call("org.example.Echo", value)) == [value])
    }
    #expect(
      try await client.call(Self.call("org.example.Echo", .string("a"), .int64(3), .bool(true)))
        == [.string("a"), .int64(3), .bool(true)])
    // The values of a dictionary are variants, which are left out.
    let dictionary = BusValue.dictionary(["a": .int32(1), "b": .strings(["x", "y"]), "c": .dictionary([:])])
    #expect(try await client.call(Self.call("org.example.Echo", dictionary)) == [dictionary])
  }

  @Test func errorsCarryNameAndMessage() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let server = try BusClient(stage.address) { _, _ in .failure(.notSupported("not \"today\" %s")) }
    #expect(try await server.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    await #expect(throws: BusError.notSupported("not \"today\" %s")) {
      try await client.call(Self.call("org.example.Echo"))
    }
    let nobody = await #expect(throws: BusError.self) {
      try await client.call(Self.call("org.example.Nobody"))
    }
    #expect(nobody?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
    // What is no valid name does not leave the process.
    await #expect(throws: BusError.self) { try await client.call(Self.call("not a name")) }
    await #expect(throws: BusError.self) {
      try await client.call(Self.call("org.example.Echo", .objectPath("no path")))
    }
  }

  @Test func valuesThatNoMessageMayHaveAreAnError() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let server = try BusClient(stage.address) { _, _ in .values([.objectPath("no path")]) }
    #expect(try await server.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    let error = await #expect(throws: BusError.self) {
      try await client.call(Self.call("org.example.Echo"))
    }
    #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
  }

  @Test func aNameHasOneOwner() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let first = try BusClient(stage.address)
    let second = try BusClient(stage.address)
    #expect(try await first.requestName("org.example.Name"))
    #expect(try await first.requestName("org.example.Name"))
    #expect(try await second.requestName("org.example.Name") == false)
  }

  @Test func laterAnswersArriveAndTooManyAreRefused() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let numbers = Observed([UInt64]())
    let server = try BusClient(stage.address) { _, number in
      numbers.update { $0.append(number) }
      return .later
    }
    #expect(try await server.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<65 {
        group.addTask {
          do {
            return try await client.call(Self.call("org.example.Echo")) == [.int32(1)]
          } catch let error as BusError {
            #expect(error == .tooMuch)
            return false
          }
        }
      }
      let waiting = try await numbers.wait(for: "64 calls") { $0.count == 64 }
      // One was refused; the others are answered once, whatever comes afterwards.
      #expect(try await group.next() == false)
      for number in waiting {
        server.reply(to: number, .success([.int32(1)]))
        server.reply(to: number, .success([.int32(2)]))
      }
      for try await isAnswered in group { #expect(isAnswered) }
    }
  }

  @Test func whoLosesTheBusIsTold() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let server = try BusClient(stage.address) { _, _ in .later }
    #expect(try await server.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    let answer = Task { try await client.call(Self.call("org.example.Echo")) }
    try await stage.killDaemon()
    _ = try await client.hasEnded.wait(for: "the end") { $0 }
    await #expect(throws: BusError.self) { try await answer.value }
    await #expect(throws: BusError.self) { try await client.call(Self.call("org.example.Echo")) }
    _ = try await server.hasEnded.wait(for: "the end") { $0 }
  }

  @Test func closingAnswersWhoWaits() async throws {
    let stage = try await BusStage()
    defer { stage.close() }
    let hasCall = Observed(false)
    let server = try BusClient(stage.address) { _, _ in
      hasCall.update { $0 = true }
      return .later
    }
    #expect(try await server.requestName("org.example.Echo"))
    let client = try BusClient(stage.address)
    let answer = Task { try await client.call(Self.call("org.example.Echo")) }
    _ = try await hasCall.wait(for: "the call") { $0 }
    client.close()
    let error = await #expect(throws: BusError.self) { try await answer.value }
    #expect(error?.name == "org.freedesktop.DBus.Error.Disconnected")
    #expect(client.hasEnded.value == false)
  }

  @Test func whereThereIsNoBus() async throws {
    // An address that means nothing is refused at once or tells of its end; neither waits.
    for address in ["unix:path=/nowhere/at/all", "nonsense", ""] {
      do {
        let client = try BusClient(address)
        _ = try await client.hasEnded.wait(for: "the end") { $0 }
      } catch let error as BusError {
        #expect(error.name == "org.freedesktop.DBus.Error.Disconnected")
      }
    }
  }
}
