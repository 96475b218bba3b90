import AudioCore
import DequeModule

/// What the output took and was not heard yet, in its order: which of the stream's frames are which part of which item.
struct RenderedTimeline: Sendable {
  /// A run of frames that are one piece of one item.
  struct Run: Hashable, Sendable {
    /// The stream's number of the first frame.
    var firstFrame: Int64
    var frameCount: Int64
    var generation: UInt64
    var item: ItemID
    var origin: Int64
    /// Output frames since `origin` at `firstFrame`.
    var offset: Int64
    /// Seconds of the item in a second of output.
    var speed: Double
    var ending: Chunk.Ending

    /// The first `count` frames of `chunk`, taken as the stream's frames from `firstFrame` on.
    init(_ chunk: Chunk, count: Int, firstFrame: Int64) {
      self.firstFrame = firstFrame
      frameCount = Int64(count)
      generation = chunk.generation
      item = chunk.item
      origin = chunk.origin
      offset = chunk.offset
      speed = chunk.speed
      ending = count == chunk.frameCount ? chunk.ending : .none
    }

    /// The number of the first frame behind it.
    var endFrame: Int64 { firstFrame + frameCount }

    /// Takes in `next` if that goes on right where this run ends. Returns whether it did.
    mutating func extend(by next: Run) -> Bool {
      guard ending == .none, item == next.item, generation == next.generation, origin == next.origin,
        speed == next.speed, endFrame == next.firstFrame, offset + frameCount == next.offset
      else { return false }
      frameCount += next.frameCount
      ending = next.ending
      return true
    }
  }

  private var runs = Deque<Run>()

  var count: Int { runs.count }

  /// Adds what was taken next; it may take the place of what was taken before.
  mutating func append(_ run: Run) {
    if let last = runs.last, run.firstFrame < last.endFrame { truncate(from: run.firstFrame) }
    if let last = runs.indices.last, runs[last].extend(by: run) { return }
    runs.append(run)
  }

  /// The first run of `generation` or later. `isLast` tells whether it may still grow.
  func first(since generation: UInt64) -> (run: Run, isLast: Bool)? {
    guard let index = runs.firstIndex(where: { $0.generation >= generation }) else { return nil }
    return (runs[index], index == runs.count - 1)
  }

  /// All runs of `generation` or later.
  func runs(since generation: UInt64) -> [Run] { runs.filter { $0.generation >= generation } }

  /// Forgets the runs of generations before `generation`: nobody will ask for them.
  mutating func dropRuns(before generation: UInt64) {
    while let run = runs.first, run.generation < generation { runs.removeFirst() }
  }

  /// Forgets the first run, which was heard.
  mutating func removeFirst() { _ = runs.popFirst() }

  /// Makes runs that end their item and are outdated ones that go on.
  mutating func dropEnds(where isOutdated: (Run) -> Bool) {
    for index in runs.indices where runs[index].ending == .end && isOutdated(runs[index]) {
      runs[index].ending = .none
    }
  }

  /// Forgets everything from `frame` on: it was thrown away unheard.
  mutating func truncate(from frame: Int64) {
    while let last = runs.last, last.firstFrame >= frame,
      !(last.frameCount == 0 && last.firstFrame == frame)
    {
      runs.removeLast()
    }
    guard let last = runs.indices.last, runs[last].endFrame > frame else { return }
    runs[last].frameCount = frame - runs[last].firstFrame
    runs[last].ending = .none
  }
}
