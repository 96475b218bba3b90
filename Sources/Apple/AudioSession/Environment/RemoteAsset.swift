package import Foundation
package import Transfer

/// The parameters of the requests for a remote asset, or for an asset whose bytes a delegate provides.
package struct RemoteAsset: Sendable {
  package let url: WebURL
  /// The credentials in the asset's URL, or those that were given with the asset.
  package var credentials: Credentials?
  /// Whether the asset's length must be exact, even if that requires fetching all of it.
  package let isPrecise: Bool
  /// Header fields that the asset adds to its requests.
  package var fields = HTTPFields()
  /// The value of `User-Agent`; nil for the environment's.
  package var userAgent: String?
  /// The addresses that requests may reach; nil for those that the environment allows.
  package var reach: NetworkReach?
  /// The transport of the bytes; nil for the environment's network.
  package private(set) var transport: (any HTTPTransport)?

  /// Creates the parameters for an http or https URL.
  package init(_ url: URL, isPrecise: Bool) throws(WebURL.Problem) {
    (self.url, credentials) = try WebURL.read(url.absoluteString)
    self.isPrecise = isPrecise
  }

  /// Creates the parameters for a URL of any scheme, with bytes from `transport`. Returns nil if the URL is
  /// too long, or its decoded host or path has control characters.
  package init?(_ url: URL, isPrecise: Bool, transport: any HTTPTransport) {
    // Messages show an http URL in place of the asset's. Custom schemes have no common syntax, so the host
    // and the path become the path of this URL.
    let path = "\(url.host ?? "")/\(url.path)"
    guard let standIn = try? WebURL.read("http://resource-loader/\(path)").url else { return nil }
    self.url = standIn
    credentials = nil
    self.isPrecise = isPrecise
    self.transport = transport
  }
}
