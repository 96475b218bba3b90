import NetworkTestSupport
import TestSupport
import Testing
import Transfer

@testable import CurlTransport

@Suite("Answers without end", .blocksThread)
struct EndlessTests {
  private static let chunked = HostileFile.head("200 OK", ["Transfer-Encoding: chunked"])
  private static let text = [UInt8](repeating: 0x61, count: 16_384)

  private func fetch(_ url: String, _ options: CurlOptions = CurlOptions()) throws -> RecordingSink {
    let transport = CurlHTTPTransport(options: options)
    let sink = RecordingSink()
    var request = TransferRequest(url: try WebURL.read(url).url)
    request.fields.add("Accept-Encoding", "identity")
    let id = transport.start(request, sink: sink)
    #expect(sink.wait())
    transport.cancel(id)
    return sink
  }

  enum Excess: CaseIterable {
    case trailers, trailer, extensionOfChunk, extensionsOfChunks, sizeOfChunk, interimHeads, foldedLines,
      emptyLines, nameInGzip

    var answer: [HostileServer.Step] {
      switch self {
      case .trailers: [.send(chunked + bytes("5\r\nhello\r\n0\r\n")), .sendForEver(bytes("X: a\r\n"))]
      case .trailer: [.send(chunked + bytes("5\r\nhello\r\n0\r\nX: ")), .sendForEver(text)]
      case .extensionOfChunk: [.send(chunked + bytes("5;")), .sendForEver(text)]
      // Each chunk has a byte.
      case .extensionsOfChunks:
        [
          .send(chunked),
          .sendForEver(bytes("1;") + [UInt8](repeating: 0x61, count: 8_000) + bytes("\r\nx\r\n")),
        ]
      case .sizeOfChunk: [.send(chunked), .sendForEver([UInt8](repeating: 0x30, count: 16_384))]
      case .interimHeads: [.sendForEver(bytes("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"))]
      case .foldedLines: [.send(bytes("HTTP/1.1 200 OK\r\nX: a\r\n")), .sendForEver(bytes(" \r\n"))]
      case .emptyLines: [.sendForEver(bytes("\r\n"))]
      // RFC 1952: the flag says that a file's name follows.
      case .nameInGzip:
        [
          .send(
            HostileFile.head("200 OK", ["Content-Encoding: gzip"]) + [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 255]),
          .sendForEver(text),
        ]
      }
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// What a person reads; nil where libcurl itself finds the fault, in one of several ways.
    var message: String? {
      switch self {
      case .trailers: "the trailers of the answer are too long"
      case .extensionOfChunk, .extensionsOfChunks, .nameInGzip:
        "the answer of 127.0.0.1 has too much beside its body"
      case .interimHeads, .foldedLines: "the head of the answer is too long"
      case .trailer, .sizeOfChunk, .emptyLines: nil
      }
    }
  }

  @Test("what is no body has an end, wherever it is", arguments: Excess.allCases)
  func excess(_ excess: Excess) throws {
    let server = try HostileServer { _ in excess.answer }
    let sink = try fetch(server.url("/"))
    let failure = try #require(sink.failure)
    if let message = excess.message {
      #expect(failure == TransferFailure(.badAnswer, message))
    } else {
      #expect(failure.kind == .badAnswer || failure.kind == .lost, "\(failure)")
    }
    #expect(sink.byteCount < 1_000)
    // The buffers of both sockets take some MiB.
    #expect(server.bytesSent < 12 << 20)
  }

  @Test("a long body in the smallest chunks, with extensions, and trailers are no excess")
  func noExcess() throws {
    let chunk = Array("1;some=extension;another=\"one\"\r\nx\r\n".utf8)
    let count = 2 * NetworkLimits.besideBody / chunk.count
    let trailers = Array((0..<500).map { "X-\($0): \(String(repeating: "a", count: 100))\r\n" }.joined().utf8)
    let server = try HostileServer { _ in
      [
        .send(Self.chunked), .send(Array(repeatElement(chunk, count: count).joined())),
        .send(Array("0\r\n".utf8) + trailers + Array("\r\n".utf8)),
      ]
    }
    let sink = try fetch(server.url("/"))
    #expect(sink.failure == nil && sink.byteCount == count)
  }

  enum Refusal: CaseIterable { case head, heads, body, chunks }

  @Test("a proxy's answer has an end", arguments: Refusal.allCases)
  func proxies(_ refusal: Refusal) throws {
    let begin = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
    let text = [UInt8](repeating: 0x61, count: 16_384)
    let server = try HostileServer { _ in
      switch refusal {
      case .head: [.send(Array("HTTP/1.1 200 OK\r\n".utf8)), .sendForEver(Array("X: a\r\n".utf8))]
      case .heads: [.sendForEver(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))]
      case .body: [.send(Array((begin + "Content-Length: 99999999999\r\n\r\n").utf8)), .sendForEver(text)]
      case .chunks:
        [
          .send(Array((begin + "Transfer-Encoding: chunked\r\n\r\n0\r\n").utf8)),
          .sendForEver(Array("X: a\r\n".utf8)),
        ]
      }
    }
    var options = CurlOptions()
    options.proxy = server.url("")
    let sink = try fetch("https://host.test/", options)
    let failure = try #require(sink.failure)
    #expect(failure.kind == .badAnswer || failure.kind == .lost, "\(failure)")
    #expect(sink.byteCount == 0 && server.bytesSent < 12 << 20)
  }

  @Test("public addresses that are this machine's own are not reached where only others may be")
  func ownAddresses() throws {
    let own = try #require(PeerAddress.ofThisMachine())
    let loopback = try #require(PeerAddress(bytes: [127, 0, 0, 1]))
    #expect(own.contains(loopback))
    // An address that leads nowhere; were it tried, that would take longer than is waited for, or fail in other words.
    for (text, bytes) in [
      ("192.31.196.7", [192, 31, 196, 7] as [UInt8]), ("[::ffff:192.31.196.7]", [192, 31, 196, 7]),
    ] {
      let known = try #require(PeerAddress(bytes: bytes))
      var options = CurlOptions()
      options.names = ["radio.example:80:\(text)"]
      options.ownAddresses = { [known] }
      let transport = CurlHTTPTransport(options: options)
      let sink = RecordingSink()
      var request = TransferRequest(url: try WebURL.read("http://radio.example/").url)
      request.reach = .publicOnly
      _ = transport.start(request, sink: sink)
      #expect(sink.wait() && sink.failure == TransferFailure(.notReachable, "radio.example is not reachable"))
      #expect(sink.events.count == 1)
    }
  }
}
