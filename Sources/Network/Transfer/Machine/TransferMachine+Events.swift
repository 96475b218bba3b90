import Clocks

extension TransferMachine {
  mutating func take(_ event: TransferEvent, at now: HostTime, store: some StoredBytes) {
    switch event {
    case .queued(let isQueued):
      connection?.isQueued = isQueued
      connection?.since = now
    case .connected(let address):
      connection?.address = address
      if connection?.phase == .connecting {
        connection?.phase = .asking
        connection?.since = now
      }
    case .head(let head): takeHead(head, at: now)
    case .body(let bytes): takeBody(bytes[...], at: now, store: store)
    case .end: takeEnd(at: now)
    case .failure(let failure):
      guard let lost = connection else { return }
      connection = nil
      if !isEnd(of: lost) { lose(lost, failure, asked: nil, at: now) }
    }
  }

  /// Accepts the edge as the end of a medium that states its own length, and returns whether it did. `lost` is the
  /// connection that has ended or was lost. Acceptable are the stated length, edges from `restStart` on, and an edge
  /// after the stated length if the body of `lost` brought nothing new. After the stated length, the next of several
  /// joined files may follow.
  private mutating func isEnd(of lost: TransferConnection) -> Bool {
    let edge = edge
    guard !isLive, hasSucceeded, let expectedTotal else { return false }
    let isRest = restStart.map { edge >= $0 } ?? false
    let isAfter = edge > expectedTotal && lost.phase == .body && lost.news == 0
    guard edge == expectedTotal || isRest || isAfter else { return false }
    total = edge
    return true
  }

  private mutating func takeEnd(at now: HostTime) {
    guard let ended = connection else { return }
    connection = nil
    guard ended.phase == .body else {
      return lose(ended, TransferFailure(.lost, "\(url.host) gave no answer"), asked: nil, at: now)
    }
    if let total, ended.position >= total { return }
    if total == nil, !isLive, !ended.isPart, ended.position >= stored.end(from: ended.wanted) {
      total = ended.position
      return
    }
    if isEnd(of: ended) { return }
    if let first = ended.first, let announced = ended.announced, ended.position - first == announced,
      ended.news == 0, edge == ended.position
    {
      // The server has sent its whole `Content-Length` again without a new byte, although it announces a
      // larger total.
      total = edge
      return
    }
    lose(ended, TransferFailure(.lost, "\(url.host) closed the connection"), asked: nil, at: now)
  }

  private mutating func takeHead(_ head: ResponseHead, at now: HostTime) {
    guard let asked = connection, asked.phase != .body else { return }
    commands.append(
      note(.response(head, url: asked.request.url, address: asked.address, attempt: asked.attempt)))
    if let location = head.redirect { return redirect(asked, by: head, to: location, at: now) }
    connection?.phase = .body
    connection?.since = now
    if head.status == 200 {
      do throws(TransferFailure) {
        if let station = try ICYStation(head) { return join(station) }
      } catch {
        return fail(error)
      }
    }
    if isLive, head.status == 200 { return join(nil) }
    switch head.status {
    case 200, 203: takeWhole(head, at: now)
    case 206: takePart(head, of: asked, at: now)
    case 416: takeUnsatisfiable(head, of: asked, at: now)
    default:
      dropConnection()
      // Only proxies answer 407.
      let who = head.status == 407 ? "the proxy" : asked.request.url.host
      lose(
        asked, TransferFailure(.status(head.status), "\(who) answered \(head.status)"),
        asked: head.retryAfter, at: now)
    }
  }

