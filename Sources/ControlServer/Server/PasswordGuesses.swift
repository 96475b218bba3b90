internal import ControlSocket
internal import NIOCore

/// Wrong passwords by the addresses that they came from, and when passwords from there are answered.
///
/// The first wrong password of an address is answered at once. After each wrong one the next answer to that address waits,
/// the longer the more there were, over all its connections. A right one waits as long: else a guesser would know after a
/// moment that a guess is wrong, and go on over another connection.
struct PasswordGuesses {
  /// Who gives passwords.
  struct Origin {
    /// What guesses are counted by: an IPv4 address; the network of an IPv6 address, whose other half a machine has to itself; or
    /// the user of a client of the Unix socket.
    let key: String
    /// What the operator is told.
    let name: String

    /// A client from the network.
    init(_ address: IPAddress) {
      key = address.network64 ?? address.description
      name = address.description
    }

    /// A client of the Unix socket.
    init(user: UInt32) {
      key = "user \(user)"
      name = key
    }
  }

  /// Seconds after the first wrong password; twice as long after each further one.
  static let firstPause = 1.0
  /// Seconds that an answer waits at the longest. Common clients give up after 30.
  static let longestPause = 16.0
  /// Seconds without a wrong password after which the ones before are forgotten.
  static let memory = 600.0
  /// Addresses that are known one by one. Those beyond share their waits: a flood of addresses makes none be forgotten.
  static let limit = 1024
  /// Seconds between two reports.
  static let reportInterval = 10.0

  private struct Record {
    var count = 0
    /// When the next answer may be given.
    var free: NIODeadline
    var last: NIODeadline

    func isOld(at now: NIODeadline) -> Bool { now - last >= TimeAmount(seconds: memory) }
  }

  private var records: [String: Record] = [:]
  private var others: Record?
  private var lastReport: NIODeadline?
  private var unreported = 0

  /// How many addresses are known one by one.
  var count: Int { records.count }

  /// Takes a password that was given at `now`. Returns when it is to be answered, `now` or later, and what the operator is to
  /// be told, if anything.
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

  /// One line for many guesses: a log is no place for a guesser to write to.
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
