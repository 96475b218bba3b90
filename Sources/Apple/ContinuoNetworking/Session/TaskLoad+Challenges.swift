import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

extension TaskLoad {
  func exchange(_ exchange: Exchange, challengedBy head: ResponseHead, failures: Int) {
    guard let url else { return exchange.proceed() }
    let storage = core.values.credentials
    let challenge = URLAuthenticationChallenge(url, head, failures: failures, storage: storage)
    let (space, proposed) = (challenge.protectionSpace, challenge.proposedCredential)
    core.challenges.ask(about: challenge, for: task) { [weak self] disposition, credential in
      switch (disposition, credential) {
      case (.useCredential, let credential?):
        storage?.keep(credential, for: space)
        exchange.authenticate(credential.credentials)
      case (.cancelAuthenticationChallenge, _):
        self?.finish(.cancelled(self?.url, resumeData: self?.resumeData))
      case (.performDefaultHandling, _):
        if let proposed { exchange.authenticate(proposed.credentials) } else { exchange.proceed() }
      default: exchange.proceed()
      }
    }
  }

  func exchange(_ exchange: Exchange, presented certificates: [String], failure: TransferFailure?) {
    let server = exchange.request.url
    guard let url = URL(string: server.text) else { return finish(.cancelled(url)) }
    let challenge = URLAuthenticationChallenge(url, certificates, failure.map { .of($0, url) })
    core.challenges.ask(about: challenge, for: task) { [weak self] disposition, credential in
      guard let self else { return }
      switch (disposition, credential) {
      case (.cancelAuthenticationChallenge, _), (.rejectProtectionSpace, _):
        finish(.cancelled(url, resumeData: resumeData))
      case (.performDefaultHandling, _), (.useCredential, nil):
        if let failure { return finish(.of(failure, url, resumeData: resumeData)) }
        fallthrough
      case (.useCredential, _):
        if let check = exchange.trust() { core.challenges.record(check, of: server, for: task) }
      }
    }
  }
}