  private mutating func redirect(
    _ asked: TransferConnection, by head: ResponseHead, to location: String, at now: HostTime
  ) {
    dropConnection()
    var rule = asked.redirects
    let next: (url: WebURL, credentials: Credentials?)
    do throws(TransferFailure) {
      next = try rule.follow(location, from: asked.request.url, at: asked.address)
    } catch {
      return lose(asked, error, asked: nil, at: now)
    }
    lastAttempt += 1
    var request = settings.request(
      for: next.url, first: url, from: asked.first,
      if: asked.wanted > 0 && !distrustsValidators ? validator : nil,
      wantsMetadata: asked.request.fields["Icy-MetaData"] != nil)
    if let credentials = next.credentials { request.credentials = credentials }
    request.reach = rule.reach(settings.reach)
    request.isContinuation = true
    var cookies = asked.cookies
    if settings.sendsCookies {
      cookies.take(head, from: asked.request.url)
      cookies.apply(to: &request)
    }
    var following = TransferConnection(
      attempt: lastAttempt, request: request, first: asked.first, wanted: asked.wanted, since: now)
    following.redirects = rule
    following.cookies = cookies
    connection = following
    commands.append(.start(request, attempt: lastAttempt))
  }

  private mutating func takeWhole(_ head: ResponseHead, at now: HostTime) {
    let length = head.contentLength
    if let total, let length, length != total, !stored.ranges.isEmpty {
      // A server that announced too small a length announces it again.
      guard let restStart, length == restStart || length <= edge else { return change() }
      self.total = max(edge, length)
      if length <= edge { return dropConnection() }
    }
    if isShorter(length) { return change() }
    succeed(head)
    if head.isEncoded || head.refusesRanges {
      ranges = .broken
    } else if connection?.first != nil, ranges != .broken {
      ranges = .ignored
    }
    total = total ?? length
    connection?.position = 0
    connection?.end = length ?? total
  }

  private mutating func takePart(_ head: ResponseHead, of asked: TransferConnection, at now: HostTime) {
    let part = head.contentRange
    let isWhole = asked.first == 0 && part?.bytes?.lowerBound == 0
    guard let part, let bytes = part.bytes, let first = asked.first, bytes.lowerBound == first,
      !head.isMultipart, !head.isEncoded || isWhole
    else {
      guard asked.first != nil else {
        return fail(TransferFailure(.badAnswer, "\(url.host) answers with a part of what was asked for"))
      }
      ranges = .broken
      return askAgain(at: now)
    }
    if let total, let other = part.total, other != total, !stored.ranges.isEmpty, restStart == nil {
      return change()
    }
    if isShorter(part.total) { return change() }
    succeed(head)
    connection?.position = first
    if head.isEncoded {
      ranges = .broken
      return
    }
    ranges = .working
    connection?.isPart = true
    connection?.end = bytes.upperBound
    connection?.announced = head.contentLength
    if let whole = part.total { total = whole }
  }

  /// Returns whether the first announced length is less than the end of the stored bytes, which then belong to
  /// another version.
  private func isShorter(_ length: Int64?) -> Bool {
    guard total == nil, let length, let end = stored.ranges.last?.upperBound else { return false }
    return length < end
  }

  /// Handles 416: the server has no bytes in the requested range.
  private mutating func takeUnsatisfiable(
    _ head: ResponseHead, of asked: TransferConnection, at now: HostTime
  ) {
    dropConnection()
    let whole = head.contentRange?.total
    if let whole, whole == asked.wanted, head.contentRange?.bytes == nil {
      hasSucceeded = true
      total = whole
    } else if let whole, whole < asked.wanted {
      if restStart != nil { total = asked.wanted } else { change() }
    } else if asked.first != nil {
      ranges = .broken
      askAgain(at: now)
    } else {
      lose(asked, TransferFailure(.status(416), "\(url.host) answered 416"), asked: nil, at: now)
    }
  }

  private mutating func succeed(_ head: ResponseHead) {
    hasSucceeded = true
    refusals = 0
    // A response that continues the same bytes may have another tag; the last tag counts.
    validator = head.isEncoded ? nil : head.validator
  }

  private mutating func join(_ station: ICYStation?) {
    let isFirst = !isLive
    // A file that has become a live stream is another medium.
    if isFirst, !stored.ranges.isEmpty { return change() }
    isLive = true
    hasSucceeded = true
    refusals = 0
    total = nil
    ranges = .broken
    commands.append(note(isFirst ? .live(station) : .rejoined(at: liveEnd)))
    brokenBlocks = 0
    connection?.position = liveEnd
    connection?.end = nil
    connection?.demuxer = station?.interval.map { ICYDemuxer(interval: $0) }
  }

