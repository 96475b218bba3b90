import Clocks
import Transfer

extension SimulatedNetwork {
  /// The content with which a server answers.
  public struct Content: Sendable {
    enum Kind: Sendable {
      case data([UInt8], type: String)
      case song(MarkedStream)
      case station(MarkedStation)
      case status(Int, location: String?)
    }

    let kind: Kind
    let etag: String?

    /// Returns content that consists of these bytes. `etag` includes its quotes: `"\"1\""`. `type` is the
    /// value of `Content-Type`.
    public static func data(
      _ bytes: some Sequence<UInt8>, etag: String? = nil, type: String = "audio/mpeg"
    ) -> Content {
      Content(kind: .data(Array(bytes), type: type), etag: etag)
    }

    /// Returns content that answers with this status, 404 for example, and no body.
    public static func status(_ status: Int) -> Content {
      Content(kind: .status(status, location: nil), etag: nil)
    }

    /// Returns content that redirects to another URL, absolute or relative.
    public static func redirect(to location: String) -> Content {
      Content(kind: .status(302, location: location), etag: nil)
    }
  }
}

/// The answer to a request: its head, and a body that is read in pieces.
struct Answer {
  let head: ResponseHead
  private var body: Body
  /// The offset of the next byte in the content; for a station, in the body of this connection.
  private(set) var position: Int64
  /// The offset in the content at which the body ends; nil for an unlimited body.
  let end: Int64?

  private enum Body {
    case bytes([UInt8])
    case song(MarkedStream)
    case station(StationBody)
  }

  init(
    _ content: SimulatedNetwork.Content?, to request: TransferRequest, _ behaviour: Behaviour, status: Int?,
    at now: HostTime
  ) {
    guard let content, status == nil else {
      let realm = "Basic realm=\"\(request.url.host)\""
      let fields = status == 401 ? [("WWW-Authenticate", realm)] : []
      self.init(ResponseHead(status: status ?? 404, fields: fields))
      return
    }
    switch content.kind {
    case .status(let status, let location):
      self.init(ResponseHead(status: status, fields: location.map { [("Location", $0)] } ?? []))
    case .data(let bytes, let type):
      self.init(.bytes(bytes), count: Int64(bytes.count), type: type, etag: content.etag, request, behaviour)
    case .song(let stream):
      self.init(
        .song(stream), count: stream.byteCount, type: "audio/mpeg", etag: content.etag, request, behaviour)
    case .station(let station):
      let body = StationBody(station, at: now, wantsMetadata: request.fields["Icy-MetaData"] == "1")
      self.init(body.head, .station(body), to: nil)
    }
  }

  private init(
    _ head: ResponseHead, _ body: Body = .bytes([]), from start: Int64 = 0, to end: Int64? = 0
  ) {
    self.head = head
    self.body = body
    position = start
    self.end = end
  }

  private init(
    _ body: Body, count: Int64, type: String, etag: String?, _ request: TransferRequest,
    _ behaviour: Behaviour
  ) {
    var fields = [("Content-Type", type)]
    if let etag { fields.append(("ETag", etag)) }
    var start: Int64 = 0
    var status = 200
    let isSame = request.fields["If-Range"].map { $0 == etag } ?? true
    if behaviour.hasRanges {
      fields.append(("Accept-Ranges", "bytes"))
      if isSame, let first = Self.first(request) {
        guard first < count else {
          self.init(ResponseHead(status: 416, fields: [("Content-Range", "bytes */\(count)")]))
          return
        }
        start = first
        status = 206
        fields.append(("Content-Range", "bytes \(first)-\(count - 1)/\(count)"))
      }
    }
    if behaviour.tellsLength || status == 206 { fields.append(("Content-Length", "\(count - start)")) }
    let end = request.method == "HEAD" ? start : count
    self.init(ResponseHead(status: status, fields: fields), body, from: start, to: end)
  }

  /// Returns the offset N of a requested range `bytes=N-`; nil otherwise.
  private static func first(_ request: TransferRequest) -> Int64? {
    guard let range = request.fields["Range"], range.hasPrefix("bytes="), range.hasSuffix("-")
    else { return nil }
    return Int64(range.dropFirst(6).dropLast())
  }

  /// Returns the time at which `count` more bytes are available; nil if they always are.
  func moment(of count: Int) -> HostTime? {
    if case .station(let body) = body { body.moment(of: count) } else { nil }
  }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { position += Int64(count) }
    switch body {
    case .bytes(let bytes): return Array(bytes[Int(position)..<Int(position) + count])
    case .song(let stream): return stream.bytes(position..<position + Int64(count))
    case .station(var station):
      let bytes = station.take(count)
      body = .station(station)
      return bytes
    }
  }
}
