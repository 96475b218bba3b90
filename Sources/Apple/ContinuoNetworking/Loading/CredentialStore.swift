import Foundation
import FoundationNetworking

/// A sendable reference to a credential store. FoundationNetworking's class guards its state with a queue,
/// but is not declared `Sendable`.
struct CredentialStore: @unchecked Sendable {
  let storage: URLCredentialStorage

  /// A new store in memory. FoundationNetworking creates such stores only for its own configurations.
  static var temporary: CredentialStore? {
    FoundationNetworking.URLSessionConfiguration.ephemeral.urlCredentialStorage.map {
      CredentialStore(storage: $0)
    }
  }

  /// Returns the stored credential to propose for a challenge; nil if none is stored.
  func proposal(for space: URLProtectionSpace) -> URLCredential? {
    known(space).flatMap { storage.defaultCredential(for: $0) }
  }

  /// Stores a credential unless its persistence is `none`.
  func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
    guard credential.persistence != .none else { return }
    storage.setDefaultCredential(credential, for: known(space) ?? space)
  }

  /// Returns the stored protection space with the same values; nil if none. FoundationNetworking compares
  /// identities (Swift 6.3).
  private func known(_ space: URLProtectionSpace) -> URLProtectionSpace? {
    storage.allCredentials.keys.first { key in
      key.host == space.host && key.port == space.port && key.protocol == space.protocol
        && key.realm == space.realm && key.authenticationMethod == space.authenticationMethod
    }
  }
}
