public import Foundation
public import FoundationNetworking

/// The authentication method of challenges about a server's certificate.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// An X.509 certificate. Any thread.
public final class SecCertificate: Sendable {
  let data: Data

  init?(pem: String) {
    let lines = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    guard let data = Data(base64Encoded: lines.joined()) else { return nil }
    self.data = data
  }
}

/// The certificates of a server, and whether libcurl's TLS library considers them valid for the host. Any thread.
public final class SecTrust: Sendable {
  let certificates: [SecCertificate]
  let error: URLError?

  init(_ certificates: [SecCertificate], _ error: URLError?) {
    self.certificates = certificates
    self.error = error
  }
}

/// Returns the certificates that the server has presented, its own first; never nil. The authority's own certificate
/// is missing if the server does not send it.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [SecCertificate]? { trust.certificates }

/// Returns the number of certificates that the server has presented.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.certificates.count }

/// Returns the certificate at an index, 0 for the server's own; nil if there is none.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
  trust.certificates.indices.contains(index) ? trust.certificates[index] : nil
}

/// Returns the bytes of a certificate (DER).
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { certificate.data }

/// Returns whether the TLS library considers the certificates valid for the host. Sets `error` to the
/// library's reason, a `URLError`, or to nil if the certificates are valid. Does not block.
public func SecTrustEvaluateWithError(
  _ trust: SecTrust, _ error: UnsafeMutablePointer<(any Error)?>?
) -> Bool {
  error?.pointee = trust.error
  return trust.error == nil
}

/// A protection space that contains the server's certificates.
private final class TrustSpace: URLProtectionSpace, @unchecked Sendable {
  // Unchecked, like the superclass; the added state is immutable.
  let trust: SecTrust

  init(_ url: URL, _ trust: SecTrust) {
    self.trust = trust
    super.init(
      host: url.host ?? "", port: url.port ?? 443, protocol: url.scheme, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
  }
}

extension URLProtectionSpace {
  /// The server's certificates in a challenge about them; nil in any other challenge.
  public var serverTrust: SecTrust? { (self as? TrustSpace)?.trust }
}

extension URLCredential {
  /// Creates the credential that accepts the certificates of a challenge.
  public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}

extension URLAuthenticationChallenge {
  /// - Parameter certificates: the certificates (PEM) of the server, its own first.
  convenience init(_ url: URL, _ certificates: [String], _ error: URLError?) {
    self.init(
      protectionSpace: TrustSpace(url, SecTrust(certificates.compactMap { SecCertificate(pem: $0) }, error)),
      proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: error,
      sender: ChallengeSender())
  }
}
