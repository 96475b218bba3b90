import AudioCore
import AudioOutput
import Clocks
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// Whatever is done to a queue in whatever order, on whatever device: what was heard can be explained.
@Suite(.timeLimit(.minutes(10)))
struct RandomWalkTests {
  struct Road: CustomStringConvertible, Sendable {
    var name: String
    var personality: SimulatedOutput.Personality
    var seed: UInt64
    var description: String { "\(name), seed \(seed)" }
  }

  /// Every personality; every other one with a death at a random moment.
  static let roads: [Road] = SimulatedOutput.personalities.enumerated().flatMap { index, entry in
    Rounds.seeds(1).map { round in
      let seed = UInt64(index * 10) + round
      let dies = (UInt64(index) + round).isMultiple(of: 2)
      var personality = entry.personality
      if dies, personality.death == nil {
        var random = RandomSource(seed: seed)
        personality.death = 0.3 + Double(random.next() % 8000) / 1000
        personality.revival = (personality.death ?? 0) + Double(random.next() % 2000) / 1000
      }
      return Road(name: dies ? entry.name + ", dies" : entry.name, personality: personality, seed: seed)
    }
  }

  /// Changes that no listener may notice: pauses, suspensions, and all that concerns items to come.
  @Test(arguments: roads)
  func whatConcernsLaterItemsIsNeverHeardAsAGap(_ road: Road) {
    let walk = Walk(road)
    walk.start()
    for _ in 0..<60 { walk.takeQuietStep() }
    walk.finish()
    walk.expectTime()
    walk.expectSteps()
    let ended = walk.harness.seen.compactMap { if case .ended(let number) = $0 { number } else { nil } }
    #expect(ended.count == walk.items.count - walk.removed.count)
    let expected = ended.map { Walk.Piece(item: $0, frames: 0..<walk.items[$0 - 1].frames) }
    #expect(walk.pieces.filter(walk.isSure) == expected.filter(walk.isSure))
  }

  /// Everything, with seeks and skips.
  @Test(arguments: roads)
  func whatWasHeardIsExplained(_ road: Road) {
    let walk = Walk(road)
    walk.start()
    for _ in 0..<120 { walk.takeStep() }
    walk.finish()
    walk.expectTime()
    walk.expectSteps()
    walk.expectExplained()
  }
}

/// A walk along one road.
private final class Walk {
  /// Frames of an item that were heard one after the other.
  struct Piece: Hashable {
    var item: Int
    var frames: Range<Int64>
  }

  let harness: EngineHarness
  private(set) var items: [SyntheticMedia] = []
  private(set) var removed: Set<Int> = []
  private var ids: [ItemID: Int] = [:]
  private var random: RandomSource
  private var jumps = 0
  /// Frames that a seek asked for.
  private var targets: Set<Int64> = [0]
  /// Items that a seek led into.
  private var jumpedItems: Set<Int> = []
  /// So many frames of what comes next may be heard although it was taken out meanwhile: the device cannot give them
  /// back, or had begun with them before it said so.
  private let strayFrames: Int
  private var isSuspended = false
  private var time: (item: ItemID?, seconds: Double) = (nil, 0)
  private var timeErrors: [String] = []

  init(_ road: RandomWalkTests.Road) {
    harness = EngineHarness(road.personality)
    let late = (road.personality.undroppable + road.personality.timingInterval) * 44_100
    strayFrames = Int(late.rounded(.up)) + road.personality.timingStepFrames
    random = RandomSource(seed: road.seed &* 7919)
  }

  private func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  private func add(after: ItemID? = nil) {
    // Sixty at most, so that each sample says which item it belongs to.
    guard items.count < 60 else { return }
    let frames: Int64 =
      switch number(8) {
      case 0: Int64(number(5))
      case 1: 441 * Int64(number(20))
      default: 1000 + Int64(number(50_000))
      }
    let media = SyntheticMedia(number: items.count + 1, frames: frames)
    items.append(media)
    ids[harness.add(media, after: after)] = media.number
  }

  func start() {
    _ = harness.observe()
    for _ in 0..<15 { add() }
    harness.engine.setRate(1)
  }

  private func anyItem() -> ItemID? {
    let all = harness.engine.items
    return all.isEmpty ? nil : all[number(all.count)]
  }

  private func remove(_ id: ItemID) {
    removed.insert(ids[id] ?? 0)
    harness.engine.remove(id)
  }

  private func suspendOrResume() {
    if isSuspended { harness.engine.resume() } else { harness.engine.suspend() }
    isSuspended.toggle()
  }

