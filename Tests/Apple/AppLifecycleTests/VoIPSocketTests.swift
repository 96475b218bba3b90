import Clocks
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

/// T14: VoIP sockets wake a suspended application and are never reclaimed (Technical Note TN2277, "VoIP Sockets"). With real
/// sockets, on the real clock.
@Suite(.timeLimit(.minutes(10))) struct VoIPSocketTests {
  /// A phone whose application has one connection with a server, and leaves its other sockets to the system.
  private final class Phone: Sendable {
    let device: Device
    let near: LoopbackSocket
    let far: LoopbackSocket
    private let states: AsyncStream<ApplicationState>
    /// What kept it running when it came to the background last: a test that is late finds it suspended again.
    let keeper = Mutex(RunningReason.none)

    init(modes: String = "voip", voipTime: Double = 0.2) throws {
      var settings = LifecycleSettings()
      settings.voipTime = voipTime
      device = Device(
        modes: BackgroundModes(list: modes), clock: SystemClock.shared, settings: settings)
      (near, far) = try LoopbackSocket.pair()
      let (states, continuation) = AsyncStream.makeStream(of: ApplicationState.self)
      self.states = states
      device.onStateChange = { [weak self] state in
        if state == .background, let self { keeper.withLock { $0 = device.keptRunningBy } }
        continuation.yield(state)
      }
    }

    /// Waits until it reaches a state; those in between are left out.
    func reaches(_ state: ApplicationState) async throws {
      for await reached in states where reached == state { return }
      throw CancellationError()
    }

    func register(_ descriptor: Int32) -> Bool {
      Device.withCurrent(device) { VoIPSocket.register(descriptor) }
    }
  }

  @Test func dataWakesItAndItSleepsAgain() async throws {
    let phone = try Phone()
    await phone.device.launch()
    #expect(phone.register(phone.near.descriptor))
    await phone.device.pressHomeButton()
    try await phone.reaches(.suspended)
    for word in ["ring", "ring again"] {
      try phone.far.send(word)
      try await phone.reaches(.background)
      #expect(phone.keeper.withLock { $0 } == .voip)
      #expect(try phone.near.receive() == Array(word.utf8))
      try await phone.reaches(.suspended)
    }
    // The other end has gone: it is told, too.
    #expect(shutdown(phone.far.descriptor, Int32(SHUT_WR)) == 0)
    try await phone.reaches(.background)
    #expect(try phone.near.receive().isEmpty)
  }

  /// What came between the application's last look and its suspension is not missed.
  @Test func dataThatIsThereAlreadyWakesIt() async throws {
    let phone = try Phone()
    await phone.device.launch()
    #expect(phone.register(phone.near.descriptor))
    try phone.far.send("ring")
    await phone.device.pressHomeButton()
    try await phone.reaches(.suspended)
    try await phone.reaches(.background)
    #expect(try phone.near.receive() == Array("ring".utf8))
  }

  /// It is told once, or an application that does not read would never sleep.
  @Test func dataThatIsLeftUnreadWakesItOnce() async throws {
    let phone = try Phone(voipTime: 0.05)
    let wakes = Mutex(0)
    phone.device.onRecord = { if $0.event == .happened(.voipData) { wakes.withLock { $0 += 1 } } }
    await phone.device.launch()
    #expect(phone.register(phone.near.descriptor))
    await phone.device.pressHomeButton()
    try await phone.reaches(.suspended)
    try phone.far.send("a")
    try await phone.reaches(.background)
    try await phone.reaches(.suspended)
    // What would come at once does not; what is new does.
    try await Task.sleep(for: .milliseconds(200))
    #expect(wakes.withLock { $0 } == 1)
    try phone.far.send("b")
    try await phone.reaches(.background)
    #expect(wakes.withLock { $0 } == 2)
    #expect(try phone.near.receive() == Array("ab".utf8))
  }

  /// In front nothing is told: the application looks itself.
  @Test func dataInFrontIsTheApplications() async throws {
    let phone = try Phone()
    let wakes = Mutex(0)
    phone.device.onRecord = { if $0.event == .happened(.voipData) { wakes.withLock { $0 += 1 } } }
    await phone.device.launch()
    #expect(phone.register(phone.near.descriptor))
    await phone.device.pressHomeButton()
    await phone.device.foreground()
    try phone.far.send("ring")
    #expect(try phone.near.receive() == Array("ring".utf8))
    await phone.device.pressHomeButton()
    try await Task.sleep(for: .milliseconds(100))
    #expect(wakes.withLock { $0 } == 0)
  }

  @Test("A wait consumes no data: a process that is stopped after it is resumed for them")
  func dataOfAWait() throws {
    let watch = try #require(SocketWatch())
    let (near, far) = try LoopbackSocket.pair()
    #expect(watch.add(near.descriptor) && !watch.hasData)
    try far.send("ring")
    #expect(watch.waitForData() && watch.hasData)
    watch.forget()
    #expect(!watch.hasData)
    watch.end()
    #expect(!watch.waitForData())
  }

  @Test func itIsNeverReclaimed() throws {
    let phone = try Phone()
    let (other, otherEnd) = try LoopbackSocket.pair()
    #expect(phone.register(phone.near.descriptor))
    #expect(OpenSockets.reclaim(phone.near.descriptor) == nil)
    #expect(OpenSockets.reclaim(other.descriptor) != nil)
    try phone.far.send("ring")
    #expect(try phone.near.receive() == Array("ring".utf8))
    try phone.near.send("answer")
    #expect(try phone.far.receive() == Array("answer".utf8))
    withExtendedLifetime(otherEnd) {}
  }

  @Test func whatCannotBeRegisteredIsRefused() throws {
    let phone = try Phone()
    let (plain, _) = try LoopbackSocket.pair()
    let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    let file = open("/dev/null", O_RDONLY)
    defer { for descriptor in [datagrams, file] { close(descriptor) } }
    let notes = Mutex<[String]>([])
    phone.device.onRecord = { record in notes.withLock { $0.append("\(record.event)") } }
    for descriptor in [datagrams, file, -1] { #expect(!phone.register(descriptor)) }
    #expect(
      notes.withLock { $0.joined(separator: "\n") }.hasSuffix(
        "refused: the descriptor -1 does not stand for a stream socket"))
    let musicPlayer = try Phone(modes: "audio")
    #expect(!musicPlayer.register(plain.descriptor))
    #expect(OpenSockets.reclaim(plain.descriptor) != nil)
  }

  @Test("Without descriptors for the watch, that reason is recorded, and not that it is no socket")
  func withoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      let phone = try Phone()
      let notes = Mutex<[String]>([])
      phone.device.onRecord = { record in notes.withLock { $0.append("\(record.event)") } }
      var taken: [Int32] = []
      while case let copy = dup(phone.near.descriptor), copy >= 0 { taken.append(copy) }
      let isRegistered = phone.register(phone.near.descriptor)
      for descriptor in taken { close(descriptor) }
      #expect(!isRegistered)
      #expect(
        notes.withLock { $0 } == [
          "refused: the VoIP socket \(phone.near.descriptor) cannot be watched: "
            + "the process has no descriptors or memory left"
        ])
      #expect(phone.register(phone.near.descriptor))
    }
  }

  /// A socket that is open when the application ends wakes nobody, and the next life has its own.
  @Test func theWatchEndsWithTheApplication() async throws {
    let phone = try Phone()
    await phone.device.launch()
    #expect(phone.register(phone.near.descriptor))
    await phone.device.pressHomeButton()
    await phone.device.terminate()
    await phone.device.launch()
    let (near, far) = try LoopbackSocket.pair()
    #expect(phone.register(near.descriptor))
    await phone.device.pressHomeButton()
    try phone.far.send("old")
    try far.send("new")
    for _ in 0..<2 { try await phone.reaches(.suspended) }
    try await phone.reaches(.background)
    #expect(try near.receive() == Array("new".utf8))
    try await phone.reaches(.suspended)
    #expect(phone.device.state == .suspended)
  }

  /// Neither a descriptor nor a thread is left of a device.
  @Test func nothingIsLeft() async throws {
    weak var part: VoIPSockets?
    do {
      let phone = try Phone()
      #expect(phone.register(phone.near.descriptor))
      part = phone.device.part { _ in VoIPSockets(device: phone.device) }
      #expect(part != nil)
      await phone.device.launch()
      await phone.device.pressHomeButton()
      try await phone.reaches(.suspended)
    }
    let end = ContinuousClock.now + .seconds(120)
    while part != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(part == nil)
  }
}

