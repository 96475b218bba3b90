import Clocks
import DequeModule
import SystemSupport
import Transfer

/// The state of a simulated network, including the order of its events.
struct NetworkState {
  /// An event of a transfer, ready for delivery. `sent` counts bytes of the request's body.
  struct Arrival {
    enum What { case event(TransferEvent), sent(Int64) }

    let what: What
    let transfer: TransferID
    let sink: any TransferSink
  }

  struct Connection {
    /// The next event besides body data.
    enum Next {
      case connected
      /// The request's body was sent up to this byte.
      case sent(Int64)
      case head
      case end
      case failure(TransferFailure)

      /// Whether the event is the failure for lack of a network, which is delivered while offline.
      var isOffline: Bool { if case .failure(let failure) = self { failure.kind == .offline } else { false } }
    }

    let id: TransferID
    let request: TransferRequest
    let sink: any TransferSink
    var next: (what: Next, due: HostTime)?
    var answer: Answer?
    /// The number of bytes of the answer's body that were sent.
    var sent: Int64 = 0
    var cut: Cut?
    /// The time at which the host ends the connection; nil for none.
    var deadline: HostTime?
    var idleLimit: Duration?
    /// The time at which the reader paused; nil while it reads.
    var pausedSince: HostTime?

    /// The number of body bytes until the cut or the end of the answer; nil if unlimited.
    var left: Int64? {
      let toEnd = answer.flatMap { answer in answer.end.map { $0 - answer.position } }
      let toCut = cut.map { $0.after - sent }
      return [toEnd, toCut].compactMap { $0 }.min()
    }
  }

  static let requestLimit = 100_000

  var link = SimulatedNetwork.Link()
  var random = SplitMix64(state: 0)
  var contents: [WebURL: SimulatedNetwork.Content] = [:]
  var hosts: [String: Behaviour] = [:]
  private(set) var requests: [SimulatedNetwork.Request] = []
  /// The connections, ordered by start time.
  private(set) var connections: [Connection] = []
  private var lastID: UInt64 = 0
  private var offlineUntil: HostTime?
  private var flight: (transfer: TransferID, count: Int, arrival: HostTime)?
  /// The number of the transfer that sent the last piece. The ready transfer with the next higher number
  /// sends the next piece; without one, the ready transfer with the lowest number.
  private var turn: UInt64 = 0

  mutating func start(_ request: TransferRequest, _ sink: any TransferSink, at now: HostTime) -> TransferID {
    lastID += 1
    if requests.count >= Self.requestLimit { requests.removeFirst(Self.requestLimit / 2) }
    requests.append(SimulatedNetwork.Request(moment: Duration(now), request: request))
    let due = now.advanced(by: link.latency)
    let host = request.url.host
    let next: (Connection.Next, HostTime) =
      if isOffline(at: now) {
        (.failure(TransferFailure(.offline, "this machine has no network")), now)
      } else if contents[request.url] == nil {
        (.failure(TransferFailure(.hostNotFound, "\(host) was not found")), due)
      } else if hosts[host]?.refuses == true {
        (.failure(TransferFailure(.refused, "\(host) refuses connections")), due)
      } else {
        (.connected, due)
      }
    connections.append(Connection(id: TransferID(lastID), request: request, sink: sink, next: next))
    return TransferID(lastID)
  }

  mutating func setPaused(_ isPaused: Bool, _ transfer: TransferID, at now: HostTime) {
    guard let index = index(of: transfer) else { return }
    let since = connections[index].pausedSince
    guard isPaused != (since != nil) else { return }
    connections[index].pausedSince = isPaused ? now : nil
    // Bytes that were not read are sent again.
    if isPaused, flight?.transfer == transfer { flight = nil }
    if let since, let limit = connections[index].idleLimit, since.advanced(by: limit) <= now {
      connections[index].next = (.failure(lost(connections[index])), now)
    }
  }

  mutating func remove(_ transfer: TransferID) {
    if flight?.transfer == transfer { flight = nil }
    connections.removeAll { $0.id == transfer }
  }

  mutating func goOffline(until end: HostTime) {
    offlineUntil = end
    flight = nil
  }

  // MARK: Events

  /// Returns the time of the next event; nil if none occurs without a further call.
  func nextMoment(at now: HostTime) -> HostTime? {
    let back = isOffline(at: now) ? offlineUntil ?? now : now
    var moments: [HostTime] = []
    for connection in connections {
      if let next = connection.next {
        moments.append(next.what.isOffline ? next.due : max(next.due, back))
      } else if connection.answer != nil {
        if let deadline = connection.deadline { moments.append(max(deadline, back)) }
        if flight == nil, let moment = sendingMoment(connection, at: now) {
          moments.append(max(moment, back))
        }
      }
    }
    if let flight { moments.append(flight.arrival) }
    return moments.min()
  }