  func takeQuietStep() {
    switch number(6) {
    case 0: harness.engine.setRate(harness.engine.rate == 0 ? 1 : 0)
    case 1: if let id = anyItem(), id != harness.engine.currentItem { remove(id) }
    case 2: add(after: anyItem())
    case 3: suspendOrResume()
    case 4:
      if harness.engine.currentTime?.seconds ?? 0 < 0.02 { break }
      harness.engine.actionAtItemEnd = harness.engine.actionAtItemEnd == .advance ? .pause : .advance
    default: break
    }
    pass(number(400))
  }

  func takeStep() {
    switch number(8) {
    case 0:
      let seconds = Double(number(1500)) / 1000
      targets.insert(Int64((seconds * 44_100).rounded()))
      jumps += 1
      time = (nil, 0)
      if let id = harness.engine.currentItem { jumpedItems.insert(ids[id] ?? 0) }
      harness.seek(seconds)
    case 1:
      jumps += 1
      if let id = harness.engine.currentItem { remove(id) }
    case 2:
      guard let id = anyItem() else { break }
      if id == harness.engine.currentItem { jumps += 1 }
      remove(id)
    case 3: add(after: anyItem())
    default: return takeQuietStep()
    }
    pass(number(300))
  }

  /// Looks at the time again and again while it passes.
  private func pass(_ milliseconds: Int) {
    for _ in 0..<(milliseconds / 7 + 1) {
      harness.advance(0.007)
      let item = harness.engine.currentItem
      let seconds = harness.engine.currentTime?.seconds ?? 0
      if item == time.item, seconds < time.seconds - 1e-12 {
        timeErrors.append("\(time.seconds) → \(seconds) at \(harness.clock.now.seconds)")
      }
      time = (item, seconds)
    }
  }

  func finish() {
    if isSuspended { suspendOrResume() }
    harness.engine.actionAtItemEnd = .advance
    harness.engine.setRate(1)
    harness.playOut()
  }

  // MARK: What must hold

  /// What was heard. A frame of which the device had only a part when it died is heard twice, as nothing else ever
  /// is.
  var pieces: [Piece] {
    var result: [Piece] = []
    for sample in harness.heard {
      let number = Int64(sample * 16_777_216)
      let item = Int(number / 131_072)
      let frame = number % 131_072
      if let last = result.indices.last, result[last].item == item {
        if result[last].frames.upperBound == frame + 1 { continue }
        if result[last].frames.upperBound == frame {
          result[last].frames = result[last].frames.lowerBound..<frame + 1
          continue
        }
      }
      result.append(Piece(item: item, frames: frame..<frame + 1))
    }
    return result
  }

  /// Whether a piece is too long to be a stray, and an item to be heard only as one.
  func isSure(_ piece: Piece) -> Bool { piece.frames.count > strayFrames }

  func expectTime() {
    #expect(timeErrors.isEmpty)
  }

  /// Between two jumps an item's steps go up by one each, from its first to its last.
  func expectSteps() {
    var last: Int64?
    var item: Int?
    for event in harness.seen {
      switch event {
      case .step(let step):
        if let last {
          #expect(step == last + 1)
        } else if let item, !jumpedItems.contains(item) {
          #expect(step == 0)
        }
        last = step
      case .item(let number):
        item = number
        last = nil
      case .jumped: last = nil
      case .ended(let number):
        #expect(number == item)
        let frames = items[number - 1].frames
        if frames > 0, !jumpedItems.contains(number) { #expect(last == (frames - 1) / 441) }
      default: break
      }
    }
  }

  /// Each piece begins at an item's start or where a seek led, and ends with its item or by a jump; the items come in
  /// the order in which they were current.
  func expectExplained() {
    var breaks = 0
    var order = harness.seen.compactMap { if case .item(let number?) = $0 { number } else { nil } }[...]
    var current = 0
    for piece in pieces {
      let start = piece.frames.lowerBound
      #expect(start == 0 || targets.contains(start), "nobody asked for frame \(start) of item \(piece.item)")
      if piece.frames.upperBound != items[piece.item - 1].frames { breaks += 1 }
      guard piece.item != current, isSure(piece) else { continue }
      guard let index = order.firstIndex(of: piece.item) else {
        Issue.record("item \(piece.item) was heard out of turn")
        return
      }
      order = order[index...].dropFirst()
      current = piece.item
    }
    #expect(breaks <= jumps + removed.count, "more breaks than jumps")
  }
}
