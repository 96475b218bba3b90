import ControlProtocol
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import Jukebox

@Suite(.timeLimit(.minutes(10)))
struct SongQueueTests {
  static func song(_ name: String) -> Song { Song(path: Array(name.utf8)) }

  static func queue(_ count: Int) throws -> SongQueue {
    var queue = SongQueue()
    try queue.insert((0..<count).map { song("\($0)") })
    return queue
  }

  static func ids(_ queue: SongQueue) -> [UInt32] {
    var ids: [UInt32] = []
    queue.forEach(in: 0..<queue.count) { ids.append($1.id.rawValue) }
    return ids
  }

  static func changes(_ queue: SongQueue, since version: UInt32) -> [Int] {
    // In pieces, as long answers are made.
    var positions: [Int] = []
    var next: Int? = 0
    while let start = next {
      let (songs, rest) = queue.changes(since: version, in: start..<queue.count, limit: 3)
      positions += songs.map(\.position)
      next = rest
    }
    #expect(queue.changes(since: version).songs.map(\.position) == positions)
    return positions
  }

  // MARK: A queue and its clients

  /// A queue as an array. Whoever edits it says which positions count as changed.
  struct Model {
    var songs: [(id: UInt32, version: UInt32, content: Int)] = []
    var version: UInt32 = 1
    var nextID: UInt32 = 1

    mutating func edit(changed: Range<Int>, _ body: (inout Model) -> Void = { _ in }) {
      version += 1
      body(&self)
      for position in changed.clamped(to: 0..<songs.count) { songs[position].version = version }
    }
  }

  /// A client's copy of the queue: what it knew at some version, brought up to date by the changes and the length.
  struct Client {
    var version: UInt32
    var songs: [SongID?] = []

    mutating func update(from queue: SongQueue) {
      songs =
        Array(songs.prefix(queue.count)) + Array(repeating: nil, count: max(0, queue.count - songs.count))
      for (position, song) in queue.changes(since: version).songs { songs[position] = song.id }
      version = queue.version
    }
  }

