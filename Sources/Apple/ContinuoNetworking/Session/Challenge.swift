import Foundation
import FoundationNetworking
import Transfer

extension URLAuthenticationChallenge {
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

/// A sender without effect: sessions take the answer from their completion handler.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
