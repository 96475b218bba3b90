import Clocks

/// The reported reasons for keeping the application running, each with the end of its grace, if any.
struct KeeperTable {
  private var expiries: [BackgroundKeeper: HostTime] = [:]
  /// The reasons whose grace has expired, until they hold again or are released without grace.
  private var spent: Set<BackgroundKeeper> = []

  /// The reasons that count, including those in their grace.
  var counting: Set<BackgroundKeeper> { Set(expiries.keys) }

  /// The end of the next grace; nil if no grace is running.
  var nextExpiry: HostTime? { expiries.values.filter { $0 != .distantFuture }.min() }

  /// Records that `keeper` holds without limit, or no longer holds.
  mutating func set(_ keeper: BackgroundKeeper, holds: Bool) {
    expiries[keeper] = holds ? .distantFuture : nil
    spent.remove(keeper)
  }

  /// Lets `keeper` count until `expiry`, or until the earlier end of a grace in progress. Has no effect after
  /// the grace has expired.
  mutating func release(_ keeper: BackgroundKeeper, at expiry: HostTime) {
    guard !spent.contains(keeper) else { return }
    expiries[keeper] = min(expiries[keeper] ?? expiry, expiry)
  }

  mutating func dropExpired(at now: HostTime) {
    spent.formUnion(expiries.filter { $0.value <= now }.keys)
    expiries = expiries.filter { $0.value > now }
  }
}
