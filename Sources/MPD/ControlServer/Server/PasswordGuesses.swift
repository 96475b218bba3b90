internal import NIOCore
internal import SystemSupport

/// Counts wrong passwords by origin, an address or a local user, and delays the answers to that origin.
///
/// The first wrong password of an origin is answered immediately. Each wrong password delays the next answer
/// to any connection of the origin, each time longer up to `longestPause`. A right password waits as long.
/// Otherwise a delay would reveal a wrong guess, and the client could try the next one over another
/// connection.
struct PasswordGuesses {
  struct Origin {
    /// The key by which guesses are counted: an IPv4 address, the /64 network of an IPv6 address, or the user of a
    /// local client. A single machine can use all addresses of its /64 network.
    let key: String
    let name: String

    init(_ address: IPAddress) {
      key = address.network64 ?? address.description
      name = address.description
    }

    init(user: UInt32) {
      key = "user \(user)"
      name = key
    }
  }

  /// The delay after the first wrong password, in seconds. Doubles with each further one.
  static let firstPause = 1.0
  /// The maximum delay of an answer, in seconds. Common clients give up after 30.
  static let longestPause = 16.0
  /// The time without a wrong password after which earlier ones are forgotten, in seconds.
  static let memory = 600.0
  /// The maximum number of origins counted one by one. Further origins share one count, so a flood of
  /// addresses cannot evict a counted one.
  static let limit = 1024
  /// The minimum time between two reports, in seconds.
  static let reportInterval = 10.0

  private struct Record {
    var count = 0
    /// The time of the next answer, unless the password has waited `longestPause` before.
    var free: NIODeadline
    var last: NIODeadline

    func isOld(at now: NIODeadline) -> Bool { now - last >= TimeAmount(seconds: memory) }
  }

  private var records: [String: Record] = [:]
  private var others: Record?
  private var lastReport: NIODeadline?
  private var unreported = 0

  var count: Int { records.count }

  /// Records a password that was received at `now`. Returns the time of its answer, `now` or later, and a
  /// line for the operator's log, if any.
  mutating func take(isRight: Bool, from origin: Origin, at now: NIODeadline) -> (
    due: NIODeadline, report: String?
  ) {
    let known = record(of: origin, at: now)
    let due = min(max(now, known?.free ?? now), now + TimeAmount(seconds: Self.longestPause))
    guard !isRight else { return (due, nil) }
    var record = known ?? Record(free: now, last: now)
    record.count += 1
    let pause = min(Self.longestPause, Self.firstPause * Double(1 << min(record.count - 1, 10)))
    record.free = max(record.free, due + TimeAmount(seconds: pause))
    record.last = now
    set(record, of: origin, at: now)
    return (due, report(on: origin, at: now))
  }

  private func record(of origin: Origin, at now: NIODeadline) -> Record? {
    let record = records[origin.key] ?? (records.count < Self.limit ? nil : others)
    return record.flatMap { $0.isOld(at: now) ? nil : $0 }
  }

  private mutating func set(_ record: Record, of origin: Origin, at now: NIODeadline) {
    if records[origin.key] == nil, records.count >= Self.limit {
      records = records.filter { !$0.value.isOld(at: now) }
    }
    if records[origin.key] != nil || records.count < Self.limit {
      records[origin.key] = record
    } else {
      others = record
    }
  }

  /// Returns a log line that also counts the unreported guesses; nil within `reportInterval` after the last
  /// line, so that a guesser cannot fill the log.
  private mutating func report(on origin: Origin, at now: NIODeadline) -> String? {
    if let lastReport, now - lastReport < TimeAmount(seconds: Self.reportInterval) {
      unreported += 1
      return nil
    }
    lastReport = now
    defer { unreported = 0 }
    let rest = unreported == 0 ? "" : " (and \(unreported) more since the last report)"
    return "wrong password from \(origin.name)\(rest)"
  }
}
