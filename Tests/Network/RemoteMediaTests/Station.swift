import Clocks
import Foundation
import Synchronization
import Transfer

/// A station in virtual time: a programme that is on the air whether anyone listens or not.
///
/// Who connects gets what was sent in the last moments at once, and then what is sent, until the station closes the
/// connection. What a listener does not read waits for him, as in the buffers of sockets.
final class Station: HTTPTransport {
  private struct Connection {
    let sink: any TransferSink
    let began: HostTime
    /// Where in the programme it began, and the next byte.
    let first: Int
    var next: Int
    var isPaused = false
    var toldHead = false
  }

  private struct State {
    var connections: [UInt64: Connection] = [:]
    var last: UInt64 = 0
    var served: [Range<Int>] = []
  }

  /// Seconds of a look at the clock.
  private static let step = 0.05

  private let programme: @Sendable (Int) -> UInt8
  private let rate: Int
  private let burst: Double
  private let lasts: Double
  private let fields: [(String, String)]
  private let clock: VirtualClock
  private let state = Mutex(State())
  private let worker = Mutex<(any Worker)?>(nil)

  /// - Parameters:
  ///   - bytesPerSecond: of the programme, which has a byte for each number from 0 on.
  ///   - burst: seconds that are sent at once.
  ///   - lasts: seconds of a connection.
  init(
    _ clock: VirtualClock, bytesPerSecond rate: Int, burst: Double = 2, lasts: Double = .infinity,
    fields: [(String, String)] = [("icy-name", "Lab")], programme: @escaping @Sendable (Int) -> UInt8
  ) {
    self.programme = programme
    self.rate = rate
    self.burst = burst
    self.lasts = lasts
    self.fields = fields
    self.clock = clock
    let body: @Sendable () -> WorkerNext = { [weak self] in self?.send() ?? .whenSignalled }
    worker.withLock { $0 = clock.makeWorker("station", body: body) }
  }

  /// What of the programme each connection has brought, the present ones included.
  var served: [Range<Int>] {
    state.withLock { state in
      state.served + state.connections.sorted { $0.key < $1.key }.map { $0.value.first..<$0.value.next }
    }
  }
  var openConnections: Int { state.withLock { $0.connections.count } }

  func bytes(_ range: Range<Int>) -> [UInt8] { range.map(programme) }

  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let now = clock.now
    let first = max(0, Int((now.seconds - burst) * Double(rate)))
    let id = state.withLock { state in
      state.last += 1
      state.connections[state.last] = Connection(sink: sink, began: now, first: first, next: first)
      return state.last
    }
    worker.withLock { $0 }?.signal()
    return TransferID(id)
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    state.withLock { $0.connections[transfer.number]?.isPaused = isPaused }
  }

  func cancel(_ transfer: TransferID) { end(transfer.number) }

  private func end(_ number: UInt64) {
    state.withLock { state in
      guard let ended = state.connections.removeValue(forKey: number) else { return }
      state.served.append(ended.first..<ended.next)
    }
  }

  private func send() -> WorkerNext {
    let now = clock.now
    for number in state.withLock({ $0.connections.keys.sorted() }) {
      guard let connection = state.withLock({ $0.connections[number] }) else { continue }
      let id = TransferID(number)
      if !connection.toldHead {
        state.withLock { $0.connections[number]?.toldHead = true }
        _ = connection.sink.take(.connected(nil), of: id)
        _ = connection.sink.take(.head(ResponseHead(status: 200, fields: fields)), of: id)
        continue
      }
      let isOver = now.seconds(since: connection.began) >= lasts
      let onAir = Int(min(now.seconds, connection.began.seconds + lasts) * Double(rate))
      let end = min(onAir, connection.next + 16_384)
      if !connection.isPaused, connection.next < end {
        state.withLock { $0.connections[number]?.next = end }
        if case .pause = connection.sink.take(.body(bytes(connection.next..<end)), of: id) {
          setPaused(true, id)
        }
      } else if isOver, !connection.isPaused {
        self.end(number)
        _ = connection.sink.take(.end, of: id)
      }
    }
    return state.withLock { $0.connections.isEmpty }
      ? .whenSignalled : .at(now.advanced(bySeconds: Self.step))
  }
}
