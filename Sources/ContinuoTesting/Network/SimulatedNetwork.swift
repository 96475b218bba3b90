import Foundation
import HostTime
import Synchronization
package import Transfer

/// The network of a test device: everything that its players fetch comes from here, in virtual time.
///
/// What is served at a URL is told with ``serve(_:at:)``; a URL at which nothing is served fails like a host that does not
/// exist, and nothing ever reaches the machine's own network. Bytes cross one ``link`` piece after piece, in turns where
/// several transfers run, and arrive at moments that are the same in each run.
///
/// All members: any thread.
public final class SimulatedNetwork: Sendable {
  /// What lies between the device and all servers.
  public struct Link: Hashable, Sendable {
    /// Bytes a second of all transfers together, at least 1; nil: as many as are wanted, in no time.
    public var bytesPerSecond: Int?
    /// Once for a connection to be made, and once more until an answer begins.
    public var latency: Duration
    /// How many bytes arrive at once, from 1 to 65,536. Where it is more than one number, they are drawn.
    public var pieces: ClosedRange<Int>

    /// A link with these properties.
    public init(
      bytesPerSecond: Int? = nil, latency: Duration = .zero, pieces: ClosedRange<Int> = 4_096...4_096
    ) {
      self.bytesPerSecond = bytesPerSecond
      self.latency = latency
      self.pieces = pieces
    }
  }

  /// A request that came to the network, whether it was answered or not.
  public struct Request: Hashable, Sendable {
    /// When, since the device's start.
    public let moment: Duration
    /// What was asked for, without credentials.
    public let url: String
    /// `GET` for example.
    public let method: String
    /// What was sent with it; empty if there was none, or if it was a file that cannot be read.
    public let body: [UInt8]
    let fields: HTTPFields

    init(moment: Duration, request: TransferRequest) {
      self.moment = moment
      url = request.url.text
      method = request.method ?? (request.body == nil ? "GET" : "PUT")
      fields = request.fields
      switch request.body {
      case .bytes(let bytes): body = bytes
      case .file(let path, _): body = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
      case nil: body = []
      }
    }

    /// Which bytes were asked for, as HTTP writes it: `bytes=65536-`. Nil: all, without `Range`.
    public var range: String? { self["Range"] }

    /// The value of a header field; nil if the request has none of that name.
    public subscript(_ field: String) -> String? { fields[field] }
  }

  let clock: VirtualClock
  let state: Mutex<NetworkState>
  private let worker = Mutex<(any Worker)?>(nil)

  /// A network on which nothing is served.
  package init(clock: VirtualClock) {
    self.clock = clock
    state = Mutex(NetworkState())
    worker.withLock {
      $0 = clock.makeWorker("simulated network") { [weak self] in self?.step() ?? .whenSignalled }
    }
  }

  deinit { worker.withLock { $0 }?.cancel() }

  // MARK: Servers

  /// Answers requests for `url` with `content` from now on, in place of what was served there.
  public func serve(_ content: Content, at url: String) {
    let url = Self.address(url)
    change { $0.contents[url] = content }
  }

  /// The host of that name, to say how it misbehaves.
  public func host(_ name: String) -> Host { Host(name: name.lowercased(), network: self) }

  // MARK: The link

  /// The link, whose change counts for what has not begun to cross it.
  public var link: Link {
    get { state.withLock { $0.link } }
    set { change { $0.link = newValue } }
  }

  /// Draws what is random from here on: the same seed gives the same run.
  public func seed(_ seed: UInt64) { change { $0.random = SeededNumbers(state: seed) } }

  /// Takes the network away for `duration`, or for good: what is on its way waits, connections stay as they are, and new
  /// ones fail at once as on a device that is offline.
  public func goOffline(for duration: Duration = .seconds(1_000_000_000)) {
    let end = clock.now.advanced(by: duration)
    change { $0.goOffline(until: end) }
  }

  // MARK: Results

  /// The requests so far, in order; the newest 100,000.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// How many connections there are.
  public var connectionCount: Int { state.withLock { $0.connections.count } }

  // MARK: How it works

  func change<Result>(_ body: (inout NetworkState) -> Result) -> Result {
    defer { worker.withLock { $0 }?.signal() }
    return state.withLock { body(&$0) }
  }

  /// Tells one thing that happens now, or when the next one does.
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

  // Events are told by whoever moves the clock, which is the thread of all workers in virtual time: none is under way when
  // one of them cancels.
  package func cancel(_ transfer: TransferID) { change { $0.remove(transfer) } }
}

/// Steele, Lea and Flood's generator: a seed tells all of its numbers.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
