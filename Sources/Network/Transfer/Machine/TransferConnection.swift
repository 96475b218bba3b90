import Clocks

struct TransferConnection: Sendable {
  enum Phase {
    case connecting
    case asking
    case body
  }

  var attempt: Int
  var request: TransferRequest
  /// The offset of the first requested byte; nil for the whole body, without `Range`.
  let first: Int64?
  /// The offset of the first byte that was missing at the start of the transfer.
  let wanted: Int64
  var phase = Phase.connecting
  /// Whether the request waits in the transport, so that no timeout runs.
  var isQueued = false
  /// The start of the current timeout.
  var since: HostTime
  /// Whether the timeout restarts because the transfer was paused or resumed.
  var needsFreshLimit = false
  var isPaused = false
  /// Whether the transfer was paused since the last byte arrived.
  var wasPaused = false
  var redirects = RedirectRule()
  var cookies = ChainCookies()
  var address: PeerAddress?

  /// The offset in the medium of the next body byte.
  var position: Int64 = 0
  /// The offset in the medium at which the body ends; nil if unknown.
  var end: Int64?
  /// The announced `Content-Length` of a range, less than the length up to `end` if the server contradicts
  /// itself.
  var announced: Int64?
  /// Whether the response is a range (206) of the medium that is not encoded.
  var isPart = false
  /// The number of bytes received, and the number of those that were not stored before.
  var brought: Int64 = 0
  var news: Int64 = 0
  /// The last byte of a gap in the stored ranges, its offset, and the end of the stored bytes to compare
  /// after it. The byte is stored only after that comparison: the bytes after the gap may belong to another
  /// version, and the reader does not reach them while the byte is missing.
  var joint: (byte: ArraySlice<UInt8>, offset: Int64, end: Int64)?
  var demuxer: ICYDemuxer?

  /// Whether all announced bytes have arrived.
  var isAtEnd: Bool { phase == .body && end.map { position >= $0 } ?? false }
}

/// Determines the number of stored bytes that each request repeats, to check that the connection continues the stored
/// version. Usually the number is `NetworkLimits.overlap`, or `overlapAfterRestart` until this machine has stored a
/// byte. If the last lost connections brought few bytes, the number is a quarter of the most that any of them
/// brought, at least `leastOverlap`. Connections then usually bring new bytes too. A single tiny connection does not
/// shorten the overlap, because the next one may be to a server with another version.
struct OverlapRule: Sendable {
  private var brought: [Int64] = []
  /// Whether this machine has stored a byte. Bytes stored before that come from an earlier machine.
  var hasStored = false

  mutating func note(_ count: Int64) {
    brought.append(count)
    if brought.count > NetworkLimits.tinyConnections { brought.removeFirst() }
  }

  var length: Int64 {
    let usual = hasStored ? NetworkLimits.overlap : NetworkLimits.overlapAfterRestart
    guard brought.count == NetworkLimits.tinyConnections, let most = brought.max() else { return usual }
    return min(usual, max(NetworkLimits.leastOverlap, most / 4))
  }
}
