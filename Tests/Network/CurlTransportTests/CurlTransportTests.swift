import Clocks
import Foundation
import NetworkTestSupport
import Synchronization
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import CurlTransport

@Suite("Transport by libcurl", .blocksThread)
struct CurlTransportTests {
  private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

  private func request(_ url: String, _ fields: [(String, String)] = []) throws -> TransferRequest {
    let read = try WebURL.read(url)
    var request = TransferRequest(url: read.url)
    request.credentials = read.credentials
    request.fields.add("Accept-Encoding", "identity")
    for (name, value) in fields { request.fields.add(name, value) }
    return request
  }

  /// Runs one transfer to its end.
  private func fetch(
    _ url: String, _ fields: [(String, String)] = [], options: CurlOptions = CurlOptions(),
    reach: NetworkReach = .all
  ) throws -> RecordingSink {
    let transport = CurlHTTPTransport(options: options)
    let sink = RecordingSink()
    var request = try request(url, fields)
    request.reach = reach
    _ = transport.start(request, sink: sink)
    #expect(sink.wait())
    return sink
  }

  @Test("a sink that is let go with its transfer may use the transport when it ends")
  func endingSink() throws {
    // In virtual time nothing runs that would hold the sink.
    let transport = CurlHTTPTransport(clock: VirtualClock())
    let ends = Mutex(0)
    let transfer = transport.start(
      try request("http://127.0.0.1:9/"),
      sink: EndingSink {
        _ = transport.hasThread
        ends.withLock { $0 += 1 }
      })
    transport.cancel(transfer)
    #expect(ends.withLock { $0 } == 1)
  }

