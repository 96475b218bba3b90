/// A request, ready to be sent.
package struct TransferRequest: Hashable, Sendable {
  /// What is asked for.
  package var url: WebURL
  /// The credentials of its origin.
  package var credentials: Credentials?
  /// The header fields but those that HTTP itself needs (`Host`).
  package var fields = HTTPFields()
  /// The method; nil: `PUT` with a body, else `GET`.
  package var method: String?
  /// What is sent with the request.
  package var body: TransferBody?
  /// Which addresses it may connect to.
  package var reach = NetworkReach.all
  /// Whether it is sent by HTTP/1.1 and no later version. Media are: a paused stream of HTTP/2 is buffered in memory.
  package var isMedia = true

  /// A request for this URL.
  package init(url: WebURL) { self.url = url }
}

/// What is sent with a request.
package enum TransferBody: Hashable, Sendable {
  /// These bytes.
  case bytes([UInt8])
  /// So many bytes of the file at a path, from its beginning. They are read while they are sent.
  case file(path: String, count: Int64)

  /// How many bytes it has.
  package var count: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let count): count
    }
  }
}

/// What all requests for one medium have in common.
package struct RequestSettings: Hashable, Sendable {
  /// Header fields that a user adds. They win over those made here, but for the ones that the transfer depends on, and
  /// go to the first origin only.
  package var fields = HTTPFields()
  /// What `User-Agent` says.
  package var userAgent: String
  /// Credentials for the first origin; nil: those of the URL, or none.
  package var credentials: Credentials?
  /// Which addresses may be connected to.
  package var reach = NetworkReach.all
  /// Whether sound is asked for, and metadata of stations; else whatever is there.
  package var wantsSound = true

  /// Settings without fields of a user.
  package init(userAgent: String) { self.userAgent = userAgent }

  /// Fields that a user cannot set, since the transfer depends on them.
  private static let reserved = ["range", "if-range", "accept-encoding", "host"]

  /// Whether a field of that name is the transfer's own.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }

  /// A request for `url` with these settings.
  ///
  /// - Parameters:
  ///   - url: what is asked for.
  ///   - first: the URL whose origin the user's fields and the credentials belong to.
  ///   - start: the first byte that is wanted; nil: the whole, without `Range`.
  ///   - validator: what `If-Range` says.
  ///   - wantsMetadata: whether metadata of a live stream is asked for.
  package func request(
    for url: WebURL, first: WebURL, from start: Int64?, if validator: Validator?, wantsMetadata: Bool
  ) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.reach = reach
    request.fields.set("User-Agent", userAgent)
    request.fields.set("Accept", wantsSound ? "audio/mpeg, audio/*;q=0.9, */*;q=0.5" : "*/*")
    if wantsMetadata, wantsSound { request.fields.set("Icy-MetaData", "1") }
    if url.origin == first.origin {
      request.credentials = credentials
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

/// The rule for redirects.
package struct RedirectRule: Sendable {
  private var count = 0
  private var cameFromPublic = false

  /// Before the first request.
  package init() {}

  /// Which addresses the next request may reach, given what the first one may.
  package func reach(_ first: NetworkReach) -> NetworkReach { cameFromPublic ? .publicOnly : first }

  /// The URL that a redirect leads to, and credentials in it.
  ///
  /// - Parameters:
  ///   - location: what the server said.
  ///   - url: what was asked for.
  ///   - address: the address that answered, if it is known.
  /// - Throws: `redirects` after too many, for other schemes, and from https to http.
  package mutating func follow(_ location: String, from url: WebURL, at address: PeerAddress?)
    throws(TransferFailure)
    -> (url: WebURL, credentials: Credentials?)
  {
    count += 1
    guard count <= NetworkLimits.redirects else {
      throw TransferFailure(.redirects, "\(url.host) redirects more than \(NetworkLimits.redirects) times")
    }
    let next: (url: WebURL, credentials: Credentials?)
    do throws(WebURL.Problem) {
      next = try url.resolve(location)
    } catch {
      let what: String =
        switch error {
        case .unsupportedScheme(let scheme): "to \(scheme):, which is not followed"
        case .tooLong: "to a URL that is too long"
        case .malformed: "to what is no URL"
        }
      throw TransferFailure(.redirects, "\(url.host) redirects \(what)")
    }
    guard url.scheme == .http || next.url.scheme == .https else {
      throw TransferFailure(.redirects, "\(url.host) redirects from https to http, which is not followed")
    }
    if address?.isPublic == true { cameFromPublic = true }
    return next
  }
}
