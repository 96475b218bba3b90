import Synchronization

/// The credentials that were in URLs, in memory only, each for the origin that it was given for.
///
/// Those of URLs that may reach public addresses only have a place of their own: whoever added these does not use, or
/// replace, what the user of this process has given.
package final class CredentialStore: Sendable {
  private struct Owner: Hashable {
    let origin: String
    let reach: NetworkReach
  }

  private struct State {
    var credentials: [Owner: Credentials] = [:]
    /// The oldest first.
    var owners: [Owner] = []
  }

  private let state = Mutex(State())

  /// An empty store.
  package init() {}

  /// Keeps credentials in the place of those that the origin had. The oldest go where there are more than
  /// `NetworkLimits.credentials`. Any thread.
  package func set(_ credentials: Credentials, for url: WebURL, reach: NetworkReach = .all) {
    let owner = Owner(origin: url.origin, reach: reach)
    state.withLock { state in
      if state.credentials.updateValue(credentials, forKey: owner) != nil { return }
      state.owners.append(owner)
      if state.owners.count > NetworkLimits.credentials {
        state.credentials[state.owners.removeFirst()] = nil
      }
    }
  }

  /// The credentials that belong to the origin of `url`; nil if none were given. Any thread.
  package func credentials(for url: WebURL, reach: NetworkReach = .all) -> Credentials? {
    let owner = Owner(origin: url.origin, reach: reach)
    return state.withLock { $0.credentials[owner] }
  }
}
