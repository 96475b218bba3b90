import CTestSupport
import Clocks
import Foundation
import PulseTestSupport
import Synchronization
import SystemSupport
import TestSupport

@testable import NowPlaying

/// A session bus of its own, and programs on it. `close` takes it all down.
final class BusStage: Sendable {
  private let folder: TemporaryFolder
  private let daemon = Mutex<(child: Child, reader: DescriptorReader)?>(nil)
  /// The address that clients connect to.
  let address: String

  /// A stage whose bus runs, unless `isRunning` is false.
  init(isRunning: Bool = true) async throws {
    folder = try TemporaryFolder()
    address = "unix:path=\(folder.file("bus"))"
    if isRunning { try await startDaemon() }
  }

  /// The socket of `address`.
  var socketPath: String { folder.file("bus") }

  /// Starts the bus, at first or after `killDaemon`.
  func startDaemon() async throws {
    // A bus that was killed leaves its socket.
    unlink(socketPath)
    let lines = Observed([String]())
    let started = try Self.start(
      ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address"],
      address
    ) { line in lines.update { $0.append(line) } }
    daemon.withLock { $0 = started }
    _ = try await lines.wait(for: "the bus") { $0.contains { $0.hasPrefix("unix:path=") } }
  }

  private static func start(
    _ arguments: [String], _ address: String, _ take: @escaping @Sendable (String) -> Void
  ) throws -> (Child, DescriptorReader) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer {
      Glibc.close(ends[1])
      Glibc.close(null)
    }
    let reader = DescriptorReader(linesOf: ends[0], take: take)
    let environment = ProcessInfo.processInfo.environment.filter {
      ["PATH", "LD_LIBRARY_PATH"].contains($0.key)
    }
    let child = try Child(
      arguments,
      environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8"]) { $1 },
      streams: .descriptors(input: null, output: ends[1], error: ends[1]))
    return (child, reader)
  }

  /// Runs `playerctl` to its end and returns what it said.
  func playerctl(_ arguments: String...) async throws -> (status: Int32, text: String) {
    let lines = Observed([String]())
    let (child, reader) = try Self.start(["playerctl"] + arguments, address) { line in
      lines.update { $0.append(line) }
    }
    defer { child.signal(SIGKILL) }
    let end = try await child.ended()
    reader.finish()
    return (end.status, lines.value.joined(separator: "\n"))
  }

  /// Ends the bus; whoever is connected loses the connection.
  func killDaemon() async throws {
    guard let daemon = takeDaemon() else { return }
    daemon.child.signal(SIGKILL)
    _ = try await daemon.child.ended()
    daemon.reader.finish()
  }

  func close() {
    if let daemon = takeDaemon() {
      daemon.child.signal(SIGKILL)
      daemon.reader.finish()
    }
    folder.remove()
  }

  private func takeDaemon() -> (child: Child, reader: DescriptorReader)? {
    daemon.withLock { daemon in
      defer { daemon = nil }
      return daemon
    }
  }
}

/// A client on the bus, made of the same library.
final class BusClient: Sendable {
  private let bus: SessionBus
  /// The signals of MPRIS players that came so far.
  let signals: Observed<[BusMessage]>
  /// Whether the connection has ended.
  let hasEnded: Observed<Bool>

  init(
    _ address: String,
    onCall: @escaping @Sendable (BusMessage, UInt64) -> BusAnswer = { _, _ in .failure(.failed("no object")) }
  ) throws {
    let signals = Observed([BusMessage]())
    let hasEnded = Observed(false)
    self.signals = signals
    self.hasEnded = hasEnded
    bus = try SessionBus(
      address: address, onCall: onCall, onSignal: { signal in signals.update { $0.append(signal) } },
      onEnd: { hasEnded.update { $0 = true } })
  }

  func call(_ message: BusMessage) async throws -> [BusValue] {
    try await answer { bus.call(message, completion: $0) }
  }

  /// What `ask` is answered. A lock hands it over: the thread sanitizer does not see all that a continuation does.
  private func answer<Value: Sendable>(
    _ ask: (@escaping @Sendable (Result<Value, BusError>) -> Void) -> Void
  ) async throws -> Value {
    let answer = Mutex<Result<Value, BusError>>(.failure(.failed("no answer")))
    await withCheckedContinuation { continuation in
      ask { result in
        answer.withLock { $0 = result }
        continuation.resume()
      }
    }
    return try answer.withLock { $0 }.get()
  }

