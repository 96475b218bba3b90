import Clocks
import Foundation
import Synchronization
import SystemSupport
package import Transfer

/// The network of a test device, which answers the requests of players and URL sessions in virtual time. Any
/// thread.
///
/// ``serve(_:at:)`` sets the content of a URL. A URL without content fails like a host that does not exist,
/// and no request reaches the machine's own network. All answers share one ``link``. Bytes cross it piece by
/// piece, in turns if several answers are in progress, and arrive at times that are the same in each run.
public final class SimulatedNetwork: Sendable {
  /// The link between the device and all servers.
  public struct Link: Hashable, Sendable {
    /// The bandwidth in bytes per second, at least 1, shared by all answers; the body of each request has the
    /// same bandwidth of its own. Nil means unlimited.
    public var bytesPerSecond: Int?
    /// The delay of each connection, and additionally of each answer.
    public var latency: Duration
    /// The number of bytes per piece, 1…65,536. With more than one possible value the size is random.
    public var pieces: ClosedRange<Int>

    /// Creates a link with the given values.
    public init(
      bytesPerSecond: Int? = nil, latency: Duration = .zero, pieces: ClosedRange<Int> = 4_096...4_096
    ) {
      self.bytesPerSecond = bytesPerSecond
      self.latency = latency
      self.pieces = pieces
    }
  }

  /// A request received by the network, answered or not.
  public struct Request: Hashable, Sendable {
    /// The time of the request, since the device's start.
    public let moment: Duration
    /// The requested URL, without credentials.
    public let url: String
    /// The method, `GET` for example.
    public let method: String
    /// The request's body; empty if it has none or its file cannot be read.
    public let body: [UInt8]
    let fields: HTTPFields

    init(moment: Duration, request: TransferRequest) {
      self.moment = moment
      url = request.url.text
      method = request.sentMethod
      fields = request.fields
      switch request.body {
      case .bytes(let bytes): body = bytes
      case .file(let path, _): body = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
      case nil: body = []
      }
    }

    /// The requested range in HTTP notation, such as `bytes=65536-`; nil without a `Range` field, which means
    /// that the whole content is requested.
    public var range: String? { self["Range"] }

    /// The value of a header field; nil if the request does not have it.
    public subscript(_ field: String) -> String? { fields[field] }
  }

  let clock: VirtualClock
  let state: Mutex<NetworkState>
  private let worker = Mutex<(any Worker)?>(nil)

  package init(clock: VirtualClock) {
    self.clock = clock
    state = Mutex(NetworkState())
    worker.withLock {
      $0 = clock.makeWorker("simulated network") { [weak self] in self?.step() ?? .whenSignalled }
    }
  }

  deinit { worker.withLock { $0 }?.cancel() }

  // MARK: Servers

  /// Answers requests for `url` with `content` from now on, replacing any previous content. Stops the program if `url`
  /// is not an http or https URL.
  public func serve(_ content: Content, at url: String) {
    let url = Self.address(url)
    change { $0.contents[url] = content }
  }

  /// Returns the host with the given name, whose faults can be set.
  public func host(_ name: String) -> Host { Host(name: name.lowercased(), network: self) }

  // MARK: The link

  /// The link. A change applies to pieces that have not begun to cross it.
  public var link: Link {
    get { state.withLock { $0.link } }
    set { change { $0.link = newValue } }
  }

  /// Seeds the random piece sizes. Equal seeds give equal runs.
  public func seed(_ seed: UInt64) { change { $0.random = SplitMix64(state: seed) } }

  /// Disconnects the network for `duration`, by default permanently. Connections persist, and a piece in
  /// transit is sent again afterwards. New connections fail immediately.
  public func goOffline(for duration: Duration = .seconds(1_000_000_000)) {
    let end = clock.now.advanced(by: duration)
    change { $0.goOffline(until: end) }
  }

  // MARK: Results

  /// The requests so far, in order. Above 100,000 the older half is dropped.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The number of open connections.
  public var connectionCount: Int { state.withLock { $0.connections.count } }

  // MARK: Delivery

  func change<Result>(_ body: (inout NetworkState) -> Result) -> Result {
    defer { worker.withLock { $0 }?.signal() }
    return state.withLock { body(&$0) }
  }

  /// Delivers one event that is due now, or returns the time of the next one.
  private func step() -> WorkerNext {
    let now = clock.now
    guard let arrival = state.withLock({ $0.takeArrival(at: now) }) else {
      return state.withLock { $0.nextMoment(at: now) }.map { .at($0) } ?? .whenSignalled
    }
    switch arrival.what {
    case .sent(let count): arrival.sink.sent(count, of: arrival.transfer)
    case .event(let event):
      if arrival.sink.take(event, of: arrival.transfer) == .pause {
        state.withLock { $0.setPaused(true, arrival.transfer, at: now) }
      }
    }
    return .again
  }

  static func address(_ text: String) -> WebURL {
    guard let url = try? WebURL.read(text).url else { preconditionFailure("\(text) is no http or https URL") }
    return url
  }
}

extension SimulatedNetwork: HTTPTransport {
  package func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let now = clock.now
    return change { $0.start(request, sink, at: now) }
  }

  package func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    let now = clock.now
    change { $0.setPaused(isPaused, transfer, at: now) }
  }

  // In virtual time, the thread that advances the clock delivers all events and runs all workers. So no
  // delivery is in progress when a worker cancels.
  package func cancel(_ transfer: TransferID) { change { $0.remove(transfer) } }
}
