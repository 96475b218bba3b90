package import ControlProtocol
import Transfer

/// Why a record could not be read.
package enum SavedStateError: Error, Hashable, Sendable {
  /// It is something else.
  case foreign
  /// A newer program wrote it.
  case unknownVersion
  /// It is cut off or its checksum is wrong.
  case damaged
  /// The checksum is right, and what it says cannot be.
  case invalid
}

extension SavedStateError: CustomStringConvertible {
  /// Words for a person.
  package var description: String {
    switch self {
    case .foreign: "not a file of this program"
    case .unknownVersion: "a newer version of this program wrote it"
    case .damaged: "cut off, or changed since it was written"
    case .invalid: "it says what cannot be"
    }
  }
}

/// All of the state but the queue: small, so that it can be written every second.
package struct SavedPlayback: Hashable, Sendable {
  /// The size of the largest record in bytes; a file that is longer is none.
  package static let maximumSize = 64

  /// The song that was the current one, and how to know it again.
  package struct Current: Hashable, Sendable {
    /// Its number.
    package var id: SongID
    /// A checksum of its locator: the number may belong to the queue of another life.
    package var locatorChecksum: UInt32
    /// Where it stood, in seconds: finite, not negative.
    package var seconds: Double

    /// Nothing is checked; `SavedPlayback(encoded:)` does.
    package init(id: SongID, locatorChecksum: UInt32, seconds: Double) {
      self.id = id
      self.locatorChecksum = locatorChecksum
      self.seconds = seconds
    }
  }

  /// What was asked for.
  package var state = PlaybackState.stopped
  /// The current song.
  package var current: Current?
  /// The mode.
  package var isRepeating = false
  /// The mode. The order that chance made is not kept; a new one is drawn.
  package var isRandom = false
  /// The mode.
  package var single = OneshotMode.off
  /// The mode.
  package var consume = OneshotMode.off
  /// 0 ... 100.
  package var volume = 100
  /// Whether it was silent.
  package var isMuted = false
  /// The mode.
  package var replayGain = ReplayGainMode.off

  /// A fresh jukebox's.
  package init() {}

  /// Reads a record. Any bytes are allowed.
  package init(encoded bytes: [UInt8]) throws(SavedStateError) {
    var reader = try RecordReader(bytes, kind: .playback)
    state = try reader.readCase()
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
    try reader.finish()
    guard volume <= 100, hasReplayGain == (replayGain != .off), state == .stopped || current != nil else {
      throw .invalid
    }
  }

  /// The record.
  package func encoded() -> [UInt8] {
    var writer = RecordWriter(kind: .playback, capacity: Self.maximumSize)
    writer.write(state.rawValue)
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
    // Only where it is on: without it, programs that do not know it yet can read the record.
    if replayGain != .off { writer.write(replayGain) }
    return writer.finished()
  }
}

extension SongQueue {
  /// Reads a record of a queue: songs, their numbers, ranges and priorities, and of URLs what they have said about
  /// themselves; the version begins anew. Any bytes are allowed, and no more memory is used than they justify.
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

  /// What is added to the form of a song with a priority, which follows.
  fileprivate static let withPriority = 3
  /// What is added to the form of a URL. Behind the priority follow whom it may reach and, behind a length, what it has said
  /// about itself. No song had it before version 2.
  fileprivate static let withURL = 6

  /// Whom a URL may reach, by the number that stands for it.
  fileprivate static let reaches: [NetworkReach] = [.all, .publicOnly, .allForOthers]

  /// A song without range and path: number, form, length.
  private static let smallestRecord = 4 + 1 + 2

  /// The record. It takes a tenth of a second for 100,000 songs: make a copy of the queue under the lock and call this
  /// after it is released.
  package func encoded() -> [UInt8] {
    // 64 bytes are what a path of a collection takes; more is only slower.
    var writer = RecordWriter(kind: .queue, capacity: count * (Self.smallestRecord + 64) + 12)
    writer.write(nextID)
    writer.write(UInt32(count))
    forEach(in: 0..<count) { _, queued in writer.write(queued) }
    return writer.finished()
  }
}

extension RecordWriter {
  /// A song of a queue.
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
    write(UInt16(song.locator.bytes.count))
    write(song.locator.bytes)
  }
}

extension RecordReader {
  /// The next song of a queue.
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
    let locator = SongLocator(path: try read(count: Int(try read(UInt16.self))))
    // A URL that is not written as it would be sent was written by nobody here: there may be credentials in it.
    guard isRemote ? locator.url.map(SongLocator.init) == locator : !locator.isRemote && !locator.isTooLong
    else { throw .invalid }
    return (id, Song(locator, range: range, metadata: metadata, priority: priority, reach: reach))
  }
}

extension JukeboxMachine {
  /// What is to be saved beside the queue, with the current song at `seconds`. When stopped, `play` begins a song at
  /// its beginning, so there it is 0.
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
    saved.current = currentSong.map {
      SavedPlayback.Current(
        id: $0.id, locatorChecksum: CRC32.checksum($0.song.locator.bytes),
        seconds: state != .stopped && seconds > 0 && seconds.isFinite ? seconds : 0)
    }
    return saved
  }

  /// A jukebox as it was saved. The two records may be of different moments: a current song that the queue does not
  /// have is none, and playback is stopped then.
  ///
  /// The first effects tell the player everything.
  package init(queue: SongQueue, playback: SavedPlayback, using generator: inout some RandomNumberGenerator) {
    self.init(using: &generator)
    self.queue = queue
    isRepeating = playback.isRepeating
    single = playback.single
    consume = playback.consume
    volume = min(max(playback.volume, 0), 100)
    isMuted = playback.isMuted
    replayGain = playback.replayGain
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
