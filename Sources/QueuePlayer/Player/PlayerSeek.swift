import AudioCore
import Synchronization

/// A seek as the application knows it: under way until its handler was called, wherever the engine is.
final class PlayerSeek: Sendable {
  private struct Handler {
    var call: (@Sendable (Bool) -> Void)?
  }

  /// The item that it was asked of.
  let item: ItemID
  private let handler: Mutex<Handler>

  init(of item: ItemID, completion: (@Sendable (Bool) -> Void)?) {
    self.item = item
    handler = Mutex(Handler(call: completion))
  }

  /// Calls the handler, unless that was done. Any thread.
  func end(_ finished: Bool) { handler.withLock { $0.call.take() }?(finished) }
}
