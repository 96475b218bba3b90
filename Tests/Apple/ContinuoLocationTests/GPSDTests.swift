import AppLifecycle
import CTestSupport
import ContinuoLocation
import Foundation
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

/// A real gpsd, fed by `gpsfake`, and servers that are none.
@MainActor
@Suite("gpsd", .blocksThread, .timeLimit(.minutes(10)))
struct GPSDTests {
  /// What a walker was told.
  struct Told: Sendable, CustomStringConvertible {
    var places: [CLLocationCoordinate2D] = []
    var notes: [String] = []
    var diagnostics: [String] = []
    var description: String { "\(places.count) places, \(notes), \(diagnostics)" }
  }

  /// An application on a device with that receiver.
  private func follow(port: UInt16) -> (Walker, Observed<Told>, Device) {
    let device = Device(modes: BackgroundModes())
    device.location.authorization = .authorizedAlways
    device.location.setSource(.gpsd(port: port))
    let told = Observed(Told())
    device.location.onDiagnostic = { text in told.update { $0.diagnostics.append(text) } }
    let walker = Device.withCurrent(device) { Walker { text in told.update { $0.notes.append(text) } } }
    walker.onLocation = { location in told.update { $0.places.append(location.coordinate) } }
    return (walker, told, device)
  }

  @Test("Updates come from gpsd; it is killed and started again: they resume by themselves")
  func killed() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let port = UInt16(try LoopbackSocket.freePort())
    let (walker, told, device) = follow(port: port)
    walker.manager.startUpdatingLocation()
    _ = try await told.wait(for: "the failure") { $0.notes.contains("failed: locationUnknown") }
    var fake = try FakeGPSD(port: port, folder: folder)
    defer { fake.kill() }
    for round in 0..<3 {
      let before = told.value.places.count
      let hasCome: @Sendable (Told) -> Bool = { $0.places.count >= before + 3 }
      // On a busy machine gpsfake gives up its gpsd before that has begun.
      for _ in 0..<3 where (try? await told.wait(for: "places", limit: 40, until: hasCome)) == nil {
        fake.kill()
        fake = try FakeGPSD(port: port, folder: folder)
      }
      let after = try await told.wait(for: "places", until: hasCome)
      for place in after.places.suffix(3) {
        #expect(abs(place.latitude - 52.5) < 0.01 && abs(place.longitude - 13.4) < 0.01)
      }
      guard round < 2 else { break }
      let failures = told.value.notes.count
      fake.kill()
      _ = try await told.wait(for: "the second failure") { $0.notes.count > failures }
      fake = try FakeGPSD(port: port, folder: folder)
    }
    let place = try #require(walker.locations.last)
    #expect(abs(place.speed - 12.861) < 0.1 && abs(place.course - 31) < 0.1)
    #expect(place.timestamp.timeIntervalSince1970 - 1_777_622_400 < 60)
    #expect(place.horizontalAccuracy > 0 && place.sourceInformation?.isSimulatedBySoftware == false)
    #expect(told.value.diagnostics.last == "locations arrive again")
    walker.manager.stopUpdatingLocation()
    withExtendedLifetime(device) {}
  }

  @Test("Nothing is connected before a place is wanted, while suspended, and afterwards")
  func connections() async throws {
    let server = try FakeServer { _ in [FakeServer.version, FakeServer.place(1)].joined() }
    let (walker, told, device) = follow(port: server.port)
    #expect(server.state.value == FakeServer.State())
    walker.manager.startUpdatingLocation()
    _ = try await told.wait(for: "a place") { $0.places.count == 1 }
    walker.manager.stopUpdatingLocation()
    _ = try await server.state.wait(for: "the end") { $0.connections == 1 && $0.ended == 1 }
    walker.manager.startUpdatingLocation()
    _ = try await told.wait(for: "a place") { $0.places.count == 2 }
    await device.launch()
    await device.pressHomeButton()
    #expect(device.state == .suspended)
    _ = try await server.state.wait(for: "the end") { $0.connections == 2 && $0.ended == 2 }
    await device.foreground()
    _ = try await told.wait(for: "the place on resumption") { $0.places.count == 3 }
    await device.terminate()
    _ = try await server.state.wait(for: "the end") { $0.connections == 3 && $0.ended == 3 }
  }

  @Test("A server that is no gpsd, or closes at once: tried again, with growing pauses")
  func hostile() async throws {
    let server = try FakeServer { number in
      switch number {
      case 1: ""
      case 2: String(repeating: "x", count: 100_000)
      default: FakeServer.version + "nonsense\n{\n" + FakeServer.place(number)
      }
    }
    server.closes(first: 1)
    let (walker, told, device) = follow(port: server.port)
    walker.manager.startUpdatingLocation()
    let after = try await told.wait(for: "a place") { $0.places.count == 1 }
    #expect(after.places.first?.latitude == 3)
    #expect(after.diagnostics.contains { $0.contains("has closed the connection") })
    #expect(after.diagnostics.contains { $0.contains("a line without an end") })
    walker.manager.stopUpdatingLocation()
    _ = try await server.state.wait(for: "the end") { $0.ended == 3 }
    withExtendedLifetime(device) {}
  }
}

