import AudioCore
import DequeModule
import Synchronization

/// What one stream took since the machine was told last.
///
/// Written by the output's thread for each piece that it takes, emptied by whoever holds the machine. The lock is a leaf
/// and held for a few instructions, so the output's thread may take it.
final class RenderLog: Sendable {
  /// More runs than this, told and untold, are not taken until some were heard. Room for them is made once, so that the
  /// output's thread never allocates.
  static let capacity = 1024

  private struct State {
    var untold = Deque<RenderedTimeline.Run>(minimumCapacity: RenderLog.capacity)
    /// What was taken last, told or not.
    var last: RenderedTimeline.Run?
    /// How many runs the machine has.
    var told = 0
    /// The next piece is to be reported also if it only makes the last run longer.
    var isMoreAwaited = false

    var count: Int { untold.count + told }
  }

  private let state = Mutex(State())

  var isFull: Bool { state.withLock { $0.count >= Self.capacity } }

  /// Whether there is room for many pieces: an output that was refused goes on then, and not for each single one.
  var hasRoom: Bool { state.withLock { $0.count <= Self.capacity / 2 } }

  /// Notes that `count` frames of `chunk` were taken as the stream's frames from `firstFrame`. Returns whether the
  /// conductor has something new to wait for: another item, a jump, an end. Output's thread.
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

  /// Moves everything to the machine's `timeline`.
  func drain(into timeline: inout RenderedTimeline) {
    state.withLock { state in
      for run in state.untold { timeline.append(run) }
      state.untold.removeAll(keepingCapacity: true)
      state.told = timeline.count
    }
  }

  /// The machine has `told` runs left. `awaitsMore` lets the next `append` report a change in any case; returns whether
  /// there was one since `drain`, so that it has to be looked at now.
  func settle(told: Int, awaitsMore: Bool) -> Bool {
    state.withLock { state in
      state.told = told
      state.isMoreAwaited = awaitsMore
      return awaitsMore && !state.untold.isEmpty
    }
  }
}
