import AudioCore
import DequeModule

/// The frames that the output has taken and not played yet. Maps the stream's frame numbers to parts of
/// items.
struct RenderedTimeline: Sendable {
  /// A run of consecutive frames from one part of one item.
  struct Run: Hashable, Sendable {
    /// The stream's frame number of the first frame.
    var firstFrame: Int64
    var frameCount: Int64
    var generation: UInt64
    var item: ItemID
    var origin: Int64
    /// The number of output frames from `origin` to `firstFrame`.
    var offset: Int64
    /// Seconds of media per second of output.
    var speed: Double
    var ending: Chunk.Ending

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

    /// The stream's frame number after the last frame.
    var endFrame: Int64 { firstFrame + frameCount }

    /// Returns the stream's frame at `seconds` of the item, if the run goes on up to there. `start`: the position of its
    /// first frame.
    func streamFrame(atSeconds seconds: Double, start: ItemPosition) -> Double {
      Double(firstFrame) + start.outputFrames(untilSeconds: seconds) / speed
    }

    /// Appends `next` if it continues directly where this run ends. Returns whether it did.
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

  /// Appends a run, which may replace frames taken before.
  mutating func append(_ run: Run) {
    if let last = runs.last, run.firstFrame < last.endFrame { truncate(from: run.firstFrame) }
    if let last = runs.indices.last, runs[last].extend(by: run) { return }
    runs.append(run)
  }

  /// Returns the first run of `generation` or later. `isLast`: whether no run follows it yet.
  func first(since generation: UInt64) -> (run: Run, isLast: Bool)? {
    guard let index = runs.firstIndex(where: { $0.generation >= generation }) else { return nil }
    return (runs[index], index == runs.count - 1)
  }

  func runs(since generation: UInt64) -> [Run] { runs.filter { $0.generation >= generation } }

  /// Removes runs of generations before `generation`, which are never needed again.
  mutating func dropRuns(before generation: UInt64) {
    while let run = runs.first, run.generation < generation { runs.removeFirst() }
  }

  mutating func removeFirst() { _ = runs.popFirst() }

  /// Turns outdated item ends into continuing runs.
  mutating func dropEnds(where isOutdated: (Run) -> Bool) {
    for index in runs.indices where runs[index].ending == .end && isOutdated(runs[index]) {
      runs[index].ending = .none
    }
  }

  /// Removes the frames from `frame` on, because they were discarded unheard. An end mark at `frame` stays.
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
