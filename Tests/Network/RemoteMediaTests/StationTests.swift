import AudioCore
import AudioOutput
import Clocks
import MP3Decoding
import MediaTime
import PlaybackEngine
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

/// A station and a player, in virtual time.
@Suite("A station, played", .timeLimit(.minutes(10)))
struct StationTests {
  /// A player of one station.
  private final class Radio: Sendable {
    let clock = VirtualClock()
    let station: Station
    let device: SimulatedOutput
    let engine: PlaybackEngine
    let medium: RemoteMedium
    let id = ItemID.next()
    let notices = Mutex<[EngineNotice]>([])

    init(rate: Int, lasts: Double, recordsSound: Bool = true, programme: @escaping @Sendable (Int) -> UInt8)
      throws
    {
      station = Station(clock, bytesPerSecond: rate, lasts: lasts, programme: programme)
      device = SimulatedOutput(clock: clock, personality: .init(), recordsSound: recordsSound)
      engine = PlaybackEngine(clock: clock, device: device, mainQueue: ClockQueue(clock: clock))
      var environment = RemoteEnvironment(transport: station, clock: clock, cache: MediaCache(folders: []))
      environment.makeSeed = { 1 }
      medium = RemoteMedium(
        url: try WebURL.read("http://radio.test/").url, settings: RequestSettings(userAgent: "test"),
        environment: environment)
      engine.start { [weak self] notice in self?.notices.withLock { $0.append(notice) } }
      // On the air for a while.
      clock.advance(bySeconds: 10)
      engine.insert(id, source: medium)
      engine.setRate(1)
    }

    var stalls: Int {
      notices.withLock { $0.count { if case .playbackStalled = $0 { true } else { false } } }
    }

    /// What parts of the programme decode to, one decoder for each.
    func sound(_ parts: [Range<Int>]) throws -> [Float] {
      try parts.flatMap { try LiveTests.samples(station.bytes($0)) }
    }
  }

  @Test("closed every 30 s for 15 minutes: it plays, has no length, and nothing is fetched but what is heard")
  func aQuarterOfAnHour() throws {
    // It begins with an Info frame, as those do that send the first bytes of a file.
    let file = try LiveTests.fixture("mpeg25-8000-mono.mp3")
    let rate = file.count / 2
    let radio = try Radio(rate: rate, lasts: 30, recordsSound: false) { file[$0 % file.count] }
    radio.clock.advance(bySeconds: 900)
    let info = try #require(radio.engine.info(of: radio.id))
    #expect(info.duration.isIndefinite && info.live?.name == "Lab" && radio.engine.currentItem == radio.id)
    #expect(radio.engine.timeControl == .playing)
    #expect(radio.station.served.count == 30)
    let heard = try #require(radio.engine.currentTime?.seconds)
    #expect(heard > 875 && heard <= 901)
    let stored = radio.medium.fetch.store.intervals.ranges
    #expect(
      stored.reduce(0) { $0 + $1.count } < 1_200_000,
      "\(stored), read up to \(radio.medium.fetch.snapshot.place)")
  }

  @Test("a paused reader does not pause the others; all of them do")
  func readers() throws {
    let song = try LiveTests.fixture("noinfo-cbr.mp3")
    let radio = try Radio(rate: 16_000, lasts: .infinity) { song[$0 % song.count] }
    radio.clock.advance(bySeconds: 5)
    let opening = radio.medium.open {}
    var opened: (any AudioDecoder)?
    for _ in 0..<100 where opened == nil {
      radio.clock.advance(bySeconds: 0.1)
      opened = try opening.proceed()
    }
    let other = try #require(opened)
    other.hold(true)
    radio.clock.advance(bySeconds: 30)
    #expect(radio.engine.timeControl == .playing && radio.stalls == 0)
    #expect(radio.station.openConnections == 1)
    radio.engine.setRate(0)
    radio.clock.advance(bySeconds: 30)
    #expect(radio.station.openConnections == 0)
    // A third one finds the stream closed, and opens it.
    let third = radio.medium.open {}
    var decoder: (any AudioDecoder)?
    for _ in 0..<100 where decoder == nil {
      decoder = try third.proceed()
      radio.clock.advance(bySeconds: 0.1)
    }
    #expect(decoder != nil && radio.station.openConnections == 1)
  }

  @Test("the sound of each connection, the next one right behind the last")
  func sound() throws {
    let song = try LiveTests.fixture("noinfo-cbr.mp3")
    let radio = try Radio(rate: 16_000, lasts: 7) { song[$0 % song.count] }
    radio.clock.advance(bySeconds: 20)
    let heard = radio.device.recording.samples
    let expected = try radio.sound(radio.station.served)
    let isSame = heard.count > 44_100 * 2 * 17 && expected.starts(with: heard)
    #expect(isSame)
    #expect(radio.stalls == 0)
  }

  @Test("paused for 9 s: not a frame is missing; for 5 minutes: closed, then the live edge, and nothing old")
  func pauses() throws {
    let song = try LiveTests.fixture("noinfo-cbr.mp3")
    let radio = try Radio(rate: 16_000, lasts: .infinity) { song[$0 % song.count] }
    radio.clock.advance(bySeconds: 5)
    radio.engine.setRate(0)
    radio.clock.advance(bySeconds: 9)
    #expect(radio.station.openConnections == 1)
    radio.engine.setRate(1)
    radio.clock.advance(bySeconds: 5)
    #expect(radio.station.served.count == 1)
    radio.engine.setRate(0)
    radio.clock.advance(bySeconds: 1)
    let before = radio.device.recording.samples
    #expect(try radio.sound(radio.station.served).starts(with: before))
    radio.clock.advance(bySeconds: 8)
    #expect(radio.station.openConnections == 1)
    radio.clock.advance(bySeconds: 2)
    #expect(radio.station.openConnections == 0 && radio.station.served.count == 1)
    radio.clock.advance(bySeconds: 290)
    radio.engine.setRate(1)
    radio.clock.advance(bySeconds: 5)
    let behind = radio.device.recording.samples[before.count...]
    #expect(behind.count > 44_100 * 2 * 4)
    let served = radio.station.served
    #expect(served.count == 2 && served[1].lowerBound > 300 * 16_000)
    #expect(try radio.sound([served[1]]).starts(with: behind))
  }

  @Test("out of the queue: the connection is closed at once")
  func stop() throws {
    let song = try LiveTests.fixture("noinfo-cbr.mp3")
    let radio = try Radio(rate: 16_000, lasts: .infinity) { song[$0 % song.count] }
    radio.clock.advance(bySeconds: 5)
    #expect(radio.station.openConnections == 1)
    radio.engine.removeAllItems()
    radio.clock.advance(bySeconds: 0.1)
    #expect(radio.station.openConnections == 0)
  }
}
