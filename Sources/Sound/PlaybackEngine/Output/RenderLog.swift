import AudioCore
import DequeModule
import Synchronization

/// The runs of frames that one stream took since the last update of the machine.
///
/// The output's thread appends each piece; the holder of the machine's lock drains the log. The log's lock is
/// a leaf held for a few instructions, so the output's thread may take it.
final class RenderLog: Sendable {
  /// The maximum number of runs, drained and not: at the limit the stream takes no frames until some were
  /// heard. Preallocated, so that the output's thread never allocates.
  static let capacity = 1024

  private struct State {
    var untold = Deque<RenderedTimeline.Run>(minimumCapacity: RenderLog.capacity)
    /// The last run taken, drained or not.
    var last: RenderedTimeline.Run?
    /// The number of runs in the machine's timeline.
    var told = 0
    /// Whether the next piece is reported even if it only extends the last run.
    var isMoreAwaited = false

    var count: Int { untold.count + told }
  }

  private let state = Mutex(State())

  var isFull: Bool { state.withLock { $0.count >= Self.capacity } }

  /// Whether half of the capacity is free. A refused output resumes only then, not for each single free run.
  var hasRoom: Bool { state.withLock { $0.count <= Self.capacity / 2 } }

  /// Records that `count` frames of `chunk` became the stream's frames from `firstFrame`. Called on the
  /// output's thread.
  ///
  /// - Returns: whether the conductor's next deadline may change: another item, a jump or an end.
  func append(_ chunk: Chunk, count: Int, firstFrame: Int64) -> Bool {
    let run = RenderedTimeline.Run(chunk, count: count, firstFrame: firstFrame)
    return state.withLock { state in
      let isUntold = state.untold.indices.last.map { state.untold[$0].extend(by: run) } ?? false
      if !isUntold { state.untold.append(run) }
      guard state.last?.extend(by: run) == true else {
        state.last = run
        return true
      }
      defer { state.isMoreAwaited = false }
      return run.ending != .none || state.isMoreAwaited
    }
  }

  /// Moves all runs to the machine's `timeline`.
  func drain(into timeline: inout RenderedTimeline) {
    state.withLock { state in
      for run in state.untold { timeline.append(run) }
      state.untold.removeAll(keepingCapacity: true)
      state.told = timeline.count
    }
  }

  /// Records the number `told` of runs left in the machine. With `awaitsMore` the next `append` reports a
  /// change in any case.
  ///
  /// - Returns: whether a run arrived since `drain`, so that the conductor must check again at once.
  func settle(told: Int, awaitsMore: Bool) -> Bool {
    state.withLock { state in
      state.told = told
      state.isMoreAwaited = awaitsMore
      return awaitsMore && !state.untold.isEmpty
    }
  }
}
