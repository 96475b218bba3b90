package import ControlProtocol
import Transfer

package enum SavedStateError: Error, Hashable, Sendable {
  case foreign
  /// The record's version is unknown, usually because a newer program has written the record.
  case unknownVersion
  /// The record is truncated, or its checksum is wrong.
  case damaged
  /// The checksum is correct but the contents are inconsistent.
  case invalid
}

extension SavedStateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .foreign: "not a file of this program"
    case .unknownVersion: "a newer version of this program wrote it"
    case .damaged: "cut off, or changed since it was written"
    case .invalid: "inconsistent contents"
    }
  }
}

/// The playback state without the queue: small enough to be written twice a second.
package struct SavedPlayback: Hashable, Sendable {
  /// The maximum size of a record in bytes. A longer file is not a record.
  package static let maximumSize = 64

  /// The current song, with a checksum to recognize it.
  package struct Current: Hashable, Sendable {
    package var id: SongID
    /// A checksum of the song's locator, since another song may have the id in a queue of another run.
    package var locatorChecksum: UInt32
    /// The position in the song, in seconds: finite, not negative.
    package var seconds: Double
  }

  package var state = PlaybackState.stopped
  package var current: Current?
  package var isRepeating = false
  /// Whether songs play in random order. The order itself is not saved; a new one is drawn.
  package var isRandom = false
  package var single = OneshotMode.off
  package var consume = OneshotMode.off
  /// The volume in percent, 0 ... 100.
  package var volume = 100
  package var isMuted = false
  package var replayGain = ReplayGainMode.off
  package var speed = PlaybackSpeed.normal
  /// Whether clients have disabled the output.
  package var isSwitchedOff = false

  package init() {}

  /// Reads a record. Any bytes are allowed.
  ///
  /// - Throws: A `SavedStateError` if the bytes are not a valid record.
  package init(encoded bytes: [UInt8]) throws(SavedStateError) {
    var reader = try RecordReader(bytes, kind: .playback)
    state = try reader.readMode()
    isRepeating = try reader.readFlag()
    isRandom = try reader.readFlag()
    single = try reader.readMode()
    consume = try reader.readMode()
    volume = Int(try reader.read(UInt8.self))
    isMuted = try reader.readFlag()
    if try reader.readFlag() {
      let id = SongID(rawValue: try reader.read())
      let checksum = try reader.read(UInt32.self)
      let seconds = Double(bitPattern: try reader.read())
      guard seconds.isFinite, seconds >= 0 else { throw .invalid }
      current = Current(id: id, locatorChecksum: checksum, seconds: seconds)
    }
    let hasReplayGain = reader.remaining > 0
    if hasReplayGain { replayGain = try reader.readMode() }
    let hasSpeed = reader.remaining > 0
    if hasSpeed {
      let percent = Int(try reader.read(UInt16.self))
      speed = PlaybackSpeed(clamping: percent)
      guard speed.percent == percent else { throw .invalid }
    }
    let hasSwitch = reader.remaining > 0
    if hasSwitch { isSwitchedOff = try reader.readFlag() }
    try reader.finish()
    guard volume <= 100, hasSwitch == isSwitchedOff, hasSpeed == (hasSwitch || speed != .normal),
      hasReplayGain == (hasSpeed || replayGain != .off),
      state == .stopped || current != nil
    else { throw .invalid }
  }

  package func encoded() -> [UInt8] {
    var writer = RecordWriter(kind: .playback, capacity: Self.maximumSize)
    writer.write(state)
    writer.write(UInt8(isRepeating ? 1 : 0))
    writer.write(UInt8(isRandom ? 1 : 0))
    writer.write(single)
    writer.write(consume)
    writer.write(UInt8(min(max(volume, 0), 100)))
    writer.write(UInt8(isMuted ? 1 : 0))
    writer.write(UInt8(current == nil ? 0 : 1))
    if let current {
      writer.write(current.id.rawValue)
      writer.write(current.locatorChecksum)
      writer.write(current.seconds.bitPattern)
    }
    // Omitted at their defaults, so that older programs can read the record.
    let hasSpeed = speed != .normal || isSwitchedOff
    if replayGain != .off || hasSpeed { writer.write(replayGain) }
    if hasSpeed { writer.write(UInt16(speed.percent)) }
    if isSwitchedOff { writer.write(UInt8(1)) }
    return writer.finished()
  }
}

extension SongQueue {
  /// Reads a record of a queue: songs with their ids, ranges and priorities, and the reach and metadata of
  /// URLs. The queue's `version` is not stored. Any bytes are allowed; memory use is bounded by their number.
  ///
  /// - Throws: A `SavedStateError` if the bytes are not a valid record.
  package init(encoded bytes: [UInt8]) throws(SavedStateError) {
    var reader = try RecordReader(bytes, kind: .queue)
    let nextID = try reader.read(UInt64.self)
    let count = try reader.read(UInt32.self)
    guard count <= Self.maximumCount, Int(count) * Self.smallestRecord <= reader.remaining else {
      throw .invalid
    }
    var songs: [(id: SongID, song: Song)] = []
    songs.reserveCapacity(Int(count))
    for _ in 0..<count { songs.append(try reader.readSong()) }
    try reader.finish()
    guard let queue = SongQueue(restoring: songs, nextID: nextID) else { throw .invalid }
    self = queue
  }

  /// The number added to a song's form, the byte that tells which fields follow, if the song has a priority.
  fileprivate static let withPriority = 3
  /// The number added to a song's form if the song is a URL. Its reach, the length of its metadata and the
  /// metadata then follow the priority. New in version 2 of the record.
  fileprivate static let withURL = 6

