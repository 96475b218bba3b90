import HostTime

/// The reasons reported for keeping the application running, and when each ends if it is in its grace.
struct KeeperTable {
  private var expiries: [BackgroundKeeper: HostTime] = [:]
  /// Those whose grace has ended, and that neither held again nor were over since.
  private var spent: Set<BackgroundKeeper> = []

  /// The reasons that count, including those in their grace.
  var counting: Set<BackgroundKeeper> { Set(expiries.keys) }

  /// When the next grace ends; nil if none is running.
  var nextExpiry: HostTime? { expiries.values.filter { $0 != .distantFuture }.min() }

  /// `keeper` holds without limit.
  mutating func hold(_ keeper: BackgroundKeeper) {
    expiries[keeper] = .distantFuture
    spent.remove(keeper)
  }

  /// `keeper` no longer holds.
  mutating func release(_ keeper: BackgroundKeeper) {
    expiries[keeper] = nil
    spent.remove(keeper)
  }

  /// `keeper` counts until `expiry`, or until the earlier end that it already has. No effect once that has passed.
  mutating func release(_ keeper: BackgroundKeeper, at expiry: HostTime) {
    guard !spent.contains(keeper) else { return }
    expiries[keeper] = min(expiries[keeper] ?? expiry, expiry)
  }

  /// Removes the reasons whose grace has ended.
  mutating func dropExpired(at now: HostTime) {
    spent.formUnion(expiries.filter { $0.value <= now }.keys)
    expiries = expiries.filter { $0.value > now }
  }
}
