import AudioCore
import Foundation
import Synchronization
package import Transfer

/// The parameters of the requests for a remote asset, or for one whose bytes a delegate provides.
package struct RemoteAsset: Sendable {
  /// The URL of the asset.
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

  /// Creates an asset from an http or https URL.
  init(_ url: URL, isPrecise: Bool) throws(WebURL.Problem) {
    (self.url, credentials) = try WebURL.read(url.absoluteString)
    self.isPrecise = isPrecise
  }

  /// Creates an asset whose bytes `transport` provides, whatever the URL's scheme is. Nil for a URL that is
  /// too long.
  init?(_ url: URL, isPrecise: Bool, transport: any HTTPTransport) {
    // The URL used in messages. Custom schemes have no rules, so the rest of the URL is treated as a path.
    let path = "\(url.host ?? "")/\(url.path)"
    guard let standIn = try? WebURL.read("http://resource-loader/\(path)").url else { return nil }
    self.url = standIn
    credentials = nil
    self.isPrecise = isPrecise
    self.transport = transport
  }
}

/// The medium of a remote asset.
///
/// The medium is created when it is first needed, and shared by all its users: an item while it is in a
/// queue, and a loader while it reads. Therefore no data are fetched twice at a time, and none for items that
/// are not played.
final class SharedMedium: Sendable {
  /// An item in a queue that is notified of the medium's events.
  private struct Listener {
    weak var core: PlayerCore?
    let id: ItemID
  }

  private struct State {
    weak var source: (any MediaSource & AnyObject)?
    /// The number of media that were created.
    var made = 0
    var listeners: [Listener] = []
  }

  let asset: RemoteAsset
  private let state = Mutex(State())

  init(_ asset: RemoteAsset) { self.asset = asset }

  /// Returns the medium, created by `make` if none exists.
  func source(
    _ make: (RemoteAsset, _ onNote: @escaping @Sendable (TransferNote) -> Void) -> any MediaSource & AnyObject
  ) -> any MediaSource {
    while true {
      let (source, made) = state.withLock { ($0.source, $0.made) }
      if let source { return source }
      let new = make(asset) { [weak self] in self?.take($0) }
      let isFirst = state.withLock { state in
        guard state.made == made else { return false }
        state.made += 1
        state.source = new
        return true
      }
      if isFirst { return new }
    }
  }

  // MARK: Notes

  /// Adds item `id` of `core` as a listener. Events are reported to the first listener only.
  func add(_ id: ItemID, of core: PlayerCore) {
    let listener = Listener(core: core, id: id)
    state.withLock { $0.listeners.append(listener) }
  }

  /// Removes item `id` from the listeners.
  func remove(_ id: ItemID) {
    // Checked outside the lock: the check of a weak reference may hold the last reference to a player.
    let gone = Set(state.withLock { $0.listeners }.filter { $0.core == nil }.map(\.id))
    state.withLock { state in state.listeners.removeAll { $0.id == id || gone.contains($0.id) } }
  }

  private func take(_ note: TransferNote) {
    for listener in state.withLock({ $0.listeners }) {
      guard let core = listener.core else { continue }
      return core.tell(note, of: listener.id)
    }
  }
}
