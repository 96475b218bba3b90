import Foundation
import FoundationNetworking

/// A store of credentials that values can hold. FoundationNetworking's class guards its state with a queue of
/// its own, but is not declared `Sendable`.
struct CredentialStore: @unchecked Sendable {
  let storage: URLCredentialStorage

  /// A store of its own. FoundationNetworking makes them for its own configurations only.
  static var temporary: CredentialStore? {
    FoundationNetworking.URLSessionConfiguration.ephemeral.urlCredentialStorage.map {
      CredentialStore(storage: $0)
    }
  }

  /// The credential to use for a challenge; nil if none is stored.
  func proposal(for space: URLProtectionSpace) -> URLCredential? {
    known(space).flatMap { storage.defaultCredential(for: $0) }
  }

  /// Stores a credential that will be used again.
  func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
    guard credential.persistence != .none else { return }
    storage.setDefaultCredential(credential, for: known(space) ?? space)
  }

  /// The stored object with the same values. FoundationNetworking compares identities (Swift 6.3).
  private func known(_ space: URLProtectionSpace) -> URLProtectionSpace? {
    storage.allCredentials.keys.first { key in
      key.host == space.host && key.port == space.port && key.protocol == space.protocol
        && key.realm == space.realm && key.authenticationMethod == space.authenticationMethod
    }
  }
}
