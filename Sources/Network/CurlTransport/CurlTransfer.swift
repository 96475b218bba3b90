import CCurl
import Glibc
import SystemSupport
import Transfer

/// A transfer that libcurl carries out. For use on the network thread only.
final class CurlTransfer {
  let id: TransferID
  let request: TransferRequest
  private unowned let transport: CurlHTTPTransport
  private(set) var easy: CurlLibrary.Handle?
  private let options: CurlOptions
  private let library: CurlLibrary
  private var fields: CurlLibrary.List?
  private var aliases: CurlLibrary.List?
  private var names: CurlLibrary.List?
  private let errorText: UnsafeMutablePointer<CChar>
  private var reader = HeadReader()
  /// The reader of the request body.
  private var reading: BodyReader?
  private var hasHead = false
  /// The first challenge, which libcurl may answer with a digest.
  private var challenge: ResponseHead?
  private var wasCancelled = false
  private var isConnected = false
  /// The port of the last address tried. A port other than the URL's is a proxy's.
  private var triedPort: Int?
  private var ends = CurlConnection()
  private var isProxied: Bool { (ends.remote?.port ?? triedPort).map { $0 != request.url.port } ?? false }
  /// Whether the transfer is repeated on a fresh connection.
  private var isFresh = false
  /// Whether the certificate of a reused connection is unknown or not accepted.
  private var isUncertain = false
  /// The check of the server's certificate; nil without TLS, or if the request has none.
  private var check: ServerCheck? { request.url.scheme == .https ? request.check : nil }
  private var limits: ResponseLimits
  /// The failure that a callback has found. libcurl itself reports only that a callback failed.
  private var found: TransferFailure?

  /// The size in bytes of libcurl's error buffer (CURL_ERROR_SIZE).
  private static let errorSize = 256
  /// The callback result that pauses a body (CURL_WRITEFUNC_PAUSE, CURL_READFUNC_PAUSE).
  private static let pause = 0x1000_0001
  /// The callback result that aborts the transfer (CURL_READFUNC_ABORT).
  private static let abort = 0x1000_0000

  init(
    _ id: TransferID, _ request: TransferRequest, _ options: CurlOptions, _ library: CurlLibrary,
    of transport: CurlHTTPTransport
  ) {
    self.id = id
    self.request = request
    self.options = options
    self.library = library
    self.transport = transport
    limits = ResponseLimits(request.url.host)
    errorText = .allocate(capacity: Self.errorSize)
    errorText.initialize(repeating: 0, count: Self.errorSize)
  }

  deinit {
    if let easy { library.easyCleanup(easy) }
    if let fields { library.listFree(fields) }
    if let aliases { library.listFree(aliases) }
    if let names { library.listFree(names) }
    errorText.deallocate()
  }

