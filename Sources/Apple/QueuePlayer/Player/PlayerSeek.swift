import AudioCore
import Synchronization

/// A seek from the application's view: in progress until its handler was called, whatever the engine's state.
final class PlayerSeek: Sendable {
  private struct Handler {
    var call: (@Sendable (Bool) -> Void)?
  }

  /// The item in which the seek takes place.
  let item: ItemID
  private let handler: Mutex<Handler>

  init(of item: ItemID, completion: (@Sendable (Bool) -> Void)?) {
    self.item = item
    handler = Mutex(Handler(call: completion))
  }

  /// Calls the handler, unless it was called before. Any thread.
  func end(_ finished: Bool) { handler.withLock { $0.call.take() }?(finished) }
}