  @Test(arguments: Rounds.seeds(1))
  func staysEqualToAnArrayAndItsClientsToIt(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var queue = SongQueue()
    var model = Model()
    var clients = Array(repeating: Client(version: 1), count: 8)
    for content in 1...500 {
      let count = model.songs.count
      let start = Int.random(in: 0...count, using: &random)
      let end = min(
        count, start + Int.random(in: 0...(Bool.random(using: &random) ? 2 : 100), using: &random))
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1, 2:
        let number = Int.random(in: 1...(count < 300 ? 30 : 1), using: &random)
        let ids = try queue.insert((0..<number).map { Self.song("\($0)") }, at: start)
        #expect(ids.map(\.rawValue) == (0..<UInt32(number)).map { model.nextID + $0 }, "seed \(seed)")
        model.edit(changed: start..<Int.max) { model in
          model.songs.insert(contentsOf: ids.map { ($0.rawValue, 0, 0) }, at: start)
          model.nextID += UInt32(number)
        }
      case 3 where start < end:
        let removed = queue.take(try queue.clamped(start..<end + (end == count ? 5 : 0)))
        #expect(removed.map(\.rawValue) == model.songs[start..<end].map(\.id), "seed \(seed)")
        model.edit(changed: start..<Int.max) { $0.songs.removeSubrange(start..<end) }
      case 4 where start < end:
        let target = Int.random(in: 0...count - (end - start), using: &random)
        try queue.move(start..<end, to: target)
        guard target != start else { break }
        model.edit(changed: min(start, target)..<max(end, target + end - start)) { model in
          let moved = model.songs[start..<end]
          model.songs.removeSubrange(start..<end)
          model.songs.insert(contentsOf: moved, at: target)
        }
      case 5 where start < end:
        try queue.swap(end - 1, start)
        model.edit(changed: start..<start + 1) { $0.songs.swapAt(start, end - 1) }
        model.songs[end - 1].version = model.version
      case 6 where end - start > 1:
        try queue.shuffle(start..<end, using: &random)
        let order = Self.ids(queue)[start..<end]
        model.edit(changed: start..<end) { model in
          let old = Dictionary(uniqueKeysWithValues: model.songs[start..<end].map { ($0.id, $0) })
          model.songs.replaceSubrange(start..<end, with: order.compactMap { old[$0] })
        }
      case 7 where start < end:
        let id = SongID(rawValue: model.songs[start].id)
        try queue.setRange(SongRange(start: UInt32(content)), of: id)
        model.edit(changed: start..<start + 1) { $0.songs[start].content = content }
      case 8 where content % 10 == 0:
        queue.removeAll()
        model.edit(changed: 0..<0) { $0.songs = [] }
      default:
        break
      }
      expectEqual(queue, model, seed: seed, random: &random)
      let client = Int.random(in: 0..<clients.count, using: &random)
      clients[client].update(from: queue)
      #expect(clients[client].songs.map { $0?.rawValue } == model.songs.map(\.id), "seed \(seed)")
    }
  }

  func expectEqual(_ queue: SongQueue, _ model: Model, seed: UInt64, random: inout SplitMix64) {
    #expect(queue.version == model.version && queue.count == model.songs.count, "seed \(seed)")
    #expect(Self.ids(queue) == model.songs.map(\.id), "seed \(seed)")
    for _ in 0..<3 where !model.songs.isEmpty {
      let position = Int.random(in: 0..<model.songs.count, using: &random)
      let song = model.songs[position]
      #expect(queue[position: position]?.id.rawValue == song.id, "seed \(seed)")
      #expect(queue.position(of: SongID(rawValue: song.id)) == position, "seed \(seed)")
      #expect(
        Int(queue[SongID(rawValue: song.id)]?.range?.start.rawValue ?? 0) == song.content, "seed \(seed)")
    }
    for since in [0, model.version, UInt32.random(in: 1...model.version, using: &random), model.version + 1] {
      let all = since == 0 || since > model.version
      let expected = model.songs.indices.filter { all || model.songs[$0].version > since }
      #expect(Self.changes(queue, since: since) == expected, "seed \(seed), since \(since)")
    }
    #expect(queue[position: -1] == nil && queue[position: model.songs.count] == nil, "seed \(seed)")
    #expect(queue.position(of: SongID(rawValue: model.nextID)) == nil, "seed \(seed)")
  }

  // MARK: Versions

  @Test func anEditIsOneVersion() throws {
    var queue = try Self.queue(5)
    var random = SplitMix64(state: 1)
    var version = queue.version
    func expect(_ steps: UInt32, _ what: String) {
      #expect(queue.version == version + steps, "\(what)")
      version = queue.version
    }
    try queue.insert([])
    expect(0, "insert nothing")
    try queue.insert([Self.song("a"), Self.song("b")], at: 2)
    expect(1, "insert two")
    queue.take(1..<1)
    expect(0, "remove nothing")
    queue.take(try queue.clamped(7..<9))
    expect(0, "remove behind the end")
    queue.take(1..<3)
    expect(1, "remove two")
    try queue.move(1..<3, to: 1)
    expect(0, "move to where it is")
    try queue.swap(1, 1)
    expect(1, "swap with itself")
    try queue.shuffle(1..<2, using: &random)
    expect(0, "shuffle one")
    queue.removeAll()
    expect(1, "clear")
    queue.removeAll()
    expect(1, "clear what is empty")
  }

  @Test func removalAtTheEndShowsOnlyInTheLength() throws {
    var queue = try Self.queue(5)
    let version = queue.version
    queue.take(3..<5)
    #expect(Self.changes(queue, since: version) == [])
    #expect(queue.count == 3)
  }

  @Test func aVersionOfAnotherLifeGivesAll() throws {
    let queue = try Self.queue(3)
    #expect(queue.version == 2)
    #expect(Self.changes(queue, since: 2) == [])
    #expect(Self.changes(queue, since: 3) == [0, 1, 2])
    #expect(Self.changes(queue, since: .max) == [0, 1, 2])
    #expect(Self.changes(queue, since: 0) == [0, 1, 2])
  }

  @Test func versionsBeginAgainBehind31Bits() throws {
    var queue = SongQueue(edition: (1 << 31) - 2)
    #expect(queue.version == (1 << 31) - 2)
    try queue.insert((0..<4).map { Self.song("\($0)") })
    #expect(queue.version == (1 << 31) - 1)
    try queue.swap(0, 1)
    #expect(queue.version == 1)
    #expect(Self.changes(queue, since: (1 << 31) - 1) == [0, 1, 2, 3])
    #expect(Self.changes(queue, since: 1) == [])
    try queue.swap(2, 3)
    #expect(queue.version == 2)
    #expect(Self.changes(queue, since: 1) == [2, 3])
    #expect(Self.changes(queue, since: 0) == [0, 1, 2, 3])
  }

  @Test func changesAreCutToTheRangeAskedFor() throws {
    var queue = try Self.queue(10)
    let version = queue.version
    queue.take(0..<1)
    var positions: [Int] = []
    positions += queue.changes(since: version, in: 4..<100).songs.map(\.position)
    #expect(positions == [4, 5, 6, 7, 8])
  }

  @Test func metadataOfManySongsIsOneVersionAndMovesNothing() throws {
    var queue = try Self.queue(10)
    let version = queue.version
    let metadata = SongMetadata(duration: 3)
    queue.setMetadata([3, 7, 99].map { (SongID(rawValue: $0), metadata) })
    #expect(queue.version == version + 1)
    #expect(Self.changes(queue, since: version) == [2, 6])
    #expect(queue[SongID(rawValue: 3)]?.metadata == metadata)
    // A song that is not in the queue, and tags that are known already.
    queue.setMetadata([99, 3].map { (SongID(rawValue: $0), metadata) })
    #expect(queue.version == version + 1)
  }

  // MARK: Limits

  @Test func refusesWhatIsNotThere() throws {
    var queue = try Self.queue(3)
    var random = SplitMix64(state: 1)
    let copy = queue
    #expect(throws: JukeboxError.badSongIndex) { try queue.insert([Self.song("a")], at: 4) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.insert([Self.song("a")], at: -1) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.clamped(4..<5) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.clamped(-1..<2) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.move(1..<1, to: 0) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.move(2..<4, to: 0) }
    #expect(throws: JukeboxError.numberTooLarge(2)) { try queue.move(0..<2, to: 2) }
    #expect(throws: JukeboxError.numberTooLarge(-1)) { try queue.move(0..<2, to: -1) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.swap(0, 3) }
    #expect(throws: JukeboxError.badSongIndex) { try queue.shuffle(4..<5, using: &random) }
    #expect(throws: JukeboxError.noSuchSong) { try queue.setRange(nil, of: SongID(rawValue: 4)) }
    let path = Array(repeating: UInt8(ascii: "a"), count: SongLocator.maximumPathLength + 1)
    #expect(throws: JukeboxError.pathTooLong) { try queue.insert([Song(path: path)]) }
    #expect(queue.version == copy.version && Self.ids(queue) == Self.ids(copy))
  }

  @Test func hasABound() throws {
    var queue = SongQueue()
    let song = Self.song("a")
    try queue.insert(Array(repeating: song, count: SongQueue.maximumCount - 1))
    #expect(throws: JukeboxError.queueFull) { try queue.insert([song, song]) }
    try queue.insert([song])
    #expect(throws: JukeboxError.queueFull) { try queue.insert([song]) }
    queue.removeAll()
    #expect(try queue.insert([song]).first?.rawValue == UInt32(SongQueue.maximumCount) + 1)
  }

  @Test func numbersEndAndAreNeverUsedAgain() throws {
    var queue = try #require(SongQueue(restoring: [], nextID: UInt64(UInt32.max)))
    #expect(throws: JukeboxError.queueFull) { try queue.insert([Self.song("a"), Self.song("b")]) }
    #expect(try queue.insert([Self.song("a")]).first?.rawValue == .max)
    queue.removeAll()
    #expect(throws: JukeboxError.queueFull) { try queue.insert([Self.song("a")]) }
  }

  @Test func aCopyIsASnapshot() throws {
    var queue = try Self.queue(5)
    let snapshot = queue
    queue.take(0..<3)
    try queue.insert([Self.song("new")], at: 0)
    #expect(Self.ids(snapshot) == [1, 2, 3, 4, 5])
    #expect(Self.ids(queue) == [6, 4, 5])
  }

  // MARK: Songs

  @Test(
    arguments: [
      (nil, nil, nil, nil),
      (200.5, nil, nil, 200.5),
      (200.5, 1000, nil, 199.5),
      (200.5, 1000, 3000, 2),
      (nil, 1000, 3000, 2),
      (nil, 1000, nil, nil),
      (2, 1000, 3000, 1),
      (0.5, 1000, 3000, 0),
    ] as [(Double?, UInt32?, UInt32?, Double?)])
  func aRangeCutsTheLength(file: Double?, start: UInt32?, end: UInt32?, expected: Double?) {
    let song = Song(
      path: [], range: start.flatMap { SongRange(start: $0, end: end) },
      metadata: file.map { SongMetadata(duration: $0) })
    #expect(song.duration == expected)
  }

  @Test func rangesAreOfSomeLengthAndFitIntoAStateFile() {
    #expect(SongRange(start: 0, end: .max) != nil)
    #expect(SongRange(start: 1000, end: 500) == nil && SongRange(start: 500, end: 500) == nil)
    let beyond = Milliseconds(rawValue: SongRange.limit + 1)
    #expect(SongRange(start: beyond, end: nil) == nil)
    #expect(SongRange(start: Milliseconds(rawValue: 0), end: beyond) == nil)
    #expect(SongRange(start: Milliseconds(rawValue: -1), end: nil) == nil)
  }
}