  /// Creates and returns libcurl's handle; nil if out of memory.
  func prepare() -> CurlLibrary.Handle? {
    guard let easy = library.easyInit() else { return nil }
    self.easy = easy
    let context = Unmanaged.passUnretained(self).toOpaque()
    library.set(.errorBuffer, errorText, of: easy)
    library.set(.privateData, context, of: easy)
    library.set(.noSignal, 1, of: easy)
    library.set(.protocols, "http,https", of: easy)
    // The caller handles redirects.
    library.set(.followLocation, 0, of: easy)
    library.set(.url, request.url.text, of: easy)
    // 2: CURL_HTTP_VERSION_1_1, because a paused HTTP/2 stream would be buffered in memory.
    library.set(.httpVersion, 2, of: easy)
    // libcurl sends this value unchanged, and also decodes a body whose encoding was not requested.
    library.set(.acceptEncoding, request.fields["Accept-Encoding"] ?? "identity", of: easy)
    for field in request.fields.all where !HTTPFields.isSame(field.name, "Accept-Encoding") {
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      guard !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) else { continue }
      fields = library.listAppend(fields, line) ?? fields
    }
    if let body = request.body {
      reading = BodyReader(
        body, read: options.readFile,
        onReady: { [weak transport, id] in
          transport?.goOn(id)
        })
      library.set(.upload, 1, of: easy)
      library.set(.bodySize, Int(body.count), of: easy)
      library.set(.readData, context, of: easy)
      library.set(.seekData, context, of: easy)
      if request.fields["Content-Type"] == nil {
        fields = library.listAppend(fields, "Content-Type: application/octet-stream") ?? fields
      }
      // An empty field disables `Expect: 100-continue`, because waiting for a server that ignores it costs a
      // second.
      fields = library.listAppend(fields, "Expect:") ?? fields
    } else if request.method == "HEAD" {
      library.set(.noBody, 1, of: easy)
    }
    if let method = request.method, method != "GET" || request.body != nil {
      library.set(.customRequest, method, of: easy)
    }
    library.set(.httpHeader, fields, of: easy)
    aliases = library.listAppend(nil, "ICY 200 OK")
    library.set(.http200Aliases, aliases, of: easy)
    library.set(.connectTimeoutMilliseconds, Int(NetworkLimits.connectTimeout * 1000), of: easy)
    library.set(.tcpKeepAlive, 1, of: easy)
    // The end of a transfer does not wait for its name lookup, which would delay all other transfers: the resolver
    // of glibc takes 20 s for two silent name servers. Since libcurl 7.87; older versions ignore it.
    library.set(.quickExit, 1, of: easy)
    library.set(.suppressConnectHeaders, 1, of: easy)
    // 1: CURLAUTH_BASIC. With a single method libcurl authenticates the first request, so that only one head
    // arrives. 2: CURLAUTH_DIGEST, with which the head of a challenge may arrive first.
    library.set(.httpAuth, request.authentication == .basic ? 1 : 2, of: easy)
    if let credentials = request.credentials {
      library.set(.userName, credentials.user, of: easy)
      library.set(.password, credentials.password, of: easy)
    } else if options.usesNetrc, request.reach == .all {
      // 1: CURL_NETRC_OPTIONAL
      library.set(.netrc, 1, of: easy)
    }
    for name in options.names { names = library.listAppend(names, name) ?? names }
    if let names { library.set(.resolve, names, of: easy) }
    if let proxy = options.proxy { library.set(.proxy, proxy, of: easy) }
    // The system's certificate folder stays in use as well.
    if let file = options.certificateFile { library.set(.caInfo, file, of: easy) }
    if let check {
      library.set(.certificateInfo, 1, of: easy)
      // Without an accepted certificate, the transfer would refuse and close any connection that it reused.
      if check.accepted.isEmpty { library.set(.freshConnect, 1, of: easy) }
      if !check.isVerified {
        library.set(.verifyPeer, 0, of: easy)
        library.set(.verifyHost, 0, of: easy)
      }
    }
    for option: CurlLibrary.Pointer in [
      .writeData, .headerData, .openSocketData, .connectedData, .debugData, .progressData,
    ] {
      library.set(option, context, of: easy)
    }
    // libcurl passes the framing bytes of a body only to the debug callback. The progress callback, the only
    // other one that is called for these bytes, aborts the transfer.
    library.set(.verbose, 1, of: easy)
    library.set(.noProgress, 0, of: easy)
    library.setFunctions(
      of: easy,
      body: { bytes, size, count, context in
        CurlTransfer.of(context)?.takeBody(bytes, size &* count) ?? 0
      },
      head: { bytes, size, count, context in
        CurlTransfer.of(context)?.takeLine(bytes, size &* count) ?? 0
      },
      read: { bytes, size, count, context in
        CurlTransfer.of(context)?.readBody(bytes, size &* count) ?? CurlTransfer.abort
      },
      seek: { context, offset, _ in CurlTransfer.of(context)?.seekBody(to: Int64(offset)) ?? 1 },
      openSocket: { context, _, address in CurlTransfer.of(context)?.openSocket(address) ?? -1 },
      connected: { context, remote, local, remotePort, localPort in
        let connection = CurlConnection(from: local, localPort, to: remote, remotePort)
        return CurlTransfer.of(context)?.connected(connection) ?? 1
      },
      debug: { _, kind, _, count, context in
        CurlTransfer.of(context)?.received(kind, count)
        return 0
      },
      progress: { context, _, _, _, _ in CurlTransfer.of(context)?.isWanted() == true ? 0 : 1 })
    return easy
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Resumes the body of the response after a pause, and the sending of a request body that waited for bytes.
  func goOn() {
    // 0: CURLPAUSE_CONT. libcurl may call back during this call.
    if let easy { _ = library.easyPause(easy, 0) }
  }

