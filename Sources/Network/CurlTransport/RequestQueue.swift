import Clocks
import Transfer

/// The requests that wait for the rate limit of their host or for a free connection, and the number of those
/// in progress. A value.
struct RequestQueue {
  struct Item {
    let id: TransferID
    let request: TransferRequest
    /// The transfer to repeat on a fresh connection; nil for a new request.
    var transfer: CurlTransfer?

    /// Returns whether this request goes first. Continued and repeated requests precede others; requests of
    /// the same kind go in the order of their start.
    fileprivate func precedes(_ other: Item) -> Bool {
      let (isFirst, isOtherFirst) = (isContinuation, other.isContinuation)
      return isFirst == isOtherFirst ? id.number < other.id.number : isFirst
    }

    private var isContinuation: Bool { transfer != nil || request.isContinuation }
  }

  /// The key of requests that wait for the same connections.
  private struct Lane: Hashable {
    let origin: String
    let limit: ConnectionLimit?
  }

  private let connections: Int
  private let connectionsPerHost: Int
  private var pace: RequestPace
  /// The waiting requests, in order.
  private var waiting: [Lane: [Item]] = [:]
  private var running: [TransferID: Lane] = [:]
  /// The numbers of requests in progress, by origin and by limit.
  private var byOrigin: [String: Int] = [:]
  private var byLimit: [ConnectionLimit: Int] = [:]

  init(_ options: CurlOptions) {
    connections = max(1, options.connections)
    connectionsPerHost = max(1, options.connectionsPerHost)
    pace = RequestPace(limit: options.requestsPerSecond)
  }

  mutating func add(_ item: Item) {
    let lane = Lane(origin: item.request.url.origin, limit: item.request.limit)
    guard let last = waiting[lane]?.last, item.precedes(last) else {
      waiting[lane, default: []].append(item)
      return
    }
    let index = waiting[lane]?.firstIndex { item.precedes($0) } ?? 0
    waiting[lane]?.insert(item, at: index)
  }

  /// Removes and returns the first request that may be sent now, and counts it as in progress. Without one, returns
  /// the time at which the rate limit permits the next request; nil if no request waits for the rate limit alone.
  mutating func next(at now: HostTime) -> (item: Item?, moment: HostTime?) {
    guard running.count < connections else { return (nil, nil) }
    var first: (lane: Lane, item: Item)?
    var next: HostTime?
    for (lane, items) in waiting {
      guard let item = items.first, hasRoom(lane) else { continue }
      let moment = pace.moment(of: item.request.url.host, at: now)
      if moment > now {
        next = min(next ?? moment, moment)
      } else if first.map({ item.precedes($0.item) }) ?? true {
        first = (lane, item)
      }
    }
    guard let (lane, item) = first else { return (nil, next) }
    waiting[lane]?.removeFirst()
    if waiting[lane]?.isEmpty == true { waiting[lane] = nil }
    pace.record(item.request.url.host, at: now)
    running[item.id] = lane
    count(lane, 1)
    return (item, nil)
  }

  private func hasRoom(_ lane: Lane) -> Bool {
    byOrigin[lane.origin, default: 0] < connectionsPerHost
      && lane.limit.map { byLimit[$0, default: 0] < $0.count } ?? true
  }

  /// Frees the connection of a request that is no longer in progress.
  mutating func release(_ id: TransferID) {
    if let lane = running.removeValue(forKey: id) { count(lane, -1) }
  }

  private mutating func count(_ lane: Lane, _ change: Int) {
    byOrigin[lane.origin, default: 0] += change
    if byOrigin[lane.origin] == 0 { byOrigin[lane.origin] = nil }
    guard let limit = lane.limit else { return }
    byLimit[limit, default: 0] += change
    if byLimit[limit] == 0 { byLimit[limit] = nil }
  }

  /// Removes waiting requests, in one pass, since there may be thousands.
  mutating func remove(_ ids: Set<TransferID>) {
    guard !ids.isEmpty, !waiting.isEmpty else { return }
    waiting = waiting.mapValues { $0.filter { !ids.contains($0.id) } }.filter { !$0.value.isEmpty }
  }
}
