/// What can still be read of a damaged record of a queue.
///
/// A song has no checksum of its own: one whose name was hit is taken with a wrong name, and found out when it is
/// played. What no song can be is passed over, to where the next one begins.
package struct SalvagedQueue: Sendable {
  /// The songs, in their order and with their numbers.
  package let queue: SongQueue
  /// How many songs the record once had; nil if it does not say.
  package let originalCount: Int?

  /// Bytes that are passed over in search of a song before the rest is given up: about a second's work.
  private static let searchLimit = 2 << 20
  /// Above it a number is taken for damaged, so that enough are left for new songs.
  private static let largestNumber = UInt64(Int32.max)

  /// Reads all that can be read. Any bytes are allowed.
  ///
  /// - Parameter limit: Bytes that are passed over in search of songs.
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

  /// Names of files begin at the root, and none has a zero byte. URLs were looked at when they were read.
  private static func canBe(_ song: (id: SongID, song: Song)) -> Bool {
    guard (1...largestNumber).contains(UInt64(song.id.rawValue)) else { return false }
    return song.song.locator.path.map { $0.first == UInt8(ascii: "/") && !$0.contains(0) } ?? true
  }
}
