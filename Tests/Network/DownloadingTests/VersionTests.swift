import Clocks
import Downloading
import Foundation
import TestSupport
import Testing
import Transfer

/// Downloads from servers that have two versions and do not tell which: with the same tag for both, or with none.
@Suite("Downloads of two versions that only their bytes tell apart")
struct VersionTests {
  /// What two versions have in common.
  enum Likeness: CaseIterable {
    /// Nothing: they are random bytes.
    case none
    /// Random stretches of up to 6,000 bytes.
    case stretches
  }

  /// How a download ended.
  private enum Result { case whole, mixed, failed }

  @Test(
    "the file is one of them, whatever connections are cut and processes are killed; if not, they are alike where they meet",
    arguments: Likeness.allCases)
  func walk(_ likeness: Likeness) throws {
    let rounds = Rounds.count(500)
    var random = RandomSource(seed: 1)
    let base = random.bytes(200_000)
    var counts: [Result: Int] = [:]
    for seed in 0..<UInt64(rounds / Likeness.allCases.count) {
      var world = try DownloadWorld(likeness, base, seed: seed)
      world.run()
      let result = check(world, seed)
      counts[result, default: 0] += 1
      #expect(result != .mixed || likeness == .stretches, "seed \(seed)")
    }
    print("\(likeness): \(counts.map { "\($0.key) \($0.value)" }.sorted())")
    #expect(counts[.whole, default: 0] > rounds / 4)
  }

  @Test("the old version's record is replaced before its bytes are deleted, as power may fail in between")
  func recordIsReplacedBeforeBytesAreDeleted() throws {
    let lines = ["continuo download 1", "url: http://h/a", "length: 1000", "end", ""]
    let record = try #require(DownloadRecord(bytes: Array(lines.joined(separator: "\n").utf8)))
    let now = HostTime(nanoseconds: 0)
    var machine = DownloadMachine(
      record, settings: RequestSettings(userAgent: "Continuo/1"), policy: DownloadPolicy(), seed: 1, now: now)
    let store = DownloadWorld.Store(bytes: [UInt8](repeating: 1, count: 1_000))
    _ = machine.handle(.time, at: now, store: store)
    _ = machine.handle(.event(.head(ResponseHead(status: 200)), attempt: 1), at: now, store: store)
    let commands = machine.handle(.event(.body([2]), attempt: 1), at: now, store: store)
    let steps: [String] = commands.compactMap { command in
      switch command {
      case .save(let record): "save \(record.length)"
      case .discard: "discard"
      default: nil
      }
    }
    #expect(steps == ["save 0", "discard"])
  }

  @Test("a server that has another tag in each answer, and always cuts after as many bytes: the file comes")
  func tagOfEachMachine() throws {
    var random = RandomSource(seed: 3)
    let content = random.bytes(300_000)
    var settings = RequestSettings(userAgent: "Continuo/1")
    settings.wantsSound = false
    var now = HostTime(nanoseconds: 0)
    var machine = DownloadMachine(
      DownloadRecord(url: try WebURL.read("http://h/a").url), settings: settings, policy: DownloadPolicy(),
      seed: 1, now: now)
    var store = DownloadWorld.Store()
    var (requests, changes, isFinished) = (0, 0, false)
    var events: [TransferInput] = [.time]
    while !machine.isEnded, requests < 100 {
      if events.isEmpty { now = machine.wake ?? now }
      for command in machine.handle(events.isEmpty ? .time : events.removeFirst(), at: now, store: store) {
        switch command {
        case .transfer(.start(let request, let attempt)):
          requests += 1
          var head = ResponseHead(status: 200)
          var first = 0
          // `If-Range` never has the tag of the machine that answers.
          if let range = request.fields["Range"], request.fields["If-Range"] == nil {
            first = Int(range.dropFirst(6).dropLast()) ?? 0
            head = ResponseHead(
              status: 206, fields: [("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")]
            )
          }
          head.fields.add("Content-Length", "\(content.count - first)")
          head.fields.add("ETag", "\"\(requests)\"")
          let body = Array(content[first...].prefix(100_000))
          let end =
            first + body.count == content.count ? .end : TransferEvent.failure(TransferFailure(.lost, "cut"))
          events = [.head(head), .body(body), end].map { TransferInput.event($0, attempt: attempt) }
        case .transfer(.cancel): events = []
        case .write(let bytes, _): store.bytes += bytes
        case .discard: store.bytes = []
        case .finish: isFinished = true
        case .tell(.changed): changes += 1
        case .transfer, .save, .tell: break
        }
      }
    }
    #expect(isFinished && store.bytes == content && changes == 0 && requests <= 8, "\(requests) \(changes)")
  }

  /// Whether the result is whole. A mixed one must be of versions that are alike in all that was compared before the place where
  /// the one follows the other.
  private func check(_ world: DownloadWorld, _ seed: UInt64) -> Result {
    guard world.isFinished else { return .failed }
    let bytes = world.store.bytes
    if bytes == world.versions[0] || bytes == world.versions[1] { return .whole }
    #expect(bytes.count == world.versions[0].count, "seed \(seed)")
    // Of which version the last byte was that is not in both, and how many came since that are.
    var last: Int?
    var alike = 0
    for (index, byte) in bytes.enumerated() {
      let isOf = world.versions.map { $0[index] == byte }
      switch (isOf[0], isOf[1]) {
      case (true, true): alike += 1
      case (false, false): Issue.record("seed \(seed): byte \(index) is of neither version")
      default:
        let present = isOf[0] ? 0 : 1
        if let last, last != present {
          let least = world.hadManyTiny ? NetworkLimits.leastOverlap : NetworkLimits.overlap
          #expect(alike >= least, "seed \(seed): only \(alike) bytes are alike before \(index)")
        }
        last = present
        alike = 0
      }
    }
    return .mixed
  }
}

