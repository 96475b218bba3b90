import ControlProtocol
import Jukebox
import Synchronization

/// The last reply to `currentsong`. Clients ask again and again while the song stays the same, and writing it anew
/// takes 0.9 µs of the 3.3 that the command would cost.
final class CurrentSongReply: Sendable {
  /// Everything the reply depends on: what is known of a song cannot change without a new version of the queue.
  struct Key: Hashable, Sendable {
    let version: UInt32
    let id: SongID
    let position: Int
    let tags: TagSet

    /// nil without a current song.
    init?(_ machine: borrowing JukeboxMachine, tags: TagSet) {
      guard let id = machine.currentID, let position = machine.currentPosition else { return nil }
      version = machine.queue.version
      self.id = id
      self.position = position
      self.tags = tags
    }
  }

  private struct Kept {
    var key: Key?
    var reply = Reply()
  }

  private let kept = Mutex(Kept())

  /// The reply that was kept for the same song in the same words; nil if there is none. Any thread.
  func reply(for key: Key) -> Reply? { kept.withLock { $0.key == key ? $0.reply : nil } }

  /// Keeps it in the place of the one before. Any thread.
  func keep(_ reply: Reply, for key: Key) { kept.withLock { $0 = Kept(key: key, reply: reply) } }
}
