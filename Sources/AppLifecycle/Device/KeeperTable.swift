import HostTime

/// The reasons reported for keeping the application running, and when each ends if it is in its grace.
struct KeeperTable {
  private var expiries: [BackgroundKeeper: HostTime] = [:]

  /// The reasons that count, including those in their grace.
  var counting: Set<BackgroundKeeper> { Set(expiries.keys) }

  /// When the next grace ends; nil if none is running.
  var nextExpiry: HostTime? { expiries.values.filter { $0 != .distantFuture }.min() }

  /// `keeper` holds without limit.
  mutating func hold(_ keeper: BackgroundKeeper) { expiries[keeper] = .distantFuture }

  /// `keeper` no longer holds.
  mutating func release(_ keeper: BackgroundKeeper) { expiries[keeper] = nil }

  /// `keeper` counts until `expiry`, or until the earlier end that it already has. No effect if it does not
  /// hold.
  mutating func release(_ keeper: BackgroundKeeper, at expiry: HostTime) {
    if let present = expiries[keeper] { expiries[keeper] = min(present, expiry) }
  }

  /// Removes the reasons whose grace has ended.
  mutating func dropExpired(at now: HostTime) { expiries = expiries.filter { $0.value > now } }
}