  /// Returns whether to repeat the transfer on a fresh connection, because the reused one contained stray
  /// bytes of an earlier response, or the server's certificate may not be accepted. Prepares the repetition.
  func wantsFreshConnection(after result: Int32) -> Bool {
    // 1: CURLE_UNSUPPORTED_PROTOCOL (HTTP/0.9), 8: CURLE_WEIRD_SERVER_REPLY. `badAnswer` is the head reader's
    // error for stray bytes.
    guard let easy, !hasHead, !wasCancelled, !isFresh,
      result == 1 || result == 8 || found?.kind == .badAnswer || isUncertain,
      library.number(.connectionCount, of: easy) == 0
    else { return false }
    isFresh = true
    found = nil
    challenge = nil
    limits.startAgain()
    reading?.position = 0
    reader = HeadReader()
    library.set(.freshConnect, 1, of: easy)
    return true
  }

  func end(_ result: Int32) {
    handChallenge()
    guard !wasCancelled else { return }
    if result == 0, hasHead {
      _ = transport.deliver(.end, of: id)
    } else {
      _ = transport.deliver(.failure(found ?? failure(result)), of: id)
    }
  }

  private func failure(_ result: Int32) -> TransferFailure {
    // 6: CURLE_COULDNT_RESOLVE_HOST, 7: CURLE_COULDNT_CONNECT, 27: CURLE_OUT_OF_MEMORY. libcurl's resolver
    // may lack file descriptors too.
    if !hasHead, [6, 7, 27].contains(result), let shortage = TransferFailure.shortage() { return shortage }
    // libcurl itself reports a lost connection for a refused tunnel.
    if !hasHead, let status = easy.map({ library.number(.tunnelStatus, of: $0) }), status >= 300 {
      return TransferFailure(.status(status), "the proxy answered \(status)")
    }
    return TransferFailure(
      curl: result == 0 ? 52 : result, host: request.url.host, isProxied: isProxied,
      systemError: easy.map { Int32(truncatingIfNeeded: library.number(.systemError, of: $0)) } ?? 0,
      detail: String(cString: errorText), hasHead: hasHead
    ).concealed(from: request.reach, host: request.url.host)
  }

  private func hand(_ event: TransferEvent) -> Bool {
    if !wasCancelled, !transport.deliver(event, of: id) { wasCancelled = true }
    return !wasCancelled
  }

  // MARK: Callbacks of libcurl

  /// Counts the bytes that libcurl has read, before it removes chunk framing and decodes the body.
  private func received(_ kind: Int32, _ count: Int) {
    // 1: CURLINFO_HEADER_IN, 3: CURLINFO_DATA_IN
    if kind == 1 || kind == 3 { found = found ?? limits.receive(count) }
  }

  private func isWanted() -> Bool {
    if !isConnected { found = found ?? limits.wait() }
    return found?.kind != .badAnswer && !transport.isCancelled(id)
  }