  /// The values of a URL's reach, by their number in the record.
  fileprivate static let reaches: [NetworkReach] = [.all, .publicOnly, .allForOthers]

  /// The minimum size of a song in bytes: id, form and the length of the path.
  private static let smallestRecord = 4 + 1 + 2

  /// Returns the record. Takes 0.1 s for 100,000 songs: copy the queue under the lock, and call this method
  /// on the copy after the lock is released.
  package func encoded() -> [UInt8] {
    // A path in a music collection takes about 64 bytes; longer ones only make encoding slower.
    var writer = RecordWriter(kind: .queue, capacity: count * (Self.smallestRecord + 64) + 12)
    writer.write(nextID)
    writer.write(UInt32(count))
    forEach(in: 0..<count) { _, queued in writer.write(queued) }
    return writer.finished()
  }
}

extension RecordWriter {
  fileprivate mutating func write(_ queued: QueuedSong) {
    let song = queued.song
    var form = song.range.map { $0.end == nil ? 1 : 2 } ?? 0
    if song.priority > 0 { form += SongQueue.withPriority }
    if song.locator.isRemote { form += SongQueue.withURL }
    write(queued.id.rawValue)
    write(UInt8(form))
    if song.priority > 0 { write(song.priority) }
    if song.locator.isRemote {
      write(UInt8(SongQueue.reaches.firstIndex(of: song.reach) ?? 1))
      let metadata = song.metadata?.encoded ?? []
      write(UInt32(metadata.count))
      write(metadata)
    }
    if let range = song.range {
      write(UInt32(clamping: range.start.rawValue))
      if let end = range.end { write(UInt32(clamping: end.rawValue)) }
    }
    write(song.locator)
  }

  mutating func write(_ locator: SongLocator) {
    write(UInt16(locator.bytes.count))
    write(locator.bytes)
  }
}

extension RecordReader {
  mutating func readLocator() throws(SavedStateError) -> SongLocator {
    let locator = SongLocator(path: try read(count: Int(try read(UInt16.self))))
    // A URL that is not in its normal form was not written by this program and might contain credentials.
    guard locator.isRemote ? locator.url.map(SongLocator.init) == locator : !locator.isTooLong else {
      throw .invalid
    }
    return locator
  }

  mutating func readSong() throws(SavedStateError) -> (id: SongID, song: Song) {
    let id = SongID(rawValue: try read())
    var form = Int(try read(UInt8.self))
    let isRemote = form >= SongQueue.withURL
    if isRemote { form -= SongQueue.withURL }
    var priority: UInt8 = 0
    if form >= SongQueue.withPriority {
      form -= SongQueue.withPriority
      priority = try read()
      guard priority > 0 else { throw .invalid }
    }
    var reach = NetworkReach.all
    var metadata: SongMetadata?
    if isRemote {
      let number = Int(try read(UInt8.self))
      guard SongQueue.reaches.indices.contains(number) else { throw .invalid }
      reach = SongQueue.reaches[number]
      let bytes = try read(count: Int(try read(UInt32.self)))
      metadata = SongMetadata(encoded: bytes)
      guard bytes.isEmpty || metadata != nil else { throw .invalid }
    }
    var range: SongRange?
    if form > 0 {
      guard form <= 2 else { throw .invalid }
      let start = Milliseconds(rawValue: Int64(try read(UInt32.self)))
      range = SongRange(
        start: start, end: form == 2 ? Milliseconds(rawValue: Int64(try read(UInt32.self))) : nil)
      guard range != nil else { throw .invalid }
    }
    let locator = try readLocator()
    guard locator.isRemote == isRemote else { throw .invalid }
    return (id, Song(locator, range: range, metadata: metadata, priority: priority, reach: reach))
  }
}

extension JukeboxMachine {
  /// Returns the state to save beside the queue, with the current song at `seconds`. The position is 0 when
  /// stopped, since `play` does not resume there. A negative or infinite position is saved as 0.
  package func savedPlayback(at seconds: Double) -> SavedPlayback {
    var saved = SavedPlayback()
    saved.state = state
    saved.isRepeating = isRepeating
    saved.isRandom = isRandom
    saved.single = single
    saved.consume = consume
    saved.volume = volume
    saved.isMuted = isMuted
    saved.replayGain = replayGain
    saved.speed = speed
    saved.isSwitchedOff = isSwitchedOff
    saved.current = currentSong.map {
      SavedPlayback.Current(
        id: $0.id, locatorChecksum: CRC32.checksum($0.song.locator.bytes),
        seconds: state != .stopped && seconds > 0 && seconds.isFinite ? seconds : 0)
    }
    return saved
  }

  /// Restores a jukebox. The two records may have been saved at different times: if the queue lacks the saved
  /// current song, no song is current and playback is stopped.
  ///
  /// The first effects contain the complete state for the player.
  package init(queue: SongQueue, playback: SavedPlayback, using generator: inout some RandomNumberGenerator) {
    self.init(using: &generator)
    self.queue = queue
    isRepeating = playback.isRepeating
    single = playback.single
    consume = playback.consume
    volume = min(max(playback.volume, 0), 100)
    isMuted = playback.isMuted
    replayGain = playback.replayGain
    speed = playback.speed
    isSwitchedOff = playback.isSwitchedOff
    let current = playback.current.flatMap { current in
      queue[current.id].flatMap {
        CRC32.checksum($0.locator.bytes) == current.locatorChecksum ? current : nil
      }
    }
    if let current {
      currentID = current.id
      state = playback.state
    }
    if playback.isRandom {
      isRandom = true
      drawOrder()
    }
    relaunch(at: current?.seconds ?? 0)
  }
}
