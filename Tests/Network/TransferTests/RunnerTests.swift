import NetworkTestSupport
import Testing
import Transfer

@Suite("What waits for a worker")
struct RunnerTests {
  @Test("256 KiB, and some thousand events however small they are", arguments: [(1, 2_100), (16_384, 16)])
  func room(size: Int, most: Int) throws {
    let transport = HandTransport()
    let runner = TransferRunner(transport: transport)
    _ = runner.carryOut(.start(TransferRequest(url: try WebURL.read("http://h/").url), attempt: 1))
    var count = 0
    repeat {
      count += 1
    } while count < 100_000 && transport.send(.body([UInt8](repeating: 0, count: size))) == .more
    #expect(count <= most && count > most / 2)
    #expect(runner.takeInputs().count == count)
  }
}