/// A download, its part on a disk and a server with two versions.
private struct DownloadWorld {
  struct Store: StoredBytes {
    var bytes: [UInt8] = []

    var intervals: IntervalSet {
      var intervals = IntervalSet()
      intervals.insert(0..<Int64(bytes.count))
      return intervals
    }

    func holds(_ other: ArraySlice<UInt8>, at offset: Int64) -> Bool {
      bytes[Int(offset)..<Int(offset) + other.count].elementsEqual(other)
    }
  }

  let versions: [[UInt8]]
  var store = Store()
  /// Whether three connections in a row brought less than 16 KiB.
  var hadManyTiny = false
  private(set) var isFinished = false
  private var random: RandomSource
  private var machine: DownloadMachine
  private var saved: DownloadRecord
  private var now = HostTime(nanoseconds: 0)
  private var present = 0
  private var requests = 0
  private var tiny = 0
  private var events: [(event: TransferEvent, attempt: Int)] = []
  private let seed: UInt64
  private let tag: String?
  private let hasRanges: Bool
  /// Of a hundred connections so many are tiny, and bring fewer bytes than this.
  private let tinyShare: Int
  private let tinyLimit: Int

  init(_ likeness: VersionTests.Likeness, _ base: [UInt8], seed: UInt64) throws {
    random = RandomSource(seed: seed)
    let size = 1 + random.below(random.below(4) == 0 ? 5_000 : 60_000)
    let first = Array(base[..<size])
    var second = Array(base[100_000..<100_000 + size])
    if likeness == .stretches {
      var place = random.below(3_000)
      while place < size {
        let end = min(size, place + 1 + random.below(6_000))
        second.replaceSubrange(place..<end, with: first[place..<end])
        place = end + 1 + random.below(3_000)
      }
    }
    versions = [first, second]
    tag = random.below(2) == 0 ? nil : "\"1\""
    hasRanges = random.below(8) > 0
    tinyShare = random.pick([0, 10, 50, 90])
    tinyLimit = random.pick([2, 20, 300, 5_000])
    self.seed = seed
    saved = DownloadRecord(url: try WebURL.read("http://h/a").url)
    machine = Self.machine(saved, seed, now)
  }

  private static func machine(_ record: DownloadRecord, _ seed: UInt64, _ now: HostTime) -> DownloadMachine {
    var settings = RequestSettings(userAgent: "Continuo/1")
    settings.wantsSound = false
    var policy = DownloadPolicy()
    policy.times.giveUp = .infinity
    return DownloadMachine(record, settings: settings, policy: policy, seed: seed, now: now)
  }

  mutating func run() {
    tell(.time)
    for _ in 0..<5_000 where !machine.isEnded {
      if !events.isEmpty {
        let (event, attempt) = events.removeFirst()
        now = now.advanced(bySeconds: 0.01)
        if requests < 40, random.below(60) == 0 { kill() } else { tell(.event(event, attempt: attempt)) }
      } else if let wake = machine.wake {
        now = max(now, wake)
        tell(.time)
      } else {
        return
      }
    }
  }

  /// As SIGKILL and a power cut do: what was not saved is gone.
  private mutating func kill() {
    events = []
    store.bytes.removeLast(store.bytes.count - Int(saved.length))
    machine = Self.machine(saved, seed, now)
    tiny = 0
    tell(.time)
  }

  private mutating func tell(_ input: TransferInput) {
    for command in machine.handle(input, at: now, store: store) {
      switch command {
      case .transfer(.start(let request, let attempt)): events = answer(request).map { ($0, attempt) }
      case .transfer(.cancel): events = []
      case .transfer: break
      case .write(let bytes, let offset):
        precondition(Int(offset) == store.bytes.count)
        store.bytes += bytes
      case .save(let record): saved = record
      case .discard: store.bytes = []
      case .finish: isFinished = true
      case .tell: break
      }
    }
  }

  private mutating func answer(_ request: TransferRequest) -> [TransferEvent] {
    requests += 1
    if requests < 40, random.below(4) == 0 { present = 1 - present }
    let content = versions[present]
    var head = ResponseHead(status: 200)
    var first = 0
    if hasRanges, let range = request.fields["Range"], let asked = Int(range.dropFirst(6).dropLast()) {
      guard asked < content.count else {
        return [
          .head(ResponseHead(status: 416, fields: [("Content-Range", "bytes */\(content.count)")])), .end,
        ]
      }
      first = asked
      head = ResponseHead(
        status: 206, fields: [("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")])
    }
    head.fields.add("Content-Length", "\(content.count - first)")
    if let tag { head.fields.add("ETag", tag) }
    let isTiny = requests < 40 && random.below(100) < tinyShare
    let most = isTiny ? random.below(tinyLimit) : requests < 40 ? random.below(40_000) : Int.max
    let body = content[first...].prefix(most)
    tiny = body.count < 4 * NetworkLimits.overlap ? tiny + 1 : 0
    if tiny >= NetworkLimits.tinyConnections { hadManyTiny = true }
    let ending =
      first + body.count == content.count ? .end : TransferEvent.failure(TransferFailure(.lost, "cut"))
    let middle = body.startIndex + (body.isEmpty ? 0 : random.below(body.count + 1))
    let parts = [body[..<middle], body[middle...]].filter { !$0.isEmpty }
    return [.head(head)] + parts.map { .body(Array($0)) } + [ending]
  }
}