  private mutating func takeBody(_ bytes: ArraySlice<UInt8>, at now: HostTime, store: some StoredBytes) {
    guard connection?.phase == .body, !bytes.isEmpty else { return }
    connection?.since = now
    connection?.wasPaused = false
    connection?.brought += Int64(bytes.count)
    if isLive { takeLive(bytes, at: now) } else { takeFile(bytes, at: now, store: store) }
  }

  private mutating func takeFile(_ bytes: ArraySlice<UInt8>, at now: HostTime, store: some StoredBytes) {
    guard let present = connection else { return }
    var rest = bytes
    var position = present.position
    // Bytes after the announced end are discarded.
    if let end = present.end ?? total {
      rest = rest.prefix(Int(clamping: max(0, end - position)))
      guard !rest.isEmpty else { return askAgain(at: now) }
    }
    let intervals = stored
    while !rest.isEmpty {
      let known = intervals.end(from: position)
      if known > position {
        let piece = rest.prefix(Int(clamping: known - position))
        guard store.holds(piece, at: position) else { return change() }
        position += Int64(piece.count)
        rest = rest[piece.endIndex...]
        if let joint = connection?.joint, position >= joint.end { close(joint, at: now) }
        if position == known, !present.isPart, present.request.fields["If-Range"] != nil {
          emptyValidators += 1
        }
        if position > comparedTo {
          comparedTo = position
          if dryProgress != nil { dryProgress = now }
        }
        continue
      }
      let gap = intervals.start(after: position).map { $0 - position } ?? .max
      let piece = rest.prefix(Int(clamping: gap))
      // The bytes to compare are no longer stored. This connection has brought both sides of the gap, so they
      // match.
      if let joint = connection?.joint { close(joint, at: now) }
      if Int64(piece.count) == gap {
        put(piece.dropLast(), at: position, now)
        let next = position + gap
        let end = min(intervals.end(from: next), next + overlap.length)
        connection?.joint = (piece.suffix(1), next - 1, end)
      } else {
        put(piece, at: position, now)
      }
      position += Int64(piece.count)
      rest = rest[piece.endIndex...]
    }
    connection?.position = position
  }

  /// Stores the last byte of a gap.
  private mutating func close(_ joint: (byte: ArraySlice<UInt8>, offset: Int64, end: Int64), at now: HostTime)
  {
    connection?.joint = nil
    put(joint.byte, at: joint.offset, now)
  }

  private mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int64, _ now: HostTime) {
    guard !bytes.isEmpty else { return }
    commands.append(.store(bytes, at: offset))
    stored.insert(offset..<offset + Int64(bytes.count))
    connection?.news += Int64(bytes.count)
    overlap.hasStored = true
    comparedTo = 0
    lastFailure = nil
    if dryProgress != nil { dryProgress = now }
  }

  private mutating func takeLive(_ bytes: ArraySlice<UInt8>, at now: HostTime) {
    guard var demuxer = connection?.demuxer else { return store(live: bytes) }
    var rest = bytes
    while let part = demuxer.next(&rest) {
      switch part {
      case .audio(let audio): store(live: audio)
      case .broken:
        brokenBlocks += 1
        if brokenBlocks >= NetworkLimits.brokenBlocks { return dropMetadata(at: now) }
      case .metadata(let metadata):
        brokenBlocks = 0
        guard metadata != lastMetadata else { continue }
        lastMetadata = metadata
        commands.append(note(.metadata(metadata, at: liveEnd)))
      }
    }
    connection?.demuxer = demuxer
  }

  private mutating func store(live bytes: ArraySlice<UInt8>) {
    commands.append(.store(bytes, at: liveEnd))
    stored.insert(liveEnd..<liveEnd + Int64(bytes.count))
    liveEnd += Int64(bytes.count)
    connection?.position = liveEnd
    connection?.news += Int64(bytes.count)
  }
}
