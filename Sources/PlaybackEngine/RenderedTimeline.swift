import AudioCore
import DequeModule
import Synchronization

/// What the output took, in its order: which of the stream's frames are which part of which item.
///
/// Written by the output's thread for each piece that it takes, read by the conductor and by whoever asks for the
/// time. The lock is a leaf and held for a few instructions, so the output's thread may take it.
final class RenderedTimeline: Sendable {
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
    var ending: Chunk.Ending

    /// The number of the first frame behind it.
    var endFrame: Int64 { firstFrame + frameCount }
  }

  /// More pieces than this are not taken until some were heard: the deque is made for them once, so that the
  /// output's thread never allocates.
  static let capacity = 1024

  private let runs: Mutex<Deque<Run>>
  private let notifiesOfGrowth = Atomic<Bool>(false)

  init() {
    var deque = Deque<Run>()
    deque.reserveCapacity(Self.capacity)
    runs = Mutex(deque)
  }

  var isFull: Bool { runs.withLock { $0.count >= Self.capacity } }

  /// Whether there is room for many pieces: an output that was refused goes on then, and not for each single one.
  var hasRoom: Bool { runs.withLock { $0.count <= Self.capacity / 2 } }

  /// Lets the next `append` report a change also if it only makes the last run longer. Returns whether frames behind
  /// `frame` have come already.
  func notifyOfGrowth(behind frame: Int64) -> Bool {
    notifiesOfGrowth.store(true, ordering: .sequentiallyConsistent)
    return runs.withLock { ($0.last?.endFrame ?? frame) > frame }
  }

  /// Notes that `count` frames of `chunk` were taken as the stream's frames from `firstFrame`. Returns whether the
  /// conductor has something new to wait for: another item, a jump, an end.
  func append(_ chunk: Chunk, count: Int, firstFrame: Int64) -> Bool {
    let ending = count == chunk.frameCount ? chunk.ending : .none
    return runs.withLock { runs in
      if let last = runs.indices.last, runs[last].ending == .none, runs[last].item == chunk.item,
        runs[last].generation == chunk.generation, runs[last].origin == chunk.origin,
        runs[last].endFrame == firstFrame, runs[last].offset + runs[last].frameCount == chunk.offset
      {
        runs[last].frameCount += Int64(count)
        runs[last].ending = ending
        let isAwaited = notifiesOfGrowth.exchange(false, ordering: .sequentiallyConsistent)
        return ending != .none || isAwaited
      }
      runs.append(
        Run(
          firstFrame: firstFrame, frameCount: Int64(count), generation: chunk.generation, item: chunk.item,
          origin: chunk.origin, offset: chunk.offset, ending: ending))
      return true
    }
  }

  /// The first run of `generation` or later, after dropping older ones. `isLast` tells whether it may still grow.
  func first(since generation: UInt64) -> (run: Run, isLast: Bool)? {
    runs.withLock { runs in
      while let run = runs.first, run.generation < generation { runs.removeFirst() }
      return runs.first.map { ($0, runs.count == 1) }
    }
  }

  func removeFirst() {
    runs.withLock { if !$0.isEmpty { $0.removeFirst() } }
  }

  func removeAll() {
    runs.withLock { $0.removeAll(keepingCapacity: true) }
  }

  /// Forgets everything from `frame` on: it was thrown away unheard.
  func truncate(from frame: Int64) {
    runs.withLock { runs in
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

  /// All runs of `generation` or later.
  func runs(since generation: UInt64) -> [Run] {
    runs.withLock { runs in runs.filter { $0.generation >= generation } }
  }
}
