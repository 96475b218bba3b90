/// The readable part of a damaged record of a queue.
///
/// Songs have no checksums of their own. So a song with a damaged name is restored with a wrong name, which
/// is detected when it is played. Bytes that cannot be a song are skipped up to the beginning of the next
/// song.
package struct SalvagedQueue: Sendable {
  package let queue: SongQueue
  /// The number of songs in the original record; nil if it is not plausible.
  package let originalCount: Int?

  /// The maximum number of bytes to skip in search of songs. Skipping so many takes about a second.
  private static let searchLimit = 2 << 20
  /// The largest plausible id. A larger one counts as damaged, so that enough ids are left for new songs.
  private static let largestNumber = UInt64(Int32.max)

  /// Reads as many songs as possible from `bytes`, which may have any content. Skips at most `limit` bytes in
  /// search of songs.
  package init(damaged bytes: [UInt8], limit: Int = Self.searchLimit) {
    var reader = RecordReader(damaged: bytes, kind: .queue)
    let nextID = (try? reader.read(UInt64.self)) ?? 0
    let count = (try? reader.read(UInt32.self)).map { Int($0) } ?? 0
    var songs: [(id: SongID, song: Song)] = []
    var numbers: Set<SongID> = []
    var passedOver = 0
    while reader.remaining > 0, passedOver < limit, songs.count < SongQueue.maximumCount {
      var following = reader
      if let song = try? following.readSong(), Self.canBe(song), numbers.insert(song.id).inserted {
        songs.append(song)
        reader = following
      } else {
        reader.skip(1)
        passedOver += 1
      }
    }
    let largest = numbers.reduce(0) { max($0, UInt64($1.rawValue)) }
    let isUsable = (largest + 1...Self.largestNumber + 1).contains(nextID)
    queue = SongQueue(restoring: songs, nextID: isUsable ? nextID : largest + 1) ?? SongQueue()
    originalCount = (songs.count...SongQueue.maximumCount).contains(count) ? count : nil
  }

  /// Whether a song is plausible: its id is in 1 ... `largestNumber`, and a path begins at the root and contains
  /// no zero byte. `readSong` checks URLs.
  private static func canBe(_ song: (id: SongID, song: Song)) -> Bool {
    guard (1...largestNumber).contains(UInt64(song.id.rawValue)) else { return false }
    return song.song.locator.path.map { $0.first == UInt8(ascii: "/") && !$0.contains(0) } ?? true
  }
}