  private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    limits.takeBody(count)
    handChallenge()
    guard let bytes, hasHead, !wasCancelled, found?.kind != .badAnswer else { return 0 }
    if transport.isPaused(id) { return Self.pause }
    let piece = UnsafeRawBufferPointer(start: bytes, count: count)
    return hand(.body(Array(piece))) ? count : 0
  }

  /// Returns whether the response is the first 401 of a transfer with digest authentication. libcurl may
  /// answer it with a digest; otherwise `handChallenge` delivers its head.
  private func isChallenge(_ head: ResponseHead) -> Bool {
    request.authentication == .digest && request.credentials != nil && challenge == nil && head.status == 401
  }

  /// Delivers the head of a challenge that libcurl has not answered. Called at the body or at the end of the
  /// transfer.
  private func handChallenge() {
    guard !hasHead, let challenge else { return }
    _ = handHead(challenge)
  }

  /// Delivers the head of the response, after its times.
  private func handHead(_ head: ResponseHead) -> Bool {
    hasHead = true
    if let timing { transport.tellTiming(timing, of: id) }
    return hand(.head(head))
  }

  private func readBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes, !wasCancelled, let reading else { return Self.abort }
    switch reading.read(UnsafeMutableRawBufferPointer(start: bytes, count: count)) {
    case .bytes(let count):
      if count > 0 { transport.tellSent(reading.position, of: id) }
      return count
    case .notYet: return Self.pause
    case .failed:
      found = TransferFailure(.badBody, "what was to be sent cannot be read")
      return Self.abort
    }
  }

  private func seekBody(to offset: Int64) -> Int32 {
    // 0: CURL_SEEKFUNC_OK, 1: CURL_SEEKFUNC_FAIL
    guard let reading else { return 1 }
    reading.position = offset
    return 0
  }

  private func takeLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes else { return count }
    guard !hasHead else {
      // A line after the head is a trailer of a chunked body.
      found = found ?? limits.takeTrailer(count)
      return found == nil ? count : 0
    }
    do throws(TransferFailure) {
      guard let head = try reader.add(Array(UnsafeRawBufferPointer(start: bytes, count: count))) else {
        return count
      }
      if isChallenge(head) {
        challenge = head
        return count
      }
      return handHead(head) ? count : 0
    } catch {
      found = error
      return 0
    }
  }

  /// The times of the transfer. Valid once the head of the response has arrived.
  private var timing: TransferTiming? {
    guard let easy else { return nil }
    let secured = library.seconds(.appConnect, of: easy)
    var timing = TransferTiming(
      resolved: library.seconds(.nameLookup, of: easy), connected: library.seconds(.connect, of: easy),
      secured: secured > 0 ? secured : nil, requested: library.seconds(.preTransfer, of: easy),
      answered: library.seconds(.startTransfer, of: easy))
    timing.isReused = library.number(.connectionCount, of: easy) == 0
    timing.isProxied = isProxied
    (timing.local, timing.remote) = (ends.local, ends.remote)
    return timing
  }

  private func openSocket(_ address: UnsafeMutablePointer<continuo_curl_address>?) -> Int32 {
    guard let address else { return -1 }
    if !mayReach(PeerAddress(socketAddress: address)) {
      found = TransferFailure(.notReachable, "\(request.url.host) is not reachable")
      return -1
    }
    // Discard the failure of an earlier address, because this one may be reachable.
    found = nil
    // The port is at the same offset in IPv4 and IPv6 socket addresses.
    triedPort = Int(address.pointee.bytes.2) << 8 | Int(address.pointee.bytes.3)
    let descriptor = socket(
      address.pointee.family, address.pointee.type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    guard descriptor >= 0 else {
      found = TransferFailure.shortage(errno)
      return -1
    }
    if options.hasSystemSockets { SystemSockets.register(descriptor) }
    return descriptor
  }

  private func mayReach(_ address: PeerAddress?) -> Bool {
    guard request.reach == .publicOnly else { return true }
    // This machine's addresses are read for each connection, because they may have changed.
    guard let address, let own = options.ownAddresses() else { return false }
    return address.isPublic(besides: own)
  }

  private func connected(_ connection: CurlConnection) -> Int32 {
    ends = connection
    let address = ends.remote.flatMap { PeerAddress(text: $0.address) }
    // A reused connection may come from another request with a wider reach.
    if !mayReach(address) {
      found = TransferFailure(.notReachable, "\(request.url.host) is not reachable")
      return 1
    }
    guard mayAsk() else { return 1 }
    guard !isConnected else { return 0 }
    isConnected = true
    return hand(.connected(address)) ? 0 : 1
  }

  /// Returns whether the request may be sent. On a new connection, reports the server's certificates if the
  /// application has not accepted them.
  private func mayAsk() -> Bool {
    guard request.url.scheme == .https, let easy else { return true }
    if library.number(.connectionCount, of: easy) == 0 {
      let known = transport.certificate(of: ends).map { check?.accepted.contains($0) == true } ?? false
      isUncertain = check != nil && !known
      return !isUncertain
    }
    isUncertain = false
    let certificates = check == nil ? [] : library.certificates(of: easy)
    transport.record(certificates.first, of: ends)
    guard let check else { return true }
    guard let own = certificates.first else {
      found = TransferFailure(.certificate, "libcurl does not report the certificate of \(request.url.host)")
      return false
    }
    if check.accepted.contains(own) { return true }
    transport.tellCertificates(certificates, of: id)
    found = TransferFailure(.unaccepted, "the certificate of \(request.url.host) is not accepted")
    return false
  }
}