/// Keep-alive as an application asks for it, in virtual time.
@MainActor @Suite struct KeepAliveTests {
  @Test func theHandlerIsCalledUntilItIsTakenBack() {
    let stage = Stage(modes: "voip")
    let calls = Mutex(0)
    #expect(UIMinimumKeepAliveTimeout == 600)
    stage.device.launch()
    let application = stage.device.application
    #expect(!application.setKeepAliveTimeout(599) { calls.withLock { $0 += 1000 } })
    #expect(application.setKeepAliveTimeout(600) { calls.withLock { $0 += 1 } })
    // Refused, and so the one before stays.
    #expect(!application.setKeepAliveTimeout(1) { calls.withLock { $0 += 1000 } })
    stage.device.pressHomeButton()
    #expect(stage.device.state == .suspended)
    stage.clock.advance(bySeconds: 600)
    stage.clock.runUntilIdle()
    #expect(calls.withLock { $0 } == 1 && stage.device.state == .background)
    stage.clock.advance(bySeconds: 10)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
    application.clearKeepAliveTimeout()
    stage.clock.advance(bySeconds: 6000)
    stage.clock.runUntilIdle()
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func theHandlerGoesWithTheApplication() {
    final class Token: Sendable {}
    let stage = Stage(modes: "voip")
    stage.device.launch()
    weak var token: Token?
    do {
      let strong = Token()
      token = strong
      #expect(stage.device.application.setKeepAliveTimeout(600) { withExtendedLifetime(strong) {} })
    }
    #expect(token != nil)
    stage.device.terminate()
    #expect(token == nil)
  }
}