/// Songs from the network among files.
@Suite(.timeLimit(.minutes(10))) struct RemoteSongTests {
  @Test func aURLIsNoPath() throws {
    let url = try SavedStateTests.url("http://host:80/a?b#c")
    #expect(url.isRemote && url.path == nil && url.url?.text == "http://host/a?b")
    for path in ["/http://host/", "", "/", "http", "http:/host", "https:"] {
      let locator = SongLocator(path: Array(path.utf8))
      #expect(!locator.isRemote && locator.url == nil && locator.path == Array(path.utf8))
    }
  }

  /// 100,000 songs cost the same, wherever they are.
  @Test func anEntryIsThreeWords() {
    #expect(MemoryLayout<EntryPages.Entry>.stride == 24)
    #expect(MemoryLayout<SongLocator>.size == MemoryLayout<[UInt8]>.size)
  }

  @Test func lengthsHaveTheirLimits() throws {
    var queue = SongQueue()
    let longest = try SavedStateTests.url("http://h/" + String(repeating: "x", count: NetworkLimits.url - 9))
    #expect(longest.bytes.count == NetworkLimits.url)
    try queue.insert([Song(longest)])
    #expect(throws: WebURL.Problem.tooLong) {
      try WebURL.read("http://h/" + String(repeating: "x", count: NetworkLimits.url - 8))
    }
    #expect(try SongQueue(encoded: queue.encoded())[position: 0]?.song.locator == longest)
  }

  @Test func whoAddedASongStaysKnown() throws {
    var queue = SongQueue()
    try queue.insert([
      Song(SavedStateTests.url("http://a/")), Song(SavedStateTests.url("http://b/"), reach: .publicOnly),
    ])
    try queue.move(1..<2, to: 0)
    #expect(queue[position: 0]?.song.reach == .publicOnly && queue[position: 1]?.song.reach == .all)
    queue.take(0..<1)
    try queue.insert([SongQueueTests.song("/a.mp3")])
    #expect(queue[position: 1]?.song.reach == .all)
  }

  @Test func whatASongSaysTakesThePlaceOfWhatItSaidBefore() throws {
    var queue = SongQueue()
    let ids = try queue.insert([Song(SavedStateTests.url("http://a/")), SongQueueTests.song("/a.mp3")])
    try queue.addTag(SongTag(.artist, "Mine"), to: ids[0])
    queue.learn(ids[0], SongMetadata(tags: [SongTag(.name, "Station"), SongTag(.title, "One")]))
    queue.learn(ids[0], SongMetadata(duration: 2.5))
    queue.learn(ids[0], SongMetadata(tags: [SongTag(.title, "Two")]))
    let tags = [SongTag(.artist, "Mine"), SongTag(.name, "Station"), SongTag(.title, "Two")]
    #expect(queue[ids[0]]?.metadata?.tags == tags && queue[ids[0]]?.duration == 2.5)
    let version = queue.version
    queue.learn(ids[0], SongMetadata(duration: 2.5, tags: [SongTag(.title, "Two")]))
    queue.learn(ids[1], SongMetadata(duration: 1, tags: [SongTag(.title, "x")]))
    queue.learn(SongID(rawValue: 99), SongMetadata(duration: 1))
    #expect(queue.version == version && queue[ids[1]]?.metadata == nil)
    queue.learn(ids[0], SongMetadata(tags: [SongTag(.title, "")]))
    #expect(queue[ids[0]]?.metadata?.tags == [SongTag(.artist, "Mine"), SongTag(.name, "Station")])
    queue.learn(ids[0], SongMetadata(sampleRate: 48_000, channels: 1))
    queue.learn(ids[0], SongMetadata(duration: 3))
    let metadata = queue[ids[0]]?.metadata
    #expect(metadata?.sampleRate == 48_000 && metadata?.channels == 1 && metadata?.duration == 3)
  }

  @Test func tagsOfSongsFromTheNetworkAreEdited() throws {
    var queue = SongQueue()
    let ids = try queue.insert([Song(SavedStateTests.url("http://a/")), SongQueueTests.song("/a.mp3")])
    let version = queue.version
    try queue.addTag(SongTag(.title, "One"), to: ids[0])
    try queue.addTag(SongTag(.artist, "Two"), to: ids[0])
    try queue.addTag(SongTag(.title, "Three"), to: ids[0])
    #expect(queue.version == version + 3)
    let all = [SongTag(.title, "One"), SongTag(.artist, "Two"), SongTag(.title, "Three")]
    #expect(queue[ids[0]]?.metadata?.tags == all)
    #expect(try SongQueue(encoded: queue.encoded())[ids[0]]?.metadata?.tags == all)
    try queue.removeTags(.title, of: ids[0])
    #expect(queue[ids[0]]?.metadata?.tags == [SongTag(.artist, "Two")])
    try queue.removeTags(nil, of: ids[0])
    #expect(queue[ids[0]]?.metadata?.tags == [])
    #expect(throws: JukeboxError.songIsLocal) { try queue.addTag(SongTag(.title, "x"), to: ids[1]) }
    #expect(throws: JukeboxError.songIsLocal) { try queue.removeTags(nil, of: ids[1]) }
    #expect(throws: JukeboxError.noSuchSong) {
      try queue.addTag(SongTag(.title, "x"), to: SongID(rawValue: 99))
    }
    let long = SongTag(.comment, Argument(Array(repeating: 0x61, count: 8_000)))
    for _ in 0..<8 { try queue.addTag(long, to: ids[0]) }
    #expect(throws: JukeboxError.queueFull) { try queue.addTag(long, to: ids[0]) }
  }
}