/// gpsd with a receiver that walks to the north-east and begins again.
private struct FakeGPSD {
  private let child: Child

  init(port: UInt16, folder: TemporaryFolder) throws {
    let path = try folder.write("walk.nmea", Array(Self.log.utf8))
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    var environment = ["HOME": folder.path, "TMPDIR": folder.path]
    environment["PATH"] = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/bin:/bin"
    child = try Child(
      ["gpsfake", "-q", "-c", "0.05", "-P", "\(port)", path], environment: environment,
      streams: .descriptors(input: null, output: null, error: null))
  }

  /// gpsfake and its gpsd.
  func kill() { Glibc.kill(-child.identifier, SIGKILL) }

  private static var log: String {
    (0..<60).map { index in
      let time = "08000\(index / 60)".prefix(4) + (index < 10 ? "0\(index)" : "\(index)") + ".00"
      let minutes = String(format: "%07.4f", 30 + Double(index) * 0.006)
      let east = String(format: "%07.4f", 24 + Double(index) * 0.006)
      return [
        "GPGGA,\(time),52\(minutes),N,013\(east),E,1,08,1.0,34.0,M,44.0,M,,",
        "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5",
        "GPRMC,\(time),A,52\(minutes),N,013\(east),E,025.0,031.0,010526,,,A",
      ].map { "$\($0)*\(String(format: "%02X", $0.utf8.reduce(0, ^)))\r\n" }.joined()
    }.joined()
  }
}

/// A server on loopback that says something to each client.
private final class FakeServer: Sendable {
  struct State: Hashable, Sendable {
    /// How many have come.
    var connections = 0
    /// How many have gone.
    var ended = 0
  }

  static let version = "{\"class\":\"VERSION\",\"release\":\"3.22\"}\n"
  static func place(_ number: Int) -> String {
    "{\"class\":\"TPV\",\"mode\":2,\"time\":\"2026-05-01T08:00:09Z\",\"lat\":\(number),\"lon\":2}\n"
  }

  let port: UInt16
  let state = Observed(State())
  private let listener: Int32
  private let closing = Mutex(0)

  /// `greeting` is what the client of that number, from 1, is told.
  init(_ greeting: @escaping @Sendable (Int) -> String) throws {
    let (listener, port) = try Self.listen()
    self.listener = listener
    self.port = port
    Thread.detachNewThread { [weak self] in
      // This thread alone closes the listener: another that did would have it accept at a socket that has got the number since.
      defer { close(listener) }
      var number = 0
      while true {
        let client = continuo_test_accept(listener)
        guard client >= 0, let self else { return }
        number += 1
        self.state.update { $0.connections += 1 }
        let bytes = Array(greeting(number).utf8)
        if !bytes.isEmpty { _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        if number <= self.closing.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
        Thread.detachNewThread { [weak self] in
          var buffer = [UInt8](repeating: 0, count: 1000)
          while recv(client, &buffer, buffer.count, 0) > 0 {}
          close(client)
          self?.state.update { $0.ended += 1 }
        }
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Closes the first connections at once.
  func closes(first count: Int) { closing.withLock { $0 = count } }

  private static func listen() throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && Glibc.listen(listener, 5) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw Failure("no listening socket") }
    return (listener, UInt16(bigEndian: address.sin_port))
  }
}
