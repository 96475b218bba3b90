import Clocks
import Foundation
import TestSupport
import Testing

@testable import ContinuoLocation

/// The conversation with gpsd, without sockets and threads.
@Suite("gpsd, as a conversation", .timeLimit(.minutes(10)))
struct GPSDMachineTests {
  /// A machine with a clock.
  private struct Talk {
    var machine = GPSDMachine(now: HostTime(nanoseconds: 0))
    var now = 0.0

    mutating func send(_ event: GPSDMachine.Event, after seconds: Double = 0) -> [GPSDMachine.Action] {
      now += seconds
      return machine.handle(event, at: HostTime(nanoseconds: 0).advanced(bySeconds: now))
    }

    mutating func line(_ text: String, after seconds: Double = 0) -> [GPSDMachine.Action] {
      send(.received(Array((text + "\n").utf8)), after: seconds)
    }

    /// Connected to a gpsd.
    static func open() -> Talk {
      var talk = Talk()
      _ = talk.send(.timePassed)
      _ = talk.send(.connected)
      _ = talk.line(#"{"class":"VERSION","release":"3.22","proto_major":3}"#)
      return talk
    }
  }

  private static let watch = GPSDMachine.Action.send("?WATCH={\"enable\":true,\"json\":true}\n")
  private static let report =
    #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09.000Z","lat":52.5009,"lon":13.4009,"altHAE":78,"altMSL":34,"alt":33,"epv":34.5,"track":31.5,"speed":12.9,"eps":0.5,"epd":2,"eph":19}"#

  private func unavailable(_ actions: [GPSDMachine.Action]) -> Bool {
    if case .report(.unavailable)? = actions.last { true } else { false }
  }

  @Test("Connects, waits for the greeting, asks for reports, and takes them in any pieces")
  func conversation() throws {
    var talk = Talk()
    #expect(talk.send(.timePassed) == [.connect])
    #expect(talk.send(.connected) == [])
    #expect(talk.line(Self.report) == [])
    #expect(talk.line(#"{"class":"VERSION","release":"3.22"}"#) == [Self.watch])
    var actions: [GPSDMachine.Action] = []
    for byte in (Self.report + "\r\n" + Self.report + "\n").utf8 { actions += talk.send(.received([byte])) }
    let place = Place(
      latitude: 52.5009, longitude: 13.4009, altitude: 34, ellipsoidalAltitude: 78, horizontalAccuracy: 19,
      verticalAccuracy: 34.5, speed: 12.9, speedAccuracy: 0.5, course: 31.5, courseAccuracy: 2,
      time: 1_777_622_409)
    // The same a second time is no news.
    #expect(actions == [.report(.place(place))])
  }

  @Test("After a failure it connects again: after 0.5 s, 1 s, 2 s, 4 s, then each 5 s")
  func reconnects() {
    var talk = Talk()
    _ = talk.send(.timePassed)
    for delay in [0.5, 1, 2, 4, 5, 5, 5] {
      #expect(unavailable(talk.send(.ended("refused"))))
      #expect(talk.send(.timePassed, after: delay - 0.001) == [])
      #expect(talk.send(.timePassed, after: 0.001) == [.connect])
    }
    _ = talk.send(.connected)
    #expect(talk.line(#"{"class":"VERSION"}"#) == [Self.watch])
    #expect(unavailable(talk.send(.ended("killed"))))
    #expect(talk.send(.timePassed, after: 0.5) == [.connect])
  }

  @Test("Each address has 5 s, however long the lookup and the other addresses have taken")
  func addresses() {
    var talk = Talk()
    #expect(talk.send(.timePassed) == [.connect])
    // The lookup takes 7 s.
    #expect(talk.send(.trying, after: 7) == [])
    for _ in 0..<2 {
      #expect(talk.send(.timePassed, after: 4.9) == [])
      #expect(talk.send(.timePassed, after: 0.1) == [.connectNext("it does not answer in time")])
      #expect(talk.send(.trying) == [])
    }
    #expect(talk.send(.connected, after: 4.9) == [])
    #expect(talk.line(#"{"class":"VERSION"}"#) == [Self.watch])
  }

  @Test("No wait is without a limit: connecting 5 s, greeting 5 s, silence 10 s and 10 s more for an answer")
  func limits() {
    var talk = Talk()
    _ = talk.send(.timePassed)
    #expect(talk.send(.timePassed, after: 4.9) == [])
    #expect(talk.send(.timePassed, after: 0.1) == [.connectNext("it does not answer in time")])
    #expect(unavailable(talk.send(.ended("no address is left"))))
    _ = talk.send(.timePassed, after: 0.5)
    _ = talk.send(.connected)
    _ = talk.line("220 mail.example SMTP", after: 1)
    #expect(talk.send(.timePassed, after: 4).first == .close)
    talk = .open()
    #expect(talk.send(.timePassed, after: 9.9) == [])
    #expect(talk.send(.timePassed, after: 0.1) == [.send("?VERSION;\n")])
    // What is not gpsd's is no answer.
    _ = talk.line("hello", after: 5)
    let late = talk.send(.timePassed, after: 5)
    #expect(late.first == .close && unavailable(late))
    talk = .open()
    _ = talk.send(.timePassed, after: 10)
    #expect(talk.line(#"{"class":"VERSION"}"#, after: 1) == [])
    #expect(talk.send(.timePassed, after: 9.9) == [])
  }

