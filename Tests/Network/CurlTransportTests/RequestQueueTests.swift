import Clocks
import Testing
import Transfer

@testable import CurlTransport

@Suite("Requests that wait for a connection")
struct RequestQueueTests {
  private let now = HostTime(nanoseconds: 0)

  private func queue(_ connections: Int, perHost: Int, rate: Int = 1_000) -> RequestQueue {
    var options = CurlOptions()
    options.connections = connections
    options.connectionsPerHost = perHost
    options.requestsPerSecond = rate
    return RequestQueue(options)
  }

  private func item(
    _ id: UInt64, _ url: String, limit: ConnectionLimit? = nil, isContinuation: Bool = false
  ) throws -> RequestQueue.Item {
    var request = TransferRequest(url: try WebURL.read(url).url)
    request.limit = limit
    request.isContinuation = isContinuation
    return RequestQueue.Item(id: TransferID(id), request: request)
  }

  /// The numbers of the requests that may be sent now, in order.
  private func ready(_ queue: inout RequestQueue) -> [UInt64] {
    var ids: [UInt64] = []
    while let item = queue.next(at: now).item { ids.append(item.id.number) }
    return ids
  }

  @Test("go in order, as many to a host and to all as there may be; the end of one sends the next")
  func order() throws {
    var queue = queue(5, perHost: 2)
    for (id, host) in zip(1..., ["a", "a", "a", "a", "b", "b", "c", "d"]) {
      queue.add(try item(UInt64(id), "http://\(host)/"))
    }
    #expect(ready(&queue) == [1, 2, 5, 6, 7])
    queue.release(TransferID(5))
    #expect(ready(&queue) == [8])
    queue.release(TransferID(2))
    queue.release(TransferID(2))
    #expect(ready(&queue) == [3])
    queue.remove([TransferID(4)])
    queue.release(TransferID(1))
    #expect(ready(&queue) == [])
    // Another port is another server.
    queue.add(try item(9, "http://b:81/"))
    #expect(ready(&queue) == [9])
  }

  @Test("one that continues another goes first; those of one limit wait for each other, at any host")
  func limits() throws {
    let limit = ConnectionLimit(name: "session", count: 1)
    var queue = queue(9, perHost: 9)
    for id in 1...3 as ClosedRange<UInt64> { queue.add(try item(id, "http://a/", limit: limit)) }
    queue.add(try item(4, "http://a/"))
    #expect(ready(&queue) == [1, 4])
    // A redirect of the first.
    queue.release(TransferID(1))
    queue.add(try item(5, "http://b/", limit: limit, isContinuation: true))
    queue.add(try item(6, "http://a/", limit: limit, isContinuation: true))
    for id in [5, 6, 2, 3] as [UInt64] {
      #expect(ready(&queue) == [id])
      queue.release(TransferID(id))
    }
  }

  @Test("the rate limit says when the next may go, unless that one waits for a connection")
  func rate() throws {
    var queue = queue(9, perHost: 2, rate: 1)
    for id in 1...3 as ClosedRange<UInt64> { queue.add(try item(id, "http://a/")) }
    #expect(ready(&queue) == [1] && queue.next(at: now).moment?.seconds == 1)
    #expect(queue.next(at: now.advanced(bySeconds: 1)).item?.id.number == 2)
    #expect(queue.next(at: now.advanced(bySeconds: 1)).moment == nil)
  }
}
