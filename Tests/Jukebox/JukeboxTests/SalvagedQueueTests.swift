import ControlProtocol
import SystemSupport
import TestSupport
import Testing
import Transfer

@testable import Jukebox

/// What is saved of a damaged queue.
@Suite(.timeLimit(.minutes(10))) struct SalvagedQueueTests {
  /// Names of many lengths, some with ranges, some of them URLs, in an order that is not that of the numbers.
  static func queue(_ count: Int, seed: UInt64 = 1) throws -> SongQueue {
    var random = SplitMix64(state: seed)
    var queue = SongQueue()
    try queue.insert(
      try (0..<count).map { number in
        let name = String(repeating: "x", count: Int.random(in: 0...80, using: &random))
        let range =
          number.isMultiple(of: 5)
          ? SongRange(
            start: Milliseconds(rawValue: 1000), end: number == 0 ? nil : Milliseconds(rawValue: 2000)) : nil
        if number % 7 == 3 {
          let url = try WebURL.read("http://radio.example/\(number)\(name)").url
          return Song(SongLocator(url), range: range, reach: number % 2 == 0 ? .all : .publicOnly)
        }
        return Song(path: Array("/music/\(number)\(name).mp3".utf8), range: range)
      })
    try queue.shuffle(0..<count, using: &random)
    return queue
  }

  typealias Entry = (id: UInt32, path: [UInt8], range: SongRange?)
  static func entries(_ queue: SongQueue) -> [Entry] { SavedStateTests.songs(queue).map { ($0, $1, $2) } }

  /// How many of `original` are in `salvaged` unchanged; nil if their order has changed.
  static func whole(_ salvaged: SongQueue, of original: SongQueue) -> Int? {
    let places = Dictionary(uniqueKeysWithValues: entries(original).enumerated().map { ($1.id, ($0, $1)) })
    let found = entries(salvaged).compactMap { entry -> Int? in
      places[entry.id].flatMap { $1 == entry ? $0 : nil }
    }
    return found == found.sorted() ? found.count : nil
  }

  /// What is salvaged is a queue like any other.
  static func isUsable(_ queue: SongQueue) throws -> Bool {
    var queue = queue
    let count = queue.count
    try queue.insert([Song(path: Array("/new.mp3".utf8))])
    return try entries(SongQueue(encoded: queue.encoded())).count == count + 1
  }

  @Test func nothingIsLostOfAWholeQueue() throws {
    let queue = try Self.queue(50)
    let salvaged = SalvagedQueue(damaged: queue.encoded())
    #expect(Self.entries(salvaged.queue).elementsEqual(Self.entries(queue)) { $0 == $1 })
    #expect(salvaged.originalCount == 50)
    #expect(salvaged.queue.nextID == queue.nextID)
  }

  @Test func oneDamagedByteCostsAtMostTwoSongs() throws {
    let queue = try Self.queue(12)
    let bytes = queue.encoded()
    for place in bytes.indices {
      let change = [0x01, 0x80, 0xff][place % 3] as UInt8
      var damaged = bytes
      damaged[place] ^= change
      let salvaged = SalvagedQueue(damaged: damaged)
      let whole = try #require(Self.whole(salvaged.queue, of: queue), "\(place)")
      #expect(whole >= 10, "\(place), \(change): \(whole)")
      #expect(salvaged.queue.count <= 13)
      #expect(try Self.isUsable(salvaged.queue))
    }
  }

  @Test func cutsKeepWhatIsBeforeThem() throws {
    let queue = try Self.queue(30)
    let bytes = queue.encoded()
    var last = 0
    for count in bytes.indices {
      let salvaged = SalvagedQueue(damaged: Array(bytes[..<count]))
      let whole = try #require(Self.whole(salvaged.queue, of: queue))
      #expect(whole == salvaged.queue.count && whole >= last && whole <= last + 1)
      if whole > 0 { #expect(salvaged.originalCount == 30) }
      last = whole
    }
    #expect(last == 30)
  }

  /// Blocks of the disk: zeros, noise, a piece that is missing, one that is there twice.
  @Test(arguments: Rounds.seeds(1)) func blocksCostWhatWasInThem(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let queue = try Self.queue(400, seed: seed)
    let bytes = queue.encoded()
    for _ in 0..<15 {
      let size = Int.random(in: 1...512, using: &random)
      let start = Int.random(in: 0..<bytes.count - size, using: &random)
      let block = start..<start + size
      // No song takes fewer than 20 bytes.
      let limit = size / 20 + 2
      for kind in 0..<4 {
        var damaged = bytes
        switch kind {
        case 0: damaged.replaceSubrange(block, with: repeatElement(0, count: size))
        case 1:
          damaged.replaceSubrange(block, with: block.map { _ in UInt8.random(in: 0...255, using: &random) })
        case 2: damaged.removeSubrange(block)
        default: damaged.insert(contentsOf: bytes[block], at: start)
        }
        let salvaged = SalvagedQueue(damaged: damaged)
        let whole = try #require(Self.whole(salvaged.queue, of: queue), "seed \(seed), \(block), \(kind)")
        #expect(whole >= 400 - limit, "seed \(seed), \(block), \(kind)")
        #expect(try Self.isUsable(salvaged.queue))
      }
    }
  }

  @Test func noiseHoldsNoSongs() {
    var random = SplitMix64(state: 7)
    for length in [0, 1, 20, 1000, 100_000] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(SalvagedQueue(damaged: bytes).queue.isEmpty)
    }
  }

  /// A number that was hit must not use up all numbers there are.
  @Test func hugeNumberIsNotBelieved() throws {
    var bytes = try Self.queue(3).encoded()
    let first = RecordKind.queue.header.count + 12
    bytes[first + 3] = 0xff
    bytes[RecordKind.queue.header.count + 7] = 0xff
    let salvaged = SalvagedQueue(damaged: bytes)
    #expect(salvaged.queue.count == 2 && salvaged.originalCount == 3)
    #expect(salvaged.queue.nextID <= 4)
  }

  /// A large file of something else does not hold up the start: what is behind the limit is not looked at.
  @Test func searchIsBounded() throws {
    let songs = try Self.queue(3).encoded()
    func count(after zeros: Int) -> Int {
      SalvagedQueue(damaged: [UInt8](repeating: 0, count: zeros) + songs, limit: 10_000).queue.count
    }
    #expect(count(after: 9_900) == 3)
    #expect(count(after: 10_100) == 0)
  }
}