  @Test("a file comes whole, with its head, its address and an end")
  func whole() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let sink = try fetch(server.url("/a"), [("Range", "bytes=0-"), ("X-Mine", "1"), ("X-Empty", "")])
    #expect(sink.body == content && sink.failure == nil && sink.events.last == .end)
    #expect(sink.events.first == .connected(PeerAddress(bytes: [127, 0, 0, 1])))
    #expect(sink.head?.status == 206 && sink.head?.contentRange?.total == 300_000)
    let request = try #require(server.requests.first)
    #expect(request.lines.first == "GET /a HTTP/1.1")
    #expect(request.fields["range"] == "bytes=0-" && request.fields["accept-encoding"] == "identity")
    #expect(request.fields["x-mine"] == "1" && request.fields["x-empty"] == "")
    #expect(sink.events.allSatisfy { if case .body(let bytes) = $0 { bytes.count <= 65_536 } else { true } })
  }

  @Test("connections are used again")
  func reuse() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let transport = CurlHTTPTransport()
    for _ in 0..<5 {
      let sink = RecordingSink()
      _ = transport.start(try request(server.url("/a")), sink: sink)
      #expect(sink.wait() && sink.body == content)
    }
    #expect(server.connections == 1 && server.requests.count == 5)
  }

  @Test("a body is sent with PUT, and the answer comes", arguments: [0, 1, 300_000])
  func put(count: Int) throws {
    let server = try HostileServer { _ in HostileFile.plain("201 Created") }
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    var request = try request(server.url("/a"))
    request.body = .bytes(Array(content.prefix(count)))
    _ = transport.start(request, sink: sink)
    #expect(sink.wait() && sink.failure == nil && sink.head?.status == 201)
    let received = try #require(server.requests.first)
    #expect(received.lines.first == "PUT /a HTTP/1.1" && received.body == Array(content.prefix(count)))
    #expect(received.fields["content-type"] == "application/octet-stream")
  }

  @Test(
    "a file is sent while it is read, with any method; how far it is comes in order", arguments: [0, 300_000])
  func file(count: Int) throws {
    let server = try HostileServer { _ in HostileFile.plain("201 Created") }
    let folder = try TemporaryFolder()
    let path = try folder.write("body", content.prefix(count))
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    var request = try request(server.url("/a"))
    request.method = "POST"
    request.body = .file(path: path, count: Int64(count))
    _ = transport.start(request, sink: sink)
    #expect(sink.wait() && sink.failure == nil && sink.head?.status == 201)
    let received = try #require(server.requests.first)
    #expect(received.lines.first == "POST /a HTTP/1.1" && received.body == Array(content.prefix(count)))
    #expect(received.fields["expect"] == nil)
    #expect(sink.sent == sink.sent.sorted() && sink.sent.last == (count == 0 ? nil : Int64(count)))
    request.body = .file(path: path + "-not-there", count: 5)
    let failed = RecordingSink()
    _ = transport.start(request, sink: failed)
    #expect(failed.wait() && failed.failure?.kind == .badBody)
  }

  @Test("a disk that does not answer stalls the upload that reads it, and no other transfer")
  func slowFile() throws {
    let server = try HostileServer { _ in HostileFile.plain("200 OK") }
    let folder = try TemporaryFolder()
    let path = try folder.write("body", content)
    let (hasBegun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var options = CurlOptions()
    options.readFile = { descriptor, buffer, offset in
      if offset > 0 {
        hasBegun.signal()
        gate.wait()
        gate.signal()
      }
      return pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }
    let transport = CurlHTTPTransport(options: options)
    let (slow, other, cancelled) = (RecordingSink(), RecordingSink(), RecordingSink())
    var upload = try request(server.url("/up"))
    upload.body = .file(path: path, count: Int64(content.count))
    _ = transport.start(upload, sink: slow)
    let dropped = transport.start(upload, sink: cancelled)
    hasBegun.wait()
    _ = transport.start(try request(server.url("/a")), sink: other)
    #expect(other.wait() && other.failure == nil)
    transport.cancel(dropped)
    gate.signal()
    #expect(slow.wait() && slow.failure == nil)
    #expect(server.requests.last { $0.target == "/up" }?.body == content && cancelled.head == nil)
  }

  @Test("a file that has become shorter fails before a byte of it is sent")
  func shortFile() throws {
    let server = try HostileServer { _ in HostileFile.plain("200 OK") }
    let folder = try TemporaryFolder()
    let path = try folder.write("body", content.prefix(1000))
    let sink = RecordingSink()
    var upload = try request(server.url("/up"))
    upload.body = .file(path: path, count: 2000)
    let transport = CurlHTTPTransport()
    _ = transport.start(upload, sink: sink)
    #expect(sink.wait() && sink.failure?.kind == .badBody && sink.sent.isEmpty)
    withExtendedLifetime(transport) {}
  }

  @Test("after a jump a body's file is read from its new place, and what was read ahead is dropped")
  func jumpDropsWhatWasReadAhead() throws {
    let folder = try TemporaryFolder()
    // Small enough to be read ahead to its end in one piece.
    let path = try folder.write("body", content.prefix(1000))
    let ready = DispatchSemaphore(value: 0)
    let reader = BodyReader(
      .file(path: path, count: 1000), read: CurlOptions().readFile, onReady: { ready.signal() })
    func next() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 100)
      while true {
        switch bytes.withUnsafeMutableBytes({ reader.read($0) }) {
        case .bytes(let count): return Array(bytes.prefix(count))
        case .notYet: ready.wait()
        case .failed: return []
        }
      }
    }
    #expect(next() == Array(content[..<100]))
    reader.position = 0
    #expect(next() == Array(content[..<100]))
    reader.position = 500
    #expect(next() == Array(content[500..<600]) && reader.position == 600)
  }

  @Test("what is being read while a body's reader jumps is dropped")
  func jumpDuringARead() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("body", content.prefix(1000))
    let (reading, gate, ready) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let read = CurlOptions().readFile
    let reader = BodyReader(
      .file(path: path, count: 1000),
      read: { descriptor, buffer, offset in
        if offset == 0 {
          reading.signal()
          gate.wait()
        }
        return read(descriptor, buffer, offset)
      }, onReady: { ready.signal() })
    var bytes = [UInt8](repeating: 0, count: 100)
    func next() -> BodyReader.Piece { bytes.withUnsafeMutableBytes { reader.read($0) } }
    #expect(next() == .notYet)
    reading.wait()
    reader.position = 500
    gate.signal()
    while next() == .notYet { ready.wait() }
    #expect(bytes == Array(content[500..<600]))
  }

  @Test("HEAD waits for no body")
  func head() throws {
    let server = try HostileServer { _ in [.send(HostileFile.head("200 OK", ["Content-Length: 5000"]))] }
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    var request = try request(server.url("/a"))
    request.method = "HEAD"
    _ = transport.start(request, sink: sink)
    #expect(sink.wait() && sink.failure == nil && sink.body.isEmpty)
    #expect(server.requests.first?.lines.first == "HEAD /a HTTP/1.1")
  }

  @Test(
    "sockets are the system's, and stay when an application's are reclaimed; or the application's, and lost then",
    arguments: [true, false])
  func owners(isSystems: Bool) throws {
    let server = try HostileServer { _ in [.send(HostileFile.head("200 OK", ["Content-Length: 9"])), .hang] }
    var options = CurlOptions()
    options.hasSystemSockets = isSystems
    let transport = CurlHTTPTransport(options: options)
    let sink = RecordingSink()
    let transfer = transport.start(try request(server.url("/a")), sink: sink)
    #expect(sink.wait { $0.head != nil })
    let descriptors = LoopbackSocket.descriptors(at: server.port, isOtherEnd: true)
    #expect(descriptors.count == 1)
    #expect(descriptors.allSatisfy { SystemSockets.contain($0) == isSystems })
    guard !isSystems else { return transport.cancel(transfer) }
    // As a reclaim does.
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    let length = socklen_t(MemoryLayout<sockaddr>.size)
    #expect(descriptors.allSatisfy { connect($0, &nobody, length) == 0 })
    #expect(sink.wait() && sink.failure?.kind == .lost)
  }

  @Test("lengths: chunked, untold, compressed, too long, too short")
  func lengths() throws {
    var file = HostileFile(content)
    file.hasRanges = false
    for length in [HostileFile.Length.chunked, .untold, .told] {
      file.length = length
      let server = try HostileServer { [file] in file.answer($0) }
      let sink = try fetch(server.url("/a"))
      #expect(sink.body == content && sink.failure == nil)
    }
    file.isCompressed = true
    let compressing = try HostileServer { [file] in file.answer($0) }
    let sink = try fetch(compressing.url("/a"))
    #expect(sink.body == content && sink.failure == nil && sink.head?.isEncoded == true)
    file.isCompressed = false
    file.lengthError = 5_000
    let tooLong = try HostileServer { [file] in file.answer($0) }
    let short = try fetch(tooLong.url("/a"))
    #expect(short.body == content && short.failure?.kind == .lost)
    file.lengthError = -5_000
    let tooShort = try HostileServer { [file] in file.answer($0) }
    let transport = CurlHTTPTransport()
    for _ in 0..<2 {
      // What is sent too much does not reach the next transfer to the same host.
      let cut = RecordingSink()
      _ = transport.start(try request(tooShort.url("/a")), sink: cut)
      #expect(cut.wait() && cut.failure == nil, "\(cut.failure as Any)")
      #expect(cut.byteCount == 295_000 && content.starts(with: cut.body))
    }
  }

  @Test("a cut and a reset are losses, and what came before them comes")
  func losses() throws {
    for ending in [HostileServer.Step.close, .reset] {
      var file = HostileFile(content)
      file.cut = 100_000
      file.ending = ending
      let server = try HostileServer { [file] in file.answer($0) }
      let sink = try fetch(server.url("/a"))
      #expect(sink.failure?.kind == .lost && sink.failure?.message == "the connection to 127.0.0.1 was lost")
      // A reset may overtake what is in the sockets' buffers.
      #expect(sink.body == Array(content.prefix(sink.byteCount)))
      if case .close = ending { #expect(sink.byteCount == 100_000) }
    }
  }

  @Test("ICY 200 OK is an answer")
  func icy() throws {
    let server = try HostileServer { _ in
      [
        .send(Array("ICY 200 OK\r\nicy-name: Lab\r\nicy-metaint: 16\r\n\r\n".utf8)), .send([1, 2, 3]), .close,
      ]
    }
    let sink = try fetch(server.url("/"), [("Icy-MetaData", "1")])
    #expect(sink.head?.isICY == true && sink.head?.fields["icy-metaint"] == "16" && sink.body == [1, 2, 3])
  }

  @Test("statuses and redirects are handed out, not followed")
  func statuses() throws {
    let server = try HostileServer { request in
      request.target == "/r"
        ? HostileFile.plain("302 Found", ["Location: /x"]) : HostileFile.plain("404 Not Found")
    }
    #expect(try fetch(server.url("/r")).head?.redirect == "/x")
    #expect(try fetch(server.url("/n")).head?.status == 404)
    #expect(server.requests.count == 2)
  }

  @Test("an interim answer and a chunked body's trailers are left out")
  func interim() throws {
    let server = try HostileServer { _ in
      [
        .send(Array("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".utf8)),
        .send(HostileFile.head("200 OK", ["Transfer-Encoding: chunked", "Trailer: X"])),
        .send(Array("3\r\nabc\r\n0\r\nX: y\r\n\r\n".utf8)),
      ]
    }
    let sink = try fetch(server.url("/"))
    #expect(sink.head?.status == 200 && sink.body == Array("abc".utf8) && sink.failure == nil)
  }

  enum BadHead: CaseIterable {
    case longLine, manyLines, endlessLine, endlessLines, noHTTP, empty
  }

  @Test("heads that are no heads end the transfer", arguments: BadHead.allCases)
  func badHeads(_ kind: BadHead) throws {
    let begin = Array("HTTP/1.1 200 OK\r\n".utf8)
    let server = try HostileServer { _ in
      switch kind {
      case .longLine:
        [
          .send(begin + Array("X: ".utf8) + [UInt8](repeating: 0x61, count: 65_536) + Array("\r\n\r\n".utf8)),
          .close,
        ]
      case .manyLines:
        [
          .send(
            begin
              + (0..<10).flatMap { _ in
                Array("X: ".utf8) + [UInt8](repeating: 0x61, count: 60_000) + [13, 10]
              }), .send([13, 10]), .close,
        ]
      case .endlessLine: [.send(begin), .sendForEver([UInt8](repeating: 0x61, count: 65_536))]
      case .endlessLines: [.send(begin), .sendForEver(Array("X-Line: something\r\n".utf8))]
      case .noHTTP: [.send(Array("220 ftp ready\r\n\r\n".utf8)), .close]
      case .empty: [.close]
      }
    }
    let sink = try fetch(server.url("/"))
    #expect(sink.failure?.kind == (kind == .empty ? .lost : .badAnswer), "\(sink.failure as Any)")
    #expect(sink.byteCount == 0 && sink.head == nil)
    #expect(server.bytesSent < 8 << 20)
  }

  @Test("a head that comes byte by byte is a head")
  func byteByByte() throws {
    let bytes = HostileFile.head("200 OK", ["Content-Length: 3"]) + [1, 2, 3]
    let server = try HostileServer { _ in [.sendSlowly(bytes, piece: 1, pause: 0.001)] }
    let sink = try fetch(server.url("/"))
    #expect(sink.body == [1, 2, 3] && sink.failure == nil)
  }

  @Test("a sink without room stops the server; a pause takes nothing away")
  func pausing() throws {
    let big = [UInt8](repeating: 7, count: 40 << 20)
    let server = try HostileServer { _ in
      [.send(HostileFile.head("200 OK", ["Content-Length: \(big.count)"])), .send(big)]
    }
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    sink.pauses = true
    let id = transport.start(try request(server.url("/")), sink: sink)
    #expect(sink.wait { $0.byteCount > 0 })
    // The kernel's buffers of both ends fill up, then nothing moves.
    var sent = -1
    while sent != server.bytesSent {
      sent = server.bytesSent
      Thread.sleep(forTimeInterval: 0.3)
    }
    #expect(sent < 16 << 20 && sink.byteCount <= 65_536)
    let before = sink.byteCount
    transport.setPaused(false, id)
    #expect(sink.wait { $0.byteCount > before })
    sink.pauses = false
    transport.setPaused(false, id)
    #expect(sink.wait() && sink.byteCount == big.count && sink.failure == nil)
  }

  @Test("after cancel returns no event comes, from other threads and from within an event", arguments: 0..<20)
  func cancelling(_ round: Int) throws {
    let server = try HostileServer { _ in
      [.send(HostileFile.head("200 OK", [])), .sendForEver([UInt8](repeating: 7, count: 16_384))]
    }
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    if round % 2 == 0 {
      sink.onEvent { event, id in if case .body = event { transport.cancel(id) } }
      _ = transport.start(try request(server.url("/")), sink: sink)
      #expect(sink.wait { $0.byteCount > 0 })
    } else {
      let id = transport.start(try request(server.url("/")), sink: sink)
      if round % 4 == 1 { #expect(sink.wait { $0.byteCount > round * 10_000 }) }
      transport.cancel(id)
    }
    let count = sink.events.count
    // The next transfer goes through the same thread, so that an event that was to come would have come.
    let file = HostileFile(content)
    let other = try HostileServer { file.answer($0) }
    let next = RecordingSink()
    _ = transport.start(try request(other.url("/")), sink: next)
    #expect(next.wait() && next.body == content)
    #expect(sink.events.count == count && !sink.isEnded)
  }

  @Test("cancel returns after the event that another thread is delivering")
  func cancelWaitsForTheDeliveryInProgress() throws {
    let server = try HostileServer { _ in [.send(HostileFile.head("200 OK", ["Content-Length: 9"])), .hang] }
    let (hasBegun, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isOver = Mutex(false)
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    sink.onEvent { event, _ in
      guard case .head = event else { return }
      hasBegun.signal()
      // Always in vain: time for a `cancel` that would not wait.
      _ = hasReturned.wait(timeout: .now() + 0.3)
      isOver.withLock { $0 = true }
    }
    let transfer = transport.start(try request(server.url("/")), sink: sink)
    try #require(hasBegun.wait(timeout: .now() + 120) == .success)
    transport.cancel(transfer)
    let wasOver = isOver.withLock { $0 }
    hasReturned.signal()
    #expect(wasOver)
  }

  @Test("a host that refuses and one that is unknown")
  func hosts() throws {
    let refused = try fetch("http://127.0.0.1:\(LoopbackSocket.freePort())/?token=S3CRET")
    #expect(refused.failure == TransferFailure(.refused, "127.0.0.1 refuses the connection"))
    for (isUnknown, kind) in [(true, TransferFailure.Kind.hostNotFound), (false, .hostUnresolved)] {
      var options = CurlOptions()
      options.isUnknown = { host in
        #expect(host == "nobody.invalid")
        return isUnknown
      }
      let unknown = try fetch("http://nobody.invalid/", options: options)
      #expect(unknown.failure == TransferFailure(kind, "nobody.invalid was not found"))
      // In the same words as an address that may not be reached.
      let concealed = try fetch("http://nobody.invalid/", options: options, reach: .publicOnly)
      #expect(concealed.failure == TransferFailure(kind, "nobody.invalid is not reachable"))
    }
    let loopback = try fetch("http://127.0.0.1:\(LoopbackSocket.freePort())/", reach: .publicOnly)
    #expect(loopback.failure == TransferFailure(.notReachable, "127.0.0.1 is not reachable"))
  }

  @Test("no more than 10 requests within a second go to one host, whoever asks")
  func pace() throws {
    let server = try HostileServer { _ in HostileFile.plain("204 No Content") }
    let transport = CurlHTTPTransport()
    let sinks = try (0..<25).map { index in
      let sink = RecordingSink()
      _ = transport.start(try request(server.url("/\(index)")), sink: sink)
      return sink
    }
    for sink in sinks { #expect(sink.wait() && sink.failure == nil) }
    let times = server.requests.map(\.time).sorted()
    #expect(times.count == 25)
    // Seconds since the server began. A request may come any time after it went out.
    for (index, time) in times.enumerated() { #expect(time >= Double(index / 10) - 0.1, "\(index)") }
    #expect(times[24] < 90)
    // One that waits for its turn can be cancelled.
    for _ in 0..<12 {
      let sink = RecordingSink()
      let transfer = transport.start(try request(server.url("/cancelled")), sink: sink)
      transport.cancel(transfer)
    }
    let last = RecordingSink()
    _ = transport.start(try request(server.url("/last")), sink: last)
    #expect(last.wait() && server.requests.count { $0.target == "/cancelled" } <= 10)
  }

  @Test("10,000 transfers may wait, and one more does not")
  func manyTransfers() throws {
    let server = try HostileServer { _ in [.hang] }
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    let url = try request(server.url("/"))
    let transfers = (0..<NetworkLimits.transfers).map { _ in transport.start(url, sink: sink) }
    let last = RecordingSink()
    _ = transport.start(url, sink: last)
    #expect(last.wait() && last.failure == TransferFailure(.noRoom, "there are too many transfers"))
    #expect(!sink.isEnded)
    for transfer in transfers { transport.cancel(transfer) }
    let next = RecordingSink()
    let other = try HostileServer { _ in HostileFile.plain("204 No Content") }
    _ = transport.start(try request(other.url("/").replacing("127.0.0.1", with: "localhost")), sink: next)
    #expect(next.wait() && next.failure == nil)
  }

  @Test(
    "names that stand for private addresses are not reached, also where they stand for public ones too",
    arguments: [
      "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254", "10.0.0.1", "[fe80::1]",
      "[2001:20::1],127.0.0.1", "127.0.0.1,[2001:20::1]",
    ])
  func namesOfPrivateAddresses(address: String) throws {
    let server = try HostileServer { _ in HostileFile.plain("204 No Content") }
    var options = CurlOptions()
    options.names = ["radio.example:\(server.port):\(address)"]
    let sink = try fetch("http://radio.example:\(server.port)/", options: options, reach: .publicOnly)
    #expect(sink.failure?.message == "radio.example is not reachable")
    #expect(server.connections == 0)
    guard address == "127.0.0.1" else { return }
    #expect(try fetch("http://radio.example:\(server.port)/", options: options).head?.status == 204)
    // In numbers, in other ways to write them.
    for host in ["127.1", "2130706433", "0x7f.1", "0", "[::ffff:7f00:1]", "[::127.0.0.1]"] {
      let sink = try fetch("http://\(host):\(server.port)/", reach: .publicOnly)
      #expect(sink.failure?.message == "\(host) is not reachable", "\(host)")
    }
    #expect(server.connections == 1)
  }

  @Test(
    "private addresses are not reached where only public ones may be, by number or by name, also by a kept connection"
  )
  func reach() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let transport = CurlHTTPTransport()
    for host in ["127.0.0.1", "localhost"] {
      for reach in [NetworkReach.publicOnly, .all, .publicOnly] {
        var asked = try request("http://\(host):\(server.port)/a")
        asked.reach = reach
        let sink = RecordingSink()
        _ = transport.start(asked, sink: sink)
        #expect(sink.wait())
        #expect(
          sink.failure == (reach == .all ? nil : TransferFailure(.notReachable, "\(host) is not reachable")))
        #expect((sink.byteCount == 0) == (reach == .publicOnly))
      }
    }
    #expect(server.requests.count == 2)
  }

  @Test("credentials are sent with the first request")
  func credentials() throws {
    let server = try HostileServer { request in
      HostileFile.plain(request.fields["authorization"] == "Basic dTpw" ? "200 OK" : "401 Unauthorized")
    }
    #expect(try fetch("http://u:p@127.0.0.1:\(server.port)/").head?.status == 200)
    #expect(try fetch("http://u:x@127.0.0.1:\(server.port)/").head?.status == 401)
    #expect(server.requests.count == 2)
  }

  @Test(
    "times come with the head of each answer, also of a challenge that is not answered",
    arguments: [false, true])
  func times(isDigest: Bool) throws {
    let server = try HostileServer { request in
      let scheme = isDigest ? "Digest realm=\"r\", nonce=\"n\"" : "Basic realm=\"r\""
      return request.fields["authorization"] == nil
        ? HostileFile.plain("401 Unauthorized", ["WWW-Authenticate: \(scheme)"]) : HostileFile.plain("200 OK")
    }
    var request = try request("http://u:p@127.0.0.1:\(server.port)/")
    request.authentication = .digest
    let transport = CurlHTTPTransport()
    let sink = RecordingSink()
    _ = transport.start(request, sink: sink)
    #expect(sink.wait() && sink.head?.status == (isDigest ? 200 : 401))
    #expect(sink.timings.count == 1 && sink.timings.allSatisfy { $0.answered > 0 })
  }

  @Test("a proxy that refuses, or is unknown, is named as such", arguments: ["http", "socks5h"])
  func proxyThatIsNotThere(scheme: String) throws {
    var options = CurlOptions()
    options.proxy = "\(scheme)://127.0.0.1:\(try LoopbackSocket.freePort())"
    let refused = try fetch("http://radio.test/x", options: options)
    #expect(refused.failure == TransferFailure(.refused, "the proxy for radio.test refuses the connection"))
    // Of SOCKS libcurl says that the host is unknown.
    options.proxy = "http://proxy.invalid:3128"
    let unknown = try fetch("http://radio.test/x", options: options)
    #expect(
      unknown.failure == TransferFailure(.hostUnresolved, "the proxy for radio.test was not found"))
  }

  @Test("a proxy gets the whole URL")
  func proxy() throws {
    let server = try HostileServer { _ in HostileFile.plain("200 OK") }
    var options = CurlOptions()
    options.proxy = "http://127.0.0.1:\(server.port)"
    #expect(try fetch("http://somewhere.invalid/a?b", options: options).head?.status == 200)
    #expect(server.requests.first?.target == "http://somewhere.invalid/a?b")
  }

  @Test("without libcurl every transfer fails, with the name of what is missing; so does one that is too old")
  func missing() throws {
    var options = CurlOptions()
    options.libraryNames = ["libcurl-that-is-not-there.so.4"]
    let sink = try fetch("http://127.0.0.1/", options: options)
    #expect(sink.failure == TransferFailure(.noLibrary, "libcurl is not installed (Debian: libcurl4)"))
    options.libraryNames = ["libm.so.6"]
    #expect(
      try fetch("http://127.0.0.1/", options: options).failure?.message == "libcurl lacks curl_version_info")
    #expect(
      CurlLibrary.refusal(number: 0x07_54_01, text: "7.84.1")
        == TransferFailure(.noLibrary, "libcurl 7.84.1 is too old: 7.85 or later is needed"))
    #expect(CurlLibrary.refusal(number: 0x07_55_00, text: "7.85.0") == nil)
  }

  @Test("a process without descriptors is told so, not that a host refuses or is unknown")
  func descriptors() async {
    await #expect(processExitsWith: .success) { try CurlTransportTests().useUpDescriptors() }
  }

  /// For a process of its own.
  private func useUpDescriptors() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    let other = try HostileServer { file.answer($0) }
    let transport = CurlHTTPTransport()
    func fetch(_ url: String) throws -> RecordingSink {
      let sink = RecordingSink()
      _ = transport.start(try request(url), sink: sink)
      precondition(sink.wait())
      return sink
    }
    let first = try fetch(server.url("/a"))
    precondition(first.failure == nil)
    var held: [Int32] = []
    while (held.last ?? 0) < 16 { held.append(dup(STDERR_FILENO)) }
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    var none = rlimit(rlim_cur: 16, rlim_max: limits.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    let sinks = Result { try [other.url("/a"), "http://name.test/"].map(fetch) }
    let withoutLibrary = CurlHTTPTransport()
    let sink = RecordingSink()
    _ = withoutLibrary.start(try request(other.url("/a")), sink: sink)
    precondition(sink.wait())
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    for descriptor in held { close(descriptor) }
    for sink in try sinks.get() + [sink] {
      precondition(sink.failure?.kind == .noRoom)
      let message = sink.failure?.message ?? ""
      precondition(message.contains("file descriptors"), "\(message)")
    }
    // Another one is made when there are some again.
    let last = try fetch(other.url("/a"))
    precondition(last.failure == nil)
  }

  @Test("the thread and the connections end after the idle time, and the next transfer begins them anew")
  func idle() throws {
    let file = HostileFile(content)
    let server = try HostileServer { file.answer($0) }
    var options = CurlOptions()
    options.idleTime = 1
    let transport = CurlHTTPTransport(options: options)
    #expect(!transport.hasThread)
    for round in 1...2 {
      let sink = RecordingSink()
      _ = transport.start(try request(server.url("/a")), sink: sink)
      #expect(transport.hasThread && sink.wait() && sink.body == content)
      let end = Date(timeIntervalSinceNow: 120)
      while transport.hasThread, Date() < end { Thread.sleep(forTimeInterval: 0.01) }
      #expect(!transport.hasThread && server.connections == round)
    }
  }

  @Test("1,000 mutated answers end, each of them")
  func mutations() throws {
    let server = try HostileServer { request in
      var random = RandomSource(seed: UInt64(request.target.dropFirst()) ?? 0)
      var bytes = random.pick([
        HostileFile.head("206 Partial Content", ["Content-Range: bytes 0-9/10", "Content-Length: 10"]) + [
          1, 2, 3,
        ],
        HostileFile.head("200 OK", ["Transfer-Encoding: chunked"]) + Array("3\r\nabc\r\n0\r\n\r\n".utf8),
        HostileFile.head("200 OK", ["Content-Encoding: gzip", "Content-Length: 12"]) + [
          0x1F, 0x8B, 8, 0, 0, 0,
        ],
        Array("ICY 200 OK\r\nicy-metaint:8\r\n\r\nabcdefgh".utf8),
      ])
      for _ in 0..<(1 + random.below(6)) {
        let at = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes.remove(at: at)
        default: bytes.insert(random.pick(Array("\r\n 0:9-".utf8)), at: at)
        }
      }
      return [.send(bytes), .close]
    }
    var options = CurlOptions()
    options.requestsPerSecond = 100_000
    let transport = CurlHTTPTransport(options: options)
    for number in 0..<1_000 {
      let sink = RecordingSink()
      _ = transport.start(try request(server.url("/\(number)")), sink: sink)
      #expect(sink.wait(), "\(number)")
    }
  }

  @Test("at most 6 connections to a host; the others wait")
  func connectionLimit() throws {
    let held = Mutex(0)
    let server = try HostileServer { _ in
      held.withLock { $0 += 1 }
      return [.wait(0.5)] + HostileFile.plain("200 OK")
    }
    let transport = CurlHTTPTransport()
    let sinks = (0..<9).map { _ in RecordingSink() }
    for sink in sinks { _ = transport.start(try request(server.url("/")), sink: sink) }
    #expect(sinks[0].wait { !$0.events.isEmpty })
    for sink in sinks { #expect(sink.wait() && sink.failure == nil) }
    #expect(server.connections == 6 && held.withLock { $0 } == 9)
  }

  @Test(
    "a request without a connection says that it waits, and is sent when a connection ends or is cancelled")
  func queued() throws {
    let server = try HostileServer { request in
      request.target == "/short"
        ? HostileFile.plain("200 OK") : [.send(HostileFile.head("200 OK", ["Content-Length: 9"])), .hang]
    }
    var options = CurlOptions()
    options.requestsPerSecond = 1_000
    options.connectionsPerHost = 2
    let transport = CurlHTTPTransport(options: options)
    let sinks = (0..<5).map { _ in RecordingSink() }
    let ids = try sinks.enumerated().map { index, sink in
      let id = transport.start(try request(server.url(index < 2 ? "/long" : "/short")), sink: sink)
      #expect(sink.wait { $0.events.last == .queued(true) || $0.head != nil })
      return id
    }
    #expect(sinks[..<2].allSatisfy { $0.events.first != .queued(true) })
    #expect(sinks[2...].allSatisfy { $0.events == [.queued(true)] } && server.requests.count == 2)
    transport.cancel(ids[3])
    transport.cancel(ids[0])
    for index in [2, 4] {
      #expect(sinks[index].wait() && sinks[index].events[1] == .queued(false) && sinks[index].failure == nil)
    }
    #expect(sinks[3].events == [.queued(true)] && server.requests.count == 4 && server.connections <= 3)
    transport.cancel(ids[1])
  }

  @Test("at most 32 connections to all hosts; the others wait")
  func allConnections() throws {
    let doors = NSCondition()
    let state = Mutex((asked: 0, isOpen: false))
    let server = try HostileServer { _ in
      doors.lock()
      defer { doors.unlock() }
      state.withLock { $0.asked += 1 }
      doors.broadcast()
      while !state.withLock({ $0.isOpen }) { doors.wait() }
      return HostileFile.plain("200 OK")
    }
    let hosts = (0..<7).map { "h\($0).test" }
    var options = CurlOptions()
    options.names = hosts.map { "\($0):\(server.port):127.0.0.1" }
    let transport = CurlHTTPTransport(options: options)
    let sinks = hosts.flatMap { host in (0..<5).map { _ in (host, RecordingSink()) } }
    for (host, sink) in sinks {
      _ = transport.start(try request("http://\(host):\(server.port)/"), sink: sink)
    }
    doors.lock()
    let end = Date(timeIntervalSinceNow: 120)
    while state.withLock({ $0.asked < 32 }), doors.wait(until: end) {}
    // One more would have come by now.
    _ = doors.wait(until: Date(timeIntervalSinceNow: 0.3))
    #expect(state.withLock { $0.asked } == 32)
    state.withLock { $0.isOpen = true }
    doors.broadcast()
    doors.unlock()
    for (_, sink) in sinks { #expect(sink.wait() && sink.failure == nil) }
    #expect(state.withLock { $0.asked } == 35)
  }
}

/// Calls a body when it ends.
private final class EndingSink: TransferSink {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand { .more }
}
