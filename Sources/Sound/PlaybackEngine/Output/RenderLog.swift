import AudioCore
import Synchronization

/// The runs of frames that one stream took since the last update of the machine: a ring for one writing and
/// one reading thread, without a lock. No call waits, and no call on the output's thread allocates.
///
/// `@unchecked Sendable`, because of the raw memory and the plain properties:
/// - Only the output's thread calls `append` and `isFull`, and uses `last` and `written`.
/// - Only the holder of the machine's lock calls `drain`, `settle` and `hasNewRun`, and uses `index` and `known`.
/// - A slot of `runs` belongs to the output's thread until `committed` includes it. The reader has passed it
///   before `limit` allows its reuse: the ring has twice as many slots as `limit` ever allows.
/// - The last run may grow after it was committed. Its length and ending are in `lengths`, which are atomic.
final class RenderLog: @unchecked Sendable {
  /// The maximum number of runs, drained or not. At the limit the stream takes no frames until some were
  /// heard. Items of 10 ms fill it in 2.5 s, which is more than an output keeps; the ring has 36 KiB.
  static let capacity = 256
  private static let slots = 2 * capacity

  private let runs = UnsafeMutablePointer<RenderedTimeline.Run>.allocate(capacity: RenderLog.slots)
  /// The length and the ending of each run, as `Length.packed`.
  private let lengths = UnsafeMutablePointer<Atomic<Int64>>.allocate(capacity: RenderLog.slots)
  /// The number of runs appended.
  private let committed = Atomic<Int>(0)
  /// The number of runs, counted from the stream's start, at which the log is full until others were heard.
  private let limit = Atomic<Int>(RenderLog.capacity)
  /// Whether the next piece is reported even if it only extends the last run.
  private let isMoreAwaited = Atomic<Bool>(false)

  /// The last run appended, and the number of runs appended. Used on the output's thread only.
  private var last: RenderedTimeline.Run?
  private var written = 0

  /// The index of the next run to drain, and the part of that run that was drained; nil for none. Used under
  /// the machine's lock.
  private var index = 0
  private var known: Length?

  /// The length and the ending of a run, which change together.
  private struct Length: Hashable {
    var frameCount: Int64 = 0
    var ending = Chunk.Ending.none

    init(_ run: RenderedTimeline.Run) {
      frameCount = run.frameCount
      ending = run.ending
    }

    init(packed: Int64) {
      frameCount = packed >> 2
      ending = Chunk.Ending(rawValue: UInt8(packed & 3)) ?? .none
    }

    var packed: Int64 { (frameCount << 2) | Int64(ending.rawValue) }
  }

  init() {
    for slot in 0..<Self.slots { (lengths + slot).initialize(to: Atomic<Int64>(0)) }
  }

  deinit {
    lengths.deinitialize(count: Self.slots)
    lengths.deallocate()
    runs.deallocate()
  }

  /// Whether the stream must not take more frames. Called on the output's thread.
  var isFull: Bool { written >= limit.load(ordering: .acquiring) }

  /// Whether half of the capacity is free. A refused output resumes only then, not for each single free run.
  var hasRoom: Bool {
    committed.load(ordering: .acquiring) + Self.capacity / 2 <= limit.load(ordering: .acquiring)
  }

  /// Records that `count` frames of `chunk` became the stream's frames from `firstFrame`. Called on the
  /// output's thread; the log must not be full. Returns whether the conductor must check again, because a run
  /// began or ended, or because `settle` awaits more frames.
  func append(_ chunk: Chunk, count: Int, firstFrame: Int64) -> Bool {
    let run = RenderedTimeline.Run(chunk, count: count, firstFrame: firstFrame)
    if var grown = last, grown.extend(by: run) {
      last = grown
      // Sequentially consistent, like the two accesses in `settle`. In any weaker order, an awaited piece
      // could be missed by both sides.
      length(written - 1).pointee.store(Length(grown).packed, ordering: .sequentiallyConsistent)
      let isAwaited = isMoreAwaited.exchange(false, ordering: .sequentiallyConsistent)
      return run.ending != .none || isAwaited
    }
    last = run
    (runs + written % Self.slots).initialize(to: run)
    length(written).pointee.store(Length(run).packed, ordering: .relaxed)
    written += 1
    committed.store(written, ordering: .sequentiallyConsistent)
    return true
  }

  /// Appends to the machine's `timeline` all runs, and parts of runs, that are new since the last call.
  func drain(into timeline: inout RenderedTimeline) {
    let end = committed.load(ordering: .sequentiallyConsistent)
    while index < end {
      let present = Length(packed: length(index).pointee.load(ordering: .sequentiallyConsistent))
      if present != known {
        // The part of the run that was not drained before.
        var run = runs[index % Self.slots]
        let drained = known?.frameCount ?? 0
        run.firstFrame += drained
        run.offset += drained
        run.frameCount = present.frameCount - drained
        run.ending = present.ending
        timeline.append(run)
        known = present
      }
      // The last run may still grow.
      guard index + 1 < end else { break }
      index += 1
      known = nil
    }
    setLimit(told: timeline.count)
  }

  /// Records the number `told` of runs left in the machine. With `awaitsMore` the next `append` reports a
  /// change in any case. Returns whether more is awaited and has already arrived since `drain`, so that the
  /// conductor must check again at once.
  func settle(told: Int, awaitsMore: Bool) -> Bool {
    setLimit(told: told)
    isMoreAwaited.store(awaitsMore, ordering: .sequentiallyConsistent)
    return awaitsMore && hasNews
  }

  /// Whether a run was appended since `drain`. Used under the machine's lock.
  var hasNewRun: Bool { committed.load(ordering: .sequentiallyConsistent) != drainedCount }

  /// Whether anything was appended since `drain`.
  private var hasNews: Bool {
    guard !hasNewRun else { return true }
    return known != nil && known?.packed != length(index).pointee.load(ordering: .sequentiallyConsistent)
  }

  /// The number of runs of which at least a part was drained.
  private var drainedCount: Int { known == nil ? index : index + 1 }

  private func setLimit(told: Int) {
    limit.store(drainedCount + Self.capacity - told, ordering: .releasing)
  }

  private func length(_ index: Int) -> UnsafeMutablePointer<Atomic<Int64>> { lengths + index % Self.slots }
}
