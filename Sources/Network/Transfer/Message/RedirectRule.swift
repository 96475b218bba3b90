package struct RedirectRule: Sendable {
  private var count = 0
  private var cameFromPublic = false

  package init() {}

  /// Returns the addresses that the next request may reach. `first` is the reach of the first request.
  package func reach(_ first: NetworkReach) -> NetworkReach { cameFromPublic ? .publicOnly : first }

  /// Resolves the `Location` to which `url` redirects. Returns the next URL, and the credentials that `location`
  /// contains, if any. `address` is the server's address, if known. Throws `redirects` after too many redirects, for
  /// an unusable URL, and from https to http.
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

  /// Creates the request that a redirect of `request` leads to. Credentials and the fields `Authorization` and
  /// `Cookie` are not sent to another origin. Credentials in the redirect replace those of the request. 303 replaces
  /// any method except `HEAD` by `GET` without a body; 301 and 302 replace `POST`, as browsers do. Throws like
  /// `follow`.
  package mutating func request(
    after request: TransferRequest, redirectedTo location: String, status: Int, at address: PeerAddress?
  ) throws(TransferFailure) -> TransferRequest {
    let (url, credentials) = try follow(location, from: request.url, at: address)
    var next = request
    next.url = url
    next.reach = reach(request.reach)
    if url.origin != request.url.origin {
      next.credentials = nil
      for name in ["Authorization", "Cookie"] { next.fields.remove(name) }
    }
    if let credentials { next.credentials = credentials }
    let method = request.sentMethod
    if status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" {
      next.method = "GET"
      next.body = nil
      for name in ["Content-Type", "Content-Length"] { next.fields.remove(name) }
    }
    return next
  }
}
