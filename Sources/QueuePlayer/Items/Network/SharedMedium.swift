import AudioCore
import Foundation
import Synchronization
package import Transfer

/// An asset on the network, or one whose bytes a delegate brings: what its requests are made of.
package struct RemoteAsset: Sendable {
  /// Where it is.
  package let url: WebURL
  /// The credentials in the asset's URL, or those that were given with it.
  package var credentials: Credentials?
  /// Whether its length must be exact, even if all of it has to be fetched for that.
  package let isPrecise: Bool
  /// Header fields that the asset adds to its requests.
  package var fields = HTTPFields()
  /// What `User-Agent` says; nil: the environment's.
  package var userAgent: String?
  /// Which addresses its requests may reach; nil: what the environment allows.
  package var reach: NetworkReach?
  /// Who brings the bytes; nil: the environment's network.
  package private(set) var transport: (any HTTPTransport)?

  /// The asset at `url`, which is an http or https URL.
  init(_ url: URL, isPrecise: Bool) throws(WebURL.Problem) {
    (self.url, credentials) = try WebURL.read(url.absoluteString)
    self.isPrecise = isPrecise
  }

  /// An asset whose bytes come by `transport`, whatever its scheme is. Nil for a URL that is too long.
  init?(_ url: URL, isPrecise: Bool, transport: any HTTPTransport) {
    // What messages call it. A scheme of the application's own has no rules, so the rest is taken for a path.
    let path = "\(url.host ?? "")/\(url.path)"
    guard let standIn = try? WebURL.read("http://resource-loader/\(path)").url else { return nil }
    self.url = standIn
    credentials = nil
    self.isPrecise = isPrecise
    self.transport = transport
  }
}

/// The medium of an asset on the network.
///
/// It is made when it is first needed, and shared by all who have it: an item as long as it is in a queue, a loader while it
/// reads. So nothing is fetched twice meanwhile, and nothing at all for items that nobody plays.
final class SharedMedium: Sendable {
  /// An item of a queue that is told what happens to the medium.
  private struct Listener {
    weak var core: PlayerCore?
    let id: ItemID
  }

  private struct State {
    weak var source: (any MediaSource & AnyObject)?
    /// Counts the media that were made.
    var made = 0
    var listeners: [Listener] = []
  }

  let asset: RemoteAsset
  private let state = Mutex(State())

  init(_ asset: RemoteAsset) { self.asset = asset }

  /// The medium, made by `make` if nobody has it.
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

  /// Item `id` of `core` is told from now on, unless another one is that was added before.
  func add(_ id: ItemID, of core: PlayerCore) {
    let listener = Listener(core: core, id: id)
    state.withLock { $0.listeners.append(listener) }
  }

  /// Item `id` is not told any more.
  func remove(_ id: ItemID) {
    // Outside the lock: the check of a weak reference may hold the last reference to a player.
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