  /// Removes and returns the next event that is due now; nil if none is.
  mutating func takeArrival(at now: HostTime) -> Arrival? {
    let isOffline = isOffline(at: now)
    for index in connections.indices {
      guard let next = connections[index].next, next.due <= now, !isOffline || next.what.isOffline else {
        continue
      }
      switch next.what {
      case .failure(let failure): return end(index, .failure(failure))
      case .end: return end(index, .end)
      case .connected:
        planRequest(index, from: 0, at: now)
        return arrival(index, .event(.connected(PeerAddress(bytes: [127, 0, 0, 1]))))
      case .sent(let count):
        planRequest(index, from: count, at: now)
        return arrival(index, .sent(count))
      case .head: return answer(index, at: now)
      }
    }
    guard !isOffline else { return nil }
    for (index, connection) in connections.enumerated() where connection.next == nil {
      guard let answer = connection.answer, let deadline = connection.deadline, deadline <= now else {
        continue
      }
      return end(index, answer.end == nil ? .end : .failure(lost(connection)))
    }
    if flight == nil { flight = nextFlight(at: now) }
    guard let piece = flight, piece.arrival <= now, let index = index(of: piece.transfer) else { return nil }
    flight = nil
    guard let bytes = connections[index].answer?.take(piece.count) else { return nil }
    connections[index].sent += Int64(bytes.count)
    planEnd(index, at: now)
    return arrival(index, .event(.body(bytes)))
  }

  /// Schedules the next piece of the request's body, which does not share the link with the answers. The
  /// answer follows the last piece.
  private mutating func planRequest(_ index: Int, from start: Int64, at now: HostTime) {
    let request = connections[index].request
    let size = request.body?.count ?? 0
    guard start < size else {
      let delay = hosts[request.url.host]?.delay ?? .zero
      connections[index].next = (.head, now.advanced(by: link.latency).advanced(by: delay))
      return
    }
    let end = min(size, start + Int64(pieceSize()))
    let seconds = link.bytesPerSecond.map { Double(end - start) / Double(max(1, $0)) } ?? 0
    connections[index].next = (.sent(end), now.advanced(bySeconds: seconds))
  }

  private mutating func answer(_ index: Int, at now: HostTime) -> Arrival? {
    let request = connections[index].request
    var host = hosts[request.url.host] ?? Behaviour()
    var status = host.statuses.popFirst()
    if status == nil, let wanted = host.credentials, request.credentials != wanted { status = 401 }
    let url = status == nil ? host.resolve(request.url) : request.url
    let answer = Answer(contents[url], to: request, host, status: status, at: now)
    if answer.end != 0 { connections[index].cut = host.cuts.popFirst() ?? host.always }
    hosts[request.url.host] = host
    connections[index].answer = answer
    connections[index].next = nil
    connections[index].deadline = host.lifetime.map(now.advanced(by:))
    connections[index].idleLimit = host.idleLimit
    planEnd(index, at: now)
    return arrival(index, .event(.head(answer.head)))
  }

  /// Schedules the end of a connection whose last byte was sent, unless it is to hang.
  private mutating func planEnd(_ index: Int, at now: HostTime) {
    let connection = connections[index]
    guard let answer = connection.answer, connection.left == 0 else { return }
    let (isComplete, ending) = (answer.end == answer.position, connection.cut?.ending)
    guard isComplete || ending == .close || ending == .reset else { return }
    // Without a length, closing the connection is the end of the answer.
    let endsNormally = isComplete || ending == .close && answer.head.contentLength == nil
    connections[index].next = (endsNormally ? .end : .failure(lost(connection)), now)
  }

  private func lost(_ connection: Connection) -> TransferFailure {
    TransferFailure(.lost, "the connection to \(connection.request.url.host) was lost")
  }

  private mutating func end(_ index: Int, _ event: TransferEvent) -> Arrival {
    defer { remove(connections[index].id) }
    return arrival(index, .event(event))
  }

  private func arrival(_ index: Int, _ what: Arrival.What) -> Arrival {
    Arrival(what: what, transfer: connections[index].id, sink: connections[index].sink)
  }

  // MARK: The link

  /// Returns the next piece to cross the link, from the connection after the one that sent the previous
  /// piece; nil if none is ready.
  private mutating func nextFlight(at now: HostTime) -> (TransferID, Int, HostTime)? {
    let ready = connections.filter { sendingMoment($0, at: now).map { $0 <= now } ?? false }
    guard let connection = ready.first(where: { $0.id.number > turn }) ?? ready.first else { return nil }
    turn = connection.id.number
    let count = Int(min(Int64(pieceSize()), connection.left ?? .max))
    let seconds = link.bytesPerSecond.map { Double(count) / Double(max(1, $0)) } ?? 0
    return (connection.id, count, now.advanced(bySeconds: seconds))
  }

  /// Returns the time at which the connection can send its next piece: `now` if the bytes are always available. Returns
  /// nil before the answer's head, while another event is due or the reader pauses, and without bytes left.
  private func sendingMoment(_ connection: Connection, at now: HostTime) -> HostTime? {
    let left = connection.left ?? .max
    guard let answer = connection.answer, connection.next == nil, connection.pausedSince == nil, left > 0
    else { return nil }
    return answer.moment(of: Int(min(Int64(pieceSizes.upperBound), left))) ?? now
  }

  private var pieceSizes: ClosedRange<Int> { link.pieces.clamped(to: 1...65_536) }

  private mutating func pieceSize() -> Int {
    let sizes = pieceSizes
    return sizes.lowerBound == sizes.upperBound ? sizes.lowerBound : Int.random(in: sizes, using: &random)
  }

  private func isOffline(at now: HostTime) -> Bool { offlineUntil.map { now < $0 } ?? false }

  private func index(of transfer: TransferID) -> Int? { connections.firstIndex { $0.id == transfer } }
}
