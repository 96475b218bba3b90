import Clocks
import SystemSupport

/// The protocol with gpsd as a value: takes the connection's events and returns the actions.
struct GPSDMachine: Sendable {
  enum Event: Sendable {
    /// Connecting to one of the host's addresses begins.
    case trying
    case connected
    case received([UInt8])
    /// The connection failed or has ended.
    case ended(String)
    case timePassed
  }

  enum Action: Hashable, Sendable {
    /// Look up the host's addresses, and connect to the first.
    case connect
    /// Connect to the next address instead, or report the end if none is left. The text is the failure of this one.
    case connectNext(String)
    case send(String)
    case close
    case report(PlaceReport)
  }

  private enum Phase: Hashable, Sendable {
    case waiting(until: HostTime)
    case connecting(until: HostTime)
    /// Connected, before the server's greeting.
    case greeting(until: HostTime)
    case open(lastHeard: HostTime, isAsked: Bool)
  }

  /// The maximum length of a line, in bytes. gpsd's own lines have at most 16 KiB.
  static let lineLimit = 1 << 16
  /// The timeout of the connection to each address and that of the greeting, in seconds.
  static let connectLimit = 5.0
  /// The silence in seconds after which the server's version is requested; the reply has the same timeout.
  static let silenceLimit = 10.0

  private var phase: Phase
  private var backoff = Backoff(first: 0.5, longest: 5)
  private var line: [UInt8] = []
  /// The latest location, to detect repetitions.
  private var latest: Place?
  /// Whether a missing fix or receiver was reported since the latest location.
  private var isLost = false

  init(now: HostTime) { phase = .waiting(until: now) }

  var deadline: HostTime {
    switch phase {
    case .waiting(let moment), .connecting(let moment), .greeting(let moment): moment
    case .open(let lastHeard, let isAsked):
      lastHeard.advanced(bySeconds: isAsked ? Self.silenceLimit * 2 : Self.silenceLimit)
    }
  }

  mutating func handle(_ event: Event, at now: HostTime) -> [Action] {
    switch (event, phase) {
    case (.trying, .connecting):
      phase = .connecting(until: now.advanced(bySeconds: Self.connectLimit))
      return []
    case (.connected, .connecting):
      phase = .greeting(until: now.advanced(bySeconds: Self.connectLimit))
      line = []
      return []
    case (.received(let bytes), .greeting), (.received(let bytes), .open): return receive(bytes, at: now)
    case (.ended(let reason), .connecting), (.ended(let reason), .greeting), (.ended(let reason), .open):
      return retry(reason, at: now)
    case (.timePassed, _) where now >= deadline: return timeOut(at: now)
    default: return []
    }
  }

  private mutating func timeOut(at now: HostTime) -> [Action] {
    switch phase {
    case .waiting:
      phase = .connecting(until: now.advanced(bySeconds: Self.connectLimit))
      return [.connect]
    case .connecting: return [.connectNext("it does not answer in time")]
    case .greeting: return [.close] + retry("what answers is not gpsd", at: now)
    case .open(let lastHeard, false):
      phase = .open(lastHeard: lastHeard, isAsked: true)
      return [.send("?VERSION;\n")]
    case .open(_, true): return [.close] + retry("gpsd has stopped answering", at: now)
    }
  }

  private mutating func retry(_ reason: String, at now: HostTime) -> [Action] {
    phase = .waiting(until: now.advanced(bySeconds: backoff.fail()))
    return [.report(.unavailable(reason))]
  }

  private mutating func receive(_ bytes: [UInt8], at now: HostTime) -> [Action] {
    var actions: [Action] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")),
      line.count + end - rest.startIndex <= Self.lineLimit
    {
      line += rest[..<end]
      rest = rest[(end + 1)...]
      if let reply = GPSDReply(line) { actions += take(reply, at: now) }
      line = []
    }
    guard line.count + rest.count <= Self.lineLimit else {
      line = []
      return actions + [.close] + retry("what answers is not gpsd: a line without an end", at: now)
    }
    line += rest
    return actions
  }

  private mutating func take(_ reply: GPSDReply, at now: HostTime) -> [Action] {
    switch (phase, reply) {
    case (.greeting, .version):
      isLost = false
      phase = .open(lastHeard: now, isAsked: false)
      backoff.reset()
      return [.send("?WATCH={\"enable\":true,\"json\":true}\n")]
    case (.open, _):
      phase = .open(lastHeard: now, isAsked: false)
      switch reply {
      case .place(let place):
        guard place != latest || isLost else { return [] }
        latest = place
        isLost = false
        return [.report(.place(place))]
      case .noFix:
        defer { isLost = true }
        return isLost ? [] : [.report(.unavailable("the receiver does not know where it is"))]
      case .noReceiver:
        isLost = true
        return [.report(.unavailable("gpsd has no receiver"))]
      case .receiverLost:
        isLost = true
        return [.report(.unavailable("a receiver of gpsd was disconnected"))]
      case .version, .other: return []
      }
    default: return []
    }
  }
}