  func emit(_ signal: BusMessage) { bus.emit(signal) }

  func reply(to number: UInt64, _ result: Result<[BusValue], BusError>) { bus.reply(to: number, result) }

  func requestName(_ name: String) async throws -> Bool {
    try await answer { bus.requestName(name, completion: $0) }
  }

  func close() { bus.close() }

  /// Asks the bus itself.
  func askBus(_ member: String, _ arguments: BusValue...) async throws -> [BusValue] {
    try await call(
      BusMessage(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: member, arguments: arguments))
  }

  /// From now on the signals of MPRIS players come.
  func watchPlayers() async throws {
    _ = try await askBus("AddMatch", .string("type='signal',path='\(MPRISState.path)'"))
    _ = try await askBus(
      "AddMatch", .string("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"))
  }

  /// Waits until somebody owns the name.
  func awaitName(_ name: String) async throws {
    _ = try await signals.wait(for: name) { signals in
      signals.contains { $0.member == "NameOwnerChanged" && $0.arguments.first == .string(name) }
    }
  }

  /// Waits until somebody owns the name, also one who has owned it for long.
  func owns(_ name: String) async throws {
    // The bus that is asked was just started: a signal might have come before the question.
    try await ask("nobody owns \(name)") { try await askBus("NameHasOwner", .string(name)) == [.bool(true)] }
  }

  /// Waits until a player's item has this title.
  func shows(title: String, by name: String) async throws {
    try await ask("\(name) does not show \(title)") {
      guard case .dictionary(let values)? = try await property(name, "Metadata") else { return false }
      return values["xesam:title"]?.text == title
    }
  }

  /// Asks again until the answer is yes.
  private func ask(
    _ problem: String, limit: Double = 120, _ isThere: () async throws -> Bool
  ) async throws {
    let end = SystemClock.shared.now.advanced(bySeconds: limit)
    while try await !isThere() {
      guard SystemClock.shared.now < end else { throw Failure(problem) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Calls a method of a player.
  @discardableResult
  func player(_ name: String, _ member: String, _ arguments: BusValue...) async throws -> [BusValue] {
    try await call(
      BusMessage(
        destination: name, path: MPRISState.path, interface: MPRISState.player, member: member,
        arguments: arguments))
  }

  /// Reads a property of a player.
  func property(_ name: String, _ property: String) async throws -> BusValue? {
    let reply = try await call(
      BusMessage(
        destination: name, path: MPRISState.path, interface: MPRISState.properties, member: "Get",
        arguments: [.string(MPRISState.player), .string(property)]))
    guard case .variant(let value)? = reply.first else { return nil }
    return value
  }

  /// Sets a property of a player.
  func set(_ name: String, _ property: String, _ value: BusValue) async throws {
    _ = try await call(
      BusMessage(
        destination: name, path: MPRISState.path, interface: MPRISState.properties, member: "Set",
        arguments: [.string(MPRISState.player), .string(property), .variant(value)]))
  }

  /// The value that a change to `property` announced last.
  static func last(_ property: String, in signals: [BusMessage]) -> BusValue? {
    for signal in signals.reversed() where signal.member == "PropertiesChanged" {
      if signal.arguments.count == 3, case .dictionary(let changed) = signal.arguments[1],
        case .variant(let value)? = changed[property].map({ BusValue.variant($0) })
      {
        return value
      }
    }
    return nil
  }

  /// Waits until a change is announced.
  func awaits(_ property: String, _ value: BusValue) async throws {
    _ = try await signals.wait(for: "\(property) \(value)") { Self.last(property, in: $0) == value }
  }
}

/// A socket at a bus's place that ends every connection as soon as it was made.
final class EndingBus: Sendable {
  /// Connections so far.
  let count = Observed(0)
  private let descriptor: Int32

  init(_ path: String) throws {
    let descriptor = unixSocket()
    self.descriptor = descriptor
    guard UnixAddress.with(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 8) == 0 else {
      throw Failure("no socket at \(path)")
    }
    Thread.detachNewThread { [count] in
      while true {
        let connection = continuo_test_accept(descriptor)
        guard connection >= 0 else { break }
        Glibc.close(connection)
        count.update { $0 += 1 }
      }
      Glibc.close(descriptor)
    }
  }

  /// Takes no connection any more.
  func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
