package struct TransferRequest: Hashable, Sendable {
  package var url: WebURL
  /// The credentials for the URL's origin.
  package var credentials: Credentials?
  package var authentication = Authentication.basic
  /// The header fields, except those that HTTP itself needs (`Host`).
  package var fields = HTTPFields()
  /// The method; nil for `PUT` with a body, or else `GET`.
  package var method: String?
  package var body: TransferBody?
  package var reach = NetworkReach.all
  /// The application's check of the server's certificate; nil if the system's rules alone decide.
  package var check: ServerCheck?
  /// A limit on concurrent requests that this request shares with others, in addition to the transport's limit
  /// per origin; nil for none.
  package var limit: ConnectionLimit?
  /// Whether the request continues an earlier one, for example after a redirect or a challenge. Continuations are
  /// sent before new requests that wait.
  package var isContinuation = false

  package init(url: WebURL) { self.url = url }

  /// The method that is sent.
  package var sentMethod: String { method ?? (body == nil ? "GET" : "PUT") }
}

/// The maximum number of concurrent requests that have this limit.
package struct ConnectionLimit: Hashable, Sendable {
  package let name: String
  package let count: Int

  /// Creates a limit of `count` requests, at least 1.
  package init(name: String, count: Int) {
    self.name = name
    self.count = max(1, count)
  }
}

/// The way in which credentials are sent.
package enum Authentication: String, Hashable, Sendable {
  /// HTTP Basic: the credentials are sent with the first request, unencrypted.
  case basic
  /// HTTP Digest: a hash of the credentials is sent with a second request, after the server's challenge.
  case digest
}

package enum TransferBody: Hashable, Sendable {
  case bytes([UInt8])
  /// The first `count` bytes of the file at a path, read while they are sent.
  case file(path: String, count: Int64)

  package var count: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let count): count
    }
  }
}

package struct RequestSettings: Hashable, Sendable {
  /// The user's header fields, for the first origin only. They override other fields, except those on which
  /// the transfer depends.
  package var fields = HTTPFields()
  package var userAgent: String
  /// The credentials for the first origin; nil for none.
  package var credentials: Credentials?
  package var authentication = Authentication.basic
  package var reach = NetworkReach.all
  package var limit: ConnectionLimit?
  /// Whether cookies of redirects are sent with the requests that follow.
  package var sendsCookies = false
  /// Whether to request audio and station metadata; otherwise any content.
  package var wantsSound = true

  package init(userAgent: String) { self.userAgent = userAgent }

  /// The names of the fields that a user cannot set, because the transfer depends on them.
  private static let reserved = ["range", "if-range", "accept-encoding", "host"]

  package static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }

  /// Creates a request for `url` from byte `start` on, or for all bytes, without `Range`, if `start` is nil. The
  /// user's fields and credentials are sent to the origin of `first` only. `validator` is the value of `If-Range`,
  /// which is only sent with `Range`.
  package func request(
    for url: WebURL, first: WebURL, from start: Int64?, if validator: Validator?, wantsMetadata: Bool
  ) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.reach = reach
    request.limit = limit
    request.fields.set("User-Agent", userAgent)
    request.fields.set("Accept", wantsSound ? "audio/mpeg, audio/*;q=0.9, */*;q=0.5" : "*/*")
    if wantsMetadata, wantsSound { request.fields.set("Icy-MetaData", "1") }
    if url.origin == first.origin {
      request.credentials = credentials
      request.authentication = authentication
      for field in fields.all where !Self.isReserved(field.name) {
        request.fields.set(field.name, field.value)
      }
    }
    request.fields.set("Accept-Encoding", "identity")
    if let start { request.fields.set("Range", "bytes=\(start)-") }
    if let validator, start != nil { request.fields.set("If-Range", validator.text) }
    return request
  }
}

/// An event of a transfer. The order is: `queued` twice or not at all, `connected` at most once, `head`, `body`
/// any number of times, then `end` or `failure`. A failure may come at any time and is the last event.
package enum TransferEvent: Hashable, Sendable {
  /// The request waits in the transport for a connection, for its `limit` or for the rate limit; false once it is
  /// sent.
  case queued(Bool)
  case connected(PeerAddress?)
  /// The head of the response. The transport does not follow redirects.
  case head(ResponseHead)
  /// Bytes of the body, in order and decoded; at most 64 KiB per event.
  case body([UInt8])
  /// The body is complete, or the connection has ended and no length was announced.
  case end
  case failure(TransferFailure)
}

package enum TransferDemand: Sendable {
  case more
  /// Deliver no body until `setPaused(false)`.
  case pause
}

package struct TransferID: Hashable, Sendable {
  /// The number, unique within a transport.
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}

package protocol TransferSink: AnyObject, Sendable {
  /// Receives an event, and returns the demand for more. Called on any thread, possibly within `start` or
  /// `setPaused`, one event at a time. May call the transport. Must not block.
  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand

  /// Receives the number of request body bytes sent so far, after each piece. The number restarts if the body
  /// is sent again. Called under the same conditions as `take`; does nothing by default.
  func sent(_ count: Int64, of transfer: TransferID)

  /// Receives the times of a transfer, before the head of the response, from a transport that measures them.
  /// Called under the same conditions as `take`; does nothing by default.
  func measured(_ timing: TransferTiming, of transfer: TransferID)

  /// Receives the certificates (PEM) of a server that the application has not accepted, its own first, before
  /// the failure `unaccepted`. Called under the same conditions as `take`; does nothing by default.
  func presented(_ certificates: [String], of transfer: TransferID)
}

extension TransferSink {
  package func presented(_ certificates: [String], of transfer: TransferID) {}
  package func sent(_ count: Int64, of transfer: TransferID) {}
  package func measured(_ timing: TransferTiming, of transfer: TransferID) {}
}

/// Sends requests and delivers their events. Methods are thread-safe and never block on the network.
package protocol HTTPTransport: AnyObject, Sendable {
  /// Starts a transfer and returns its identifier. Errors are reported as failure events. Events may arrive
  /// before `start` returns. The sink is retained until the transfer has ended or was cancelled.
  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID

  /// Pauses or resumes the body. A paused transfer does not read from its connection, so that the server has
  /// to wait. One more piece of the body may still arrive after pausing.
  func setPaused(_ isPaused: Bool, _ transfer: TransferID)

  /// Cancels a transfer. Waits for a call of the sink that is in progress on another thread. No call begins after the
  /// return. Does nothing if the transfer has ended.
  func cancel(_ transfer: TransferID)
}
