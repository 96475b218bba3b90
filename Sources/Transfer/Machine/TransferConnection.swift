import HostTime

/// A transfer that runs, as the machine sees it.
struct TransferConnection: Sendable {
  enum Phase {
    case connecting
    case asking
    case body
  }

  var attempt: Int
  var request: TransferRequest
  /// The first byte that was asked for; nil: the whole, without `Range`.
  let first: Int64?
  /// The first byte that is missing.
  let wanted: Int64
  var phase = Phase.connecting
  /// When the present limit of time began.
  var since: HostTime
  /// Whether the limit of time begins anew, because it was paused or goes on.
  var needsFreshLimit = false
  var isPaused = false
  /// Whether it was paused since the last byte.
  var wasPaused = false
  var redirects = RedirectRule()
  var address: PeerAddress?

  /// Where the next byte of the body belongs.
  var position: Int64 = 0
  /// Where the body ends; nil: at the end of the connection.
  var end: Int64?
  /// How many bytes the answer's length announces; less than up to `end` where the server contradicts itself.
  var announced: Int64?
  /// Whether the answer is a part of the whole.
  var isPart = false
  /// Bytes that came, and those of them that were not stored yet.
  var brought: Int64 = 0
  var news: Int64 = 0
  /// The last byte of a gap in what is stored, not stored itself before the bytes after it were compared: they may be of another
  /// version, and a reader must not come from one into the other. With the end of those.
  var joint: (byte: ArraySlice<UInt8>, offset: Int64, end: Int64)?
  /// Takes out the metadata of a live stream.
  var demuxer: ICYDemuxer?

  /// Whether all bytes came that were announced.
  var isAtEnd: Bool { phase == .body && end.map { position >= $0 } ?? false }
}
