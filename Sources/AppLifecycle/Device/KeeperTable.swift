import HostTime

/// What asks for the application to be kept running, and until when if that is limited.
struct KeeperTable {
  private var expiries: [BackgroundKeeper: HostTime] = [:]

  /// What counts, including what is in its grace.
  var counting: Set<BackgroundKeeper> { Set(expiries.keys) }

  /// When the next grace ends; nil if none is running.
  var nextExpiry: HostTime? { expiries.values.filter { $0 != .distantFuture }.min() }

  /// `keeper` holds without limit.
  mutating func hold(_ keeper: BackgroundKeeper) { expiries[keeper] = .distantFuture }

  /// `keeper` no longer holds.
  mutating func release(_ keeper: BackgroundKeeper) { expiries[keeper] = nil }

  /// `keeper` no longer holds after `expiry`, or after the earlier end it has already. Without effect if it does
  /// not hold.
  mutating func release(_ keeper: BackgroundKeeper, at expiry: HostTime) {
    if let present = expiries[keeper] { expiries[keeper] = min(present, expiry) }
  }

  /// Drops what is past its end.
  mutating func dropExpired(at now: HostTime) { expiries = expiries.filter { $0.value > now } }
}
