import AudioCore
import HostTime

// Another speed: what was decoded ahead is decoded anew, and takes the place of what the device holds.
extension EngineMachine {
  /// Sets how many seconds of an item pass in a second of sound.
  mutating func setSpeed(_ new: Double, now: HostTime, timing: OutputTiming?) {
    guard new != speed else { return }
    speed = new
    decodeAheadAnew(now: now, timing: timing)
  }

  /// What was decoded ahead is wanted otherwise now.
  mutating func decodeAheadAnew(now: HostTime, timing: OutputTiming?) {
    // Behind its end nothing more of the item is heard.
    guard endedAt == nil else { return }
    switch cursor {
    case .empty, .start, .flushing: break
    case .decoding, .finished: decodeAnew(now: now, timing: timing)
    }
  }

  /// Decodes anew what is not heard yet. While sound flows the new frames take the place of those behind it, so that it
  /// goes on without a gap; else the device throws away what it holds.
  mutating func decodeAnew(now: HostTime, timing: OutputTiming?) {
    guard output.phase == .open, !output.flushPending else {
      beginGeneration()
      restartDecoding()
      return
    }
    guard let timing, timing.frameRate > 0, let lead = timing.replacementLead else { return splice() }
    let heard = timing.heardFrame(at: now)
    let frame = min(Int64((heard + lead).rounded(.up)), timing.renderedFrames)
    var kept = output.timeline
    kept.truncate(from: frame)
    generation += 1
    let runs = kept.runs(since: heardGeneration)
    restartDecoding(behind: runs)
    let last = runs.last
    // First of all it lets go of what was decoded ahead, so that there is room.
    output.needsReplacing = true
    replacement = Replacement(
      generation: generation, frame: frame, replaced: last?.ending == Chunk.Ending.none ? last : nil)
  }
}
