import AudioCore
import Clocks
import DequeModule
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// The machine as a value: every event in every situation, and long random lives. `MachineDriver` checks after each
/// event what must always hold.
@Suite(.timeLimit(.minutes(10)))
struct EngineMachineTests {
  typealias Event = MachineDriver.Event

  /// The item ended at 0.3 s. A seek behind that place leaves an end without frames, which the output has taken and cannot
  /// give back; then the end is lifted.
  @Test("An end that was lifted is not reached", arguments: [true, false])
  func liftedEnd(isFlushedFirst: Bool) {
    var driver = MachineDriver(isQueuePlayer: false)
    driver.apply(.append, .play, .open, .position, .obey, .opened, .obey, .endEarly, .obey, .answerFlush)
    driver.apply(.open, .position, .take, .hearAll, .obey)
    #expect(driver.ends == 1 && driver.machine.rate == 0)
    driver.apply(.seekMiddle, .obey, .answerFlush, .open, .position, .take, .conduct)
    if isFlushedFirst {
      driver.apply(.endLate, .obey, .answerFlush, .open, .position, .play, .conduct, .obey)
    } else {
      driver.apply(.endLate, .play, .conduct, .obey, .answerFlush, .open, .position)
    }
    #expect(driver.ends == 1 && driver.machine.rate == 1)
    driver.apply(.take, .take, .hear)
    #expect(driver.ends == 1 && abs(driver.machine.resting - 1.3) < 0.05)
    driver.apply(.take, .hearAll)
    #expect(driver.ends == 2 && driver.machine.resting == 2)
  }

  @Test("An item that could not be opened is not opened again when the output dies")
  func failedForGood() {
    var machine = EngineMachine(isQueuePlayer: false, isOffline: false)
    let id = ItemID(rawValue: 1)
    _ = machine.insert(id, source: SyntheticMedia(number: 1, frames: 1), after: nil)
    let error = DecodingError(reason: .notFound, message: "gone")
    machine.decoderFailed(id, error: error, generation: machine.generation, now: HostTime(nanoseconds: 0))
    // What the loss of an output does.
    machine.restartDecoding()
    if case .open = machine.nextDecodeOrder() { Issue.record("is opened again") }
  }

  /// How to get there.
  static let situations: [(name: String, events: [Event])] = [
    ("fresh", []),
    ("queued", [.append, .append, .append]),
    ("opened", [.append, .append, .append, .open, .position]),
    ("connecting", [.append, .append, .append, .play, .open, .position, .obey]),
    ("connected", [.append, .append, .append, .play, .open, .position, .obey, .opened, .obey]),
    (
      "playing",
      [.append, .append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .take, .take, .hear]
    ),
    (
      "two items taken",
      [.append, .append, .append, .play, .open, .position, .obey, .opened, .obey]
        + Array(repeating: .take, count: 6) + [.open, .position, .take, .take, .hear]
    ),
    (
      "paused",
      [
        .append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .hear, .pause, .obey,
        .conduct,
      ]
    ),
    (
      "seeking",
      [.append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .hear, .seekMiddle, .obey]
    ),
    (
      "splicing",
      [.append, .append, .append, .play, .open, .position, .obey, .opened, .obey]
        + Array(repeating: .take, count: 6) + [.open, .position, .take, .hear, .insertNext, .obey]
    ),
    (
      "at the end, staying",
      [.append, .append, .actNone, .play, .open, .position, .obey, .opened, .obey]
        + Array(repeating: .take, count: 6) + [.hearAll]
    ),
    (
      "at the end, paused",
      [.append, .append, .actPause, .play, .open, .position, .obey, .opened, .obey]
        + Array(repeating: .take, count: 6) + [.hearAll]
    ),
    (
      "played out",
      [.append, .play, .open, .position, .obey, .opened, .obey] + Array(repeating: .take, count: 6) + [
        .hearAll
      ]
    ),
    ("retrying", [.append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .hear, .dies]),
    ("without output", [.append, .append, .play, .open, .position, .obey, .diesForGood]),
    (
      "suspended",
      [.append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .hear, .suspend, .obey]
    ),
    (
      "taken away",
      [.append, .append, .play, .open, .position, .obey, .opened, .obey, .take, .hear, .takenAway, .stand]
    ),
  ]

  private func driver(_ events: [Event], isQueuePlayer: Bool = true) -> MachineDriver {
    var driver = MachineDriver(isQueuePlayer: isQueuePlayer)
    for event in events { driver.apply(event) }
    return driver
  }

  /// Leads every situation on to where sound would flow again.
  private func expectLife(_ driver: MachineDriver) {
    var driver = driver
    driver.apply(.actAdvance, .resume, .givenBack, .play)
    for _ in 0..<40 {
      driver.apply(.conduct, .obey, .opened, .answerFlush, .open, .position, .take, .obey, .hearAll)
    }
    #expect(driver.machine.current == nil || driver.machine.queue.count == 1, "stuck: \(driver)")
    #expect(driver.completionsAreComplete)
  }