  @Test("A line without an end is not collected for ever", arguments: [true, false])
  func endlessLine(greeted: Bool) {
    var talk = greeted ? Talk.open() : Talk()
    if !greeted {
      _ = talk.send(.timePassed)
      _ = talk.send(.connected)
    }
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
    for _ in 0..<4 { #expect(talk.send(.received(piece)) == []) }
    let actions = talk.send(.received(piece))
    #expect(actions.first == .close && unavailable(actions))
    var ended = Talk.open()
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000) + [10]
    #expect(ended.send(.received(long)).first == .close)
  }

  @Test(
    "Reports without a fix, or with nonsense in them, are no places",
    arguments: [
      #"{"class":"TPV"}"#, #"{"class":"TPV","mode":3}"#,
      #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09Z","lat":91,"lon":0}"#,
      #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09Z","lat":0,"lon":-180.5}"#,
      #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09Z","lat":1e999,"lon":0}"#,
      #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09Z","lat":NaN,"lon":0}"#,
      #"{"class":"TPV","mode":3,"time":"2026-05-01T08:00:09Z","lat":"1","lon":"2"}"#,
      #"{"class":"TPV","mode":3,"time":"noon","lat":1,"lon":2}"#,
      #"{"class":"TPV","mode":3,"lat":1,"lon":2}"#,
      #"{"class":5}"#, "{}", "[]", "null", "", "{\"class\":\"TPV\"", "\u{0}",
      #"{"class":"ERROR","message":"x"}"#,
    ])
  func nonsense(line: String) {
    var talk = Talk.open()
    #expect(talk.line(line) == [])
  }

  @Test("A receiver that does not know where it is says so once, until it knows again")
  func noFix() {
    var talk = Talk.open()
    let lost = GPSDMachine.Action.report(.unavailable("the receiver does not know where it is"))
    #expect(talk.line(#"{"class":"TPV","mode":1}"#) == [lost])
    #expect(talk.line(#"{"class":"TPV","mode":0}"#) == [])
    #expect(talk.line(Self.report).count == 1)
    #expect(talk.line(#"{"class":"TPV","mode":1,"time":"2026-05-01T08:00:09Z"}"#) == [lost])
  }

  @Test("A gpsd that has no receiver says so")
  func noReceiver() {
    var talk = Talk.open()
    let without = GPSDMachine.Action.report(.unavailable("gpsd has no receiver"))
    let unplugged = GPSDMachine.Action.report(.unavailable("a receiver of gpsd was disconnected"))
    #expect(talk.line(#"{"class":"DEVICES","devices":[]}"#) == [without])
    #expect(talk.line(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0"}]}"#) == [])
    #expect(talk.line(#"{"class":"DEVICES"}"#) == [])
    #expect(talk.line(Self.report).count == 1)
    // Unplugged.
    #expect(talk.line(#"{"class":"DEVICES","devices":[]}"#) == [without])
    #expect(talk.line(Self.report).count == 1)
    #expect(talk.line(#"{"class":"DEVICE","path":"/dev/ttyS0","activated":0}"#) == [unplugged])
    let plugged = #"{"class":"DEVICE","path":"/dev/ttyS0","activated":"2026-05-01T08:00:00Z"}"#
    #expect(talk.line(plugged) == [])
    #expect(talk.line(Self.report).count == 1)
  }

  @Test("What a receiver does not say is not known")
  func sparse() throws {
    var talk = Talk.open()
    let actions = talk.line(
      #"{"class":"TPV","mode":2,"time":"2026-05-01T08:00:09Z","lat":1,"lon":2,"alt":5,"epx":3,"epy":4,"speed":-1,"track":400}"#
    )
    let place = Place(latitude: 1, longitude: 2, horizontalAccuracy: 5, time: 1_777_622_409)
    #expect(actions == [.report(.place(place))])
  }

  @Test("Damaged lines: no trap, nothing but places on Earth, and never more than a line is kept")
  func fuzz() {
    var random = RandomSource(seed: 3)
    let seeds = [
      Self.report, #"{"class":"VERSION","release":"3.22"}"#,
      #"{"class":"SKY","satellites":[{"PRN":1,"el":5}]}"#,
    ].map { Array($0.utf8) }
    var talk = Talk.open()
    var places = 0
    for _ in 0..<Rounds.count(30_000) {
      var line = seeds[Int(random.next() % 3)]
      for _ in 0...(random.next() % 3) where !line.isEmpty {
        let index = Int(random.next() % UInt64(line.count))
        switch random.next() % 3 {
        case 0: line[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: line.remove(at: index)
        default:
          line.insert(
            contentsOf: [48 + UInt8(random.next() % 10), 101][..<Int(1 + random.next() % 2)], at: index)
        }
      }
      for action in talk.send(.received(line + [10]), after: 0.001) {
        switch action {
        case .report(.place(let place)):
          places += 1
          if !Place.isValid(latitude: place.latitude, longitude: place.longitude) || !place.speed.isFinite {
            Issue.record("\(place)")
          }
        case .send, .report(.unavailable), .connect, .connectNext, .close: break
        }
      }
      if talk.machine.deadline.seconds < talk.now { talk = .open() }
    }
    #expect(places > 1000)
  }
}
