import ControlProtocol
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import Jukebox

@Suite(.timeLimit(.minutes(10)))
struct SavedStateTests {
  /// A queue that has lived: gaps in the numbers, ranges, names that are not UTF-8.
  static func livedQueue() throws -> SongQueue {
    var queue = SongQueue()
    try queue.insert([
      Song(path: []), Song(path: [0xff, 0x0a, 0x00]), SongQueueTests.song("/music/a.mp3"),
      Song(path: Array(repeating: 0x61, count: SongLocator.maximumPathLength), range: SongRange(start: 5)),
      Song(path: [0x62], range: SongRange(start: 5, end: .max)),
    ])
    try queue.move(0..<1, to: 3)
    queue.take(1..<2)
    return queue
  }

  static func songs(_ queue: SongQueue) -> [(UInt32, [UInt8], SongRange?)] {
    var songs: [(UInt32, [UInt8], SongRange?)] = []
    queue.forEach(in: 0..<queue.count) {
      songs.append(($1.id.rawValue, $1.song.locator.bytes, $1.song.range))
    }
    return songs
  }

  /// URLs with all that is kept of them, among files.
  static func remoteQueue() throws -> SongQueue {
    let tags = SongMetadata(duration: 12.5, tags: [SongTag(.title, "Words"), SongTag(.name, "Radio")])
    var queue = SongQueue()
    try queue.insert([
      Song(try url("http://radio.example:8000/stream?a=b"), metadata: tags, reach: .publicOnly),
      SongQueueTests.song("/music/a.mp3"),
      Song(try url("https://[2001:db8::1]/a%20b.mp3"), range: SongRange(start: 5, end: .max), priority: 9),
      Song(try url("http://host/"), priority: 1, reach: .allForOthers),
    ])
    return queue
  }

  static func url(_ text: String) throws -> SongLocator { SongLocator(try WebURL.read(text).url) }

  static func livedPlayback() -> SavedPlayback {
    var saved = SavedPlayback()
    saved.state = .paused
    saved.current = .init(id: SongID(rawValue: 7), locatorChecksum: 0xdead_beef, seconds: 123.456)
    saved.isRepeating = true
    saved.single = .oneshot
    saved.volume = 42
    return saved
  }

  @Test func aQueueComesBackAsItWas() throws {
    let queue = try Self.livedQueue()
    let back = try SongQueue(encoded: queue.encoded())
    #expect(Self.songs(back).elementsEqual(Self.songs(queue)) { $0 == $1 })
    #expect(back.nextID == queue.nextID)
    #expect(try SongQueue(encoded: SongQueue().encoded()).isEmpty)
  }

