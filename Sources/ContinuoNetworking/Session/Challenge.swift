import Foundation
import FoundationNetworking
import Transfer

extension URLAuthenticationChallenge {
  /// A challenge that a 401 stands for.
  convenience init(_ url: URL, _ head: ResponseHead, realm: String, failures: Int) {
    let port = url.port ?? (url.scheme == "https" ? 443 : 80)
    let space = URLProtectionSpace(
      host: url.host ?? "", port: port, protocol: url.scheme, realm: realm,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    self.init(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: failures,
      failureResponse: head.response(for: url), error: nil, sender: ChallengeSender())
  }
}

/// Nobody: a session's challenges are answered with their completion handler.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
