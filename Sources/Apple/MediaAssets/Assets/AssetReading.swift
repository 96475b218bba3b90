import AudioCore
import HostTime
import PlaybackEngine
import Synchronization

/// The opening of a medium to read its properties. Any thread.
final class AssetReading: Sendable {
  /// The ownership of `opening`.
  private enum Turn {
    case free
    /// A thread uses the opening; `again` requests another step because bytes arrived during this one.
    case taken(again: Bool)
    case over
  }

  private let source: any MediaSource
  private let turn = Mutex(Turn.free)
  private let opening = WorkerState<MediaOpening?>(nil)

  init(_ source: any MediaSource) { self.source = source }

  /// Returns the medium's properties; nil while bytes are missing, and after the properties were returned.
  /// The first call's `callback` is used for all. May block on a local disk.
  func proceed(whenBytesCome callback: @escaping @Sendable () -> Void) throws(DecodingError) -> ItemInfo? {
    let isFree = turn.withLock { turn in
      switch turn {
      case .free:
        turn = .taken(again: false)
        return true
      case .taken: turn = .taken(again: true)
      case .over: break
      }
      return false
    }
    guard isFree else { return nil }
    do throws(DecodingError) {
      while true {
        if let info = try look(callback) {
          turn.withLock { $0 = .over }
          return info
        }
        let looksAgain = turn.withLock { turn in
          guard case .taken(again: true) = turn else {
            turn = .free
            return false
          }
          turn = .taken(again: false)
          return true
        }
        if !looksAgain { return nil }
      }
    } catch {
      turn.withLock { $0 = .over }
      throw error
    }
  }

  /// Runs outside of locks: it reads from a disk and releases the decoder, whose `deinit` may wait for the
  /// thread that calls back.
  private func look(_ callback: @escaping @Sendable () -> Void) throws(DecodingError) -> ItemInfo? {
    try opening.use { [source] opening throws(DecodingError) in
      if opening == nil { opening = source.open(whenBytesCome: callback) }
      guard let decoder = try opening?.proceed() else { return nil }
      opening = nil
      return ItemInfo(decoder)
    }
  }
}