  @Test func urlsComeBackWithWhatTheyHaveSaid() throws {
    let queue = try Self.remoteQueue()
    let bytes = queue.encoded()
    #expect(bytes.starts(with: "continuo queue 2\n".utf8))
    let back = try SongQueue(encoded: bytes)
    #expect(Self.songs(back).elementsEqual(Self.songs(queue)) { $0 == $1 })
    for position in 0..<queue.count {
      let (old, new) = (try #require(queue[position: position]), try #require(back[position: position]))
      #expect(new.song.locator == old.song.locator && new.song.reach == old.song.reach)
      #expect(new.song.metadata == old.song.metadata && new.song.priority == old.song.priority)
    }
    #expect(back[position: 0]?.song.locator.url?.host == "radio.example")
    #expect(back[position: 1]?.song.locator.url == nil)
  }

  /// As version 1 wrote it: numbers 7 (a range with an end, priority 3) and 2, the next one is 8.
  @Test func theFormerVersionIsRead() throws {
    var old = Array("continuo queue 1\n".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]
    old += [7, 0, 0, 0, 5, 3, 5, 0, 0, 0, 9, 0, 0, 0, 6, 0] + Array("/a.mp3".utf8)
    old += [2, 0, 0, 0, 0, 2, 0, 0x2F, 0xFF]
    let sum = CRC32.checksum(old)
    let queue = try SongQueue(encoded: old + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) })
    #expect(queue.count == 2 && queue.nextID == 8)
    let first = try #require(queue[SongID(rawValue: 7)])
    #expect(first.locator == SongLocator(path: Array("/a.mp3".utf8)) && first.priority == 3)
    #expect(first.range == SongRange(start: 5, end: 9))
    #expect(queue[position: 1]?.song.locator.path == [0x2F, 0xFF])
  }

  @Test("The credentials of a song stay with it in the queue, and are not saved")
  func credentialsAreNotSaved() throws {
    let given = Credentials(user: "user", password: "S3CRET")
    var queue = SongQueue()
    try queue.insert([
      Song(try Self.url("http://a/"), credentials: given), Song(try Self.url("http://a/")),
      Song(try Self.url("http://b/"), reach: .allForOthers, credentials: given),
    ])
    try queue.swap(0, 1)
    #expect((0..<3).map { queue[position: $0]?.song.credentials } == [nil, given, given])
    #expect(queue.ownCredentials(for: try Self.url("http://a/")) == given)
    #expect(queue.ownCredentials(for: try Self.url("http://b/")) == nil)
    let saved = queue.encoded()
    #expect(!String(decoding: saved, as: UTF8.self).contains("S3CRET"))
    let restored = try SongQueue(encoded: saved)
    #expect((0..<3).allSatisfy { restored[position: $0]?.song.credentials == nil })
    // The next song in the same place in memory has none.
    queue.take(0..<3)
    try queue.insert([Song](repeating: Song(try Self.url("http://c/")), count: 3))
    #expect((0..<3).allSatisfy { queue[position: $0]?.song.credentials == nil })
  }

  /// A URL has no credentials once it is in the queue, so a record that has some was not written here.
  @Test(arguments: ["http://user:S3CRET@host/", "http://HOST/", "http://host", "ftp://host/", "/a.mp3"])
  func urlsThatNobodyWroteAreRefused(text: String) {
    var writer = RecordWriter(kind: .queue, capacity: 0)
    writer.write(UInt64(2))
    writer.write(UInt32(1))
    writer.write([1, 0, 0, 0, 6, 0, 0, 0, 0, 0])
    writer.write(UInt16(text.utf8.count))
    writer.write(Array(text.utf8))
    #expect(throws: SavedStateError.invalid) { try SongQueue(encoded: writer.finished()) }
  }

  @Test func playbackComesBackAsItWas() throws {
    var levelled = Self.livedPlayback()
    levelled.replayGain = .auto
    var (off, fastAndOff) = (SavedPlayback(), levelled)
    off.isSwitchedOff = true
    fastAndOff.isSwitchedOff = true
    fastAndOff.speed = PlaybackSpeed(clamping: 125)
    for saved in [Self.livedPlayback(), SavedPlayback(), levelled, off, fastAndOff] {
      let bytes = saved.encoded()
      #expect(bytes.count <= SavedPlayback.maximumSize)
      #expect(try SavedPlayback(encoded: bytes) == saved)
    }
  }

  /// Programs that do not know replay gain read the record as long as it is off.
  @Test func withoutReplayGainTheRecordIsAsItWas() {
    #expect(
      SavedPlayback().encoded().dropLast(4) == Array("continuo playback 1\n".utf8) + [
        0, 0, 0, 0, 0, 100, 0, 0,
      ])
  }

  @Test func theChecksumIsTheUsualOne() {
    #expect(CRC32.checksum(Array("123456789".utf8)) == 0xcbf4_3926)
  }

  @Test func everyCutAndEveryFlippedBitIsFound() throws {
    for bytes in [
      try Self.livedQueue().encoded(), try Self.remoteQueue().encoded(), Self.livedPlayback().encoded(),
    ] {
      func decodes(_ bytes: [UInt8]) -> Bool {
        (try? SongQueue(encoded: bytes)) != nil || (try? SavedPlayback(encoded: bytes)) != nil
      }
      #expect(decodes(bytes))
      let places =
        bytes.count < 100 ? Array(bytes.indices) : Array(0..<60) + [bytes.count - 5, bytes.count - 1]
      for place in places {
        #expect(!decodes(Array(bytes[..<place])))
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          #expect(!decodes(damaged))
        }
      }
      #expect(!decodes(bytes + [0]))
    }
  }

  @Test func saysWhatIsWrong() throws {
    let bytes = SavedPlayback().encoded()
    #expect(throws: SavedStateError.foreign) { try SavedPlayback(encoded: []) }
    #expect(throws: SavedStateError.foreign) { try SavedPlayback(encoded: SongQueue().encoded()) }
    #expect(throws: SavedStateError.foreign) { try SongQueue(encoded: bytes) }
    let newest = Array("continuo queue 3\n".utf8) + SongQueue().encoded().dropFirst(17)
    #expect(throws: SavedStateError.unknownVersion) { try SongQueue(encoded: newest) }
    let newer = Array("continuo playback 2\n".utf8) + bytes.dropFirst(20)
    #expect(throws: SavedStateError.unknownVersion) { try SavedPlayback(encoded: newer) }
    #expect(throws: SavedStateError.damaged) { try SavedPlayback(encoded: Array(bytes.dropLast())) }
  }

  /// Records with a right checksum around wrong content: nothing but typed errors, and what is read can be written.
  @Test(arguments: Rounds.seeds(2))
  func anyContentIsReadOrRefused(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let originals: [(RecordKind, [UInt8])] = [
      (.queue, try SongQueueTests.queue(5).encoded()), (.queue, try Self.remoteQueue().encoded()),
      (.playback, Self.livedPlayback().encoded()),
    ]
    var read = 0
    for _ in 1...4000 {
      guard let (kind, original) = originals.randomElement(using: &random) else { return }
      var body = Array(original.dropFirst(kind.header.count).dropLast(4))
      for _ in 0..<Int.random(in: 0...3, using: &random) where !body.isEmpty {
        let place = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: body[place] = UInt8.random(in: 0...255, using: &random)
        case 1: body[place] = [0, 1, 2, 100, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
        case 2: body.remove(at: place)
        default: body.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
      }
      var writer = RecordWriter(kind: kind, capacity: body.count)
      writer.write(body)
      let bytes = writer.finished()
      do {
        switch kind {
        case .positions:
          #expect(
            try ResumePositions(encoded: bytes).encoded().count <= ResumePositions.maximumSize, "seed \(seed)"
          )
        case .queue:
          #expect(try SongQueue(encoded: bytes).encoded() == bytes, "seed \(seed)")
        case .playback:
          #expect(try SavedPlayback(encoded: bytes).encoded() == bytes, "seed \(seed)")
        }
        read += 1
      } catch {
        #expect(error == .invalid, "seed \(seed)")
      }
    }
    #expect(read > 0, "seed \(seed)")
  }

  @Test func anyBytesAreRefused() {
    var random = SplitMix64(state: 1)
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: SavedStateError.self) { try SongQueue(encoded: bytes) }
      #expect(throws: SavedStateError.self) { try SavedPlayback(encoded: bytes) }
    }
  }

  // MARK: A jukebox comes back

  static func restored(_ rig: Rig, at seconds: Double) throws -> Rig {
    var generator = SplitMix64(state: 2)
    var back = Rig()
    back.machine = JukeboxMachine(
      queue: try SongQueue(encoded: rig.machine.queue.encoded()),
      playback: try SavedPlayback(encoded: rig.machine.savedPlayback(at: seconds).encoded()),
      using: &generator)
    back.settle()
    return back
  }

  @Test(arguments: [
    "play 1", "pause 1", "stop", "single oneshot", "random 1", "consume 1", "repeat 1", "setvol 3",
    "replay_gain_mode track", "replay_gain_mode auto",
  ])
  func goesOnWhereItWas(command: String) throws {
    var rig = Rig(songs: 4)
    try rig.machine.play(position: 2)
    try JukeboxMachineTests.run(command, on: &rig)
    rig.settle()
    var back = try Self.restored(rig, at: 12.5)
    #expect(back.difference == nil)
    #expect(back.machine.currentID == rig.machine.currentID && back.machine.state == rig.machine.state)
    #expect(back.machine.savedPlayback(at: 12.5) == rig.machine.savedPlayback(at: 12.5))
    #expect(back.replayGain == rig.replayGain)
    if rig.machine.state != .stopped { #expect(back.seconds == 12.5) }
    back.machine.play()
    back.settle()
    #expect(back.current?.id == rig.machine.currentID)
  }

  @Test func recordsOfDifferentMomentsFitAsFarAsTheyCan() throws {
    var rig = Rig(songs: 4)
    try rig.machine.play(position: 2)
    let playback = rig.machine.savedPlayback(at: 5)
    var generator = SplitMix64(state: 2)
    // The queue is newer: its songs moved, the current one kept its number.
    try rig.machine.move(2..<3, to: .absolute(0))
    var back = JukeboxMachine(queue: rig.machine.queue, playback: playback, using: &generator)
    #expect(back.currentPosition == 0 && back.state == .playing)
    // The current one is gone.
    try rig.machine.delete(0..<1)
    back = JukeboxMachine(queue: rig.machine.queue, playback: playback, using: &generator)
    #expect(back.currentID == nil && back.state == .stopped)
    // The queue is another one, and the number somebody else's.
    let other = try SongQueueTests.queue(9)
    var moved = other
    try moved.insert([SongQueueTests.song("other")])
    var foreign = playback
    foreign.current?.id = SongID(rawValue: 10)
    back = JukeboxMachine(queue: moved, playback: foreign, using: &generator)
    #expect(back.currentID == nil && back.state == .stopped)
  }

  @Test func anAbsurdPlaceIsTheBeginning() {
    var rig = Rig(songs: 1)
    rig.machine.play()
    for seconds in [Double.nan, -.infinity, .infinity, -1] {
      #expect(rig.machine.savedPlayback(at: seconds).current?.seconds == 0)
    }
  }
}