  @Test(arguments: situations.map(\.name))
  func everyEventInEverySituationMakesSenseAndPlaysOn(_ name: String) {
    let events = Self.situations.first { $0.name == name }?.events ?? []
    for isQueuePlayer in [true, false] {
      let start = driver(events, isQueuePlayer: isQueuePlayer)
      for first in Event.allCases {
        var one = start
        one.apply(first)
        if isQueuePlayer { expectLife(one) }
        for second in Event.allCases {
          var two = one
          two.apply(second)
          for third in [Event.obey, .conduct, .answerFlush, .open, .hear] { two.apply(third) }
        }
      }
    }
  }

  @Test func stepsOfASteadyStateAreThoseOfAWholeCheck() {
    var driver = driver([.append, .append, .play, .open, .position, .obey, .opened, .obey])
    for _ in 0..<20 { driver.apply(.take, .take, .take, .hear, .hear, .hear, .open, .position, .obey) }
    #expect(driver.shortChecks > 5)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func longLivesMakeSense(_ seed: UInt64) {
    var random = RandomSource(seed: seed)
    for life in 0..<20 {
      var driver = driver(Self.situations[life % Self.situations.count].events)
      for _ in 0..<150 {
        driver.apply(Event.allCases[Int(random.next() % UInt64(Event.allCases.count))])
        // Somebody always looks after a while.
        if random.next() % 4 == 0 { driver.apply(.conduct, .obey) }
        if random.next() % 8 == 0 { driver.apply(.take, .take, .hear, .hear) }
      }
      expectLife(driver)
    }
  }

  @Test func whatIsToldComesInItsOrder() {
    var machine = EngineMachine(isQueuePlayer: true, isOffline: false)
    machine.setRate(1, reason: .setRateCalled, now: HostTime(nanoseconds: 0))
    let names = machine.deliveries.map { delivery in
      switch delivery {
      case .notice(.rateChanged): "rate"
      case .notice(.timeControlChanged): "control"
      default: "?"
      }
    }
    #expect(names == ["rate", "control"])
  }

  @Test func aKickWaitsForTheFlushAndIsNotForgotten() {
    var driver = driver(Self.situations.first { $0.name == "seeking" }?.events ?? [])
    #expect(driver.machine.output.flushPending)
    var machine = driver.machine
    machine.output.needsKick = true
    let commands = machine.outputCommands(now: HostTime(nanoseconds: 0))
    #expect(commands.isEmpty)
    #expect(machine.output.needsKick)
    driver.apply(.answerFlush)
    #expect(driver.machine.output.needsKick && !driver.machine.output.flushPending)
  }

  /// Nobody observes, and neither output nor decoder says anything more.
  @Test func starvationIsNoticedWithoutAnObserver() {
    let start = HostTime(nanoseconds: 0)
    var machine = EngineMachine(isQueuePlayer: true, isOffline: false)
    let id = ItemID(rawValue: 1)
    _ = machine.insert(id, source: SyntheticMedia(number: 1, frames: 9_000), after: nil)
    machine.setRate(1, reason: .setRateCalled, now: start)
    let info = ItemInfo(format: PCMFormat(sampleRate: 1000, channelCount: 2), frameCount: .exact(9_000))
    _ = machine.decoderOpened(id, info: info, generation: machine.generation)
    machine.decoderPositioned(id, frame: 0, asked: 0, generation: machine.generation)
    _ = machine.outputCommands(now: start)
    machine.receive(.opened(route: "test"), serial: machine.output.serial, now: start)
    _ = machine.outputCommands(now: start)
    let chunk = Chunk(
      generation: machine.generation, item: id, origin: 0, offset: 0, frameCount: 6_000, ending: .none)
    machine.output.timeline.append(.init(chunk, count: 6_000, firstFrame: 0))
    var timing = OutputTiming(heardFrame: 0, hostTime: start, frameRate: 1000, renderedFrames: 6_000)
    /// The seconds until the next look.
    func conduct(at seconds: Double) -> Double? {
      let now = start.advanced(bySeconds: seconds)
      guard case .at(let next) = machine.conduct(now: now, timing: timing).moment else { return nil }
      return (next.seconds(since: now) * 1000).rounded() / 1000
    }
    #expect(conduct(at: 0) == 6 && machine.timeControl == .playing)
    #expect(conduct(at: 3) == EngineMachine.starvationInterval)
    timing = OutputTiming(
      heardFrame: 6_000, hostTime: start.advanced(bySeconds: 6), frameRate: 0, renderedFrames: 6_000)
    #expect(conduct(at: 6.001) == EngineMachine.stallDelay)
    _ = conduct(at: 6.3)
    let isStalled = machine.deliveries.contains {
      if case .notice(.playbackStalled(id)) = $0 { true } else { false }
    }
    #expect(isStalled)
  }
}
