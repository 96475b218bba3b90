import Synchronization
import Testing
import Transfer

@Suite("What waits for a worker")
struct RunnerTests {
  private final class Transport: HTTPTransport {
    let sink = Mutex<(any TransferSink)?>(nil)

    func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
      self.sink.withLock { $0 = sink }
      return TransferID(1)
    }

    func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}
    func cancel(_ transfer: TransferID) {}
  }

  @Test("256 KiB, and some thousand events however small they are", arguments: [(1, 2_100), (16_384, 16)])
  func room(size: Int, most: Int) throws {
    let transport = Transport()
    let runner = TransferRunner(transport: transport)
    _ = runner.carryOut(.start(TransferRequest(url: try WebURL.read("http://h/").url), attempt: 1))
    let sink = try #require(transport.sink.withLock { $0 })
    var count = 0
    repeat {
      count += 1
    } while count < 100_000
      && sink.take(.body([UInt8](repeating: 0, count: size)), of: TransferID(1)) == .more
    #expect(count <= most && count > most / 2)
    #expect(runner.takeInputs().count == count)
  }
}
