import AudioCore
import HostTime

// Speed changes: frames decoded ahead are decoded again and replace those that the device holds.
extension EngineMachine {
  /// Sets the speed in seconds of media per second of output.
  mutating func setSpeed(_ new: Double, now: HostTime, timing: OutputTiming?) {
    guard new != speed else { return }
    speed = new
    decodeAheadAnew(now: now, timing: timing)
  }

  /// Decodes frames again that were decoded ahead and are outdated.
  mutating func decodeAheadAnew(now: HostTime, timing: OutputTiming?) {
    // No more frames of the item are heard after its end.
    guard endedAt == nil else { return }
    switch cursor {
    case .empty, .start, .flushing: break
    case .decoding, .finished: decodeAnew(now: now, timing: timing)
    }
  }

  /// Decodes the unheard frames again. During playback the new frames replace the unheard ones in the device
  /// without a gap; otherwise the device is flushed.
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
    // The output drops the chunks decoded ahead first, which makes room in the ring.
    output.needsReplacing = true
    replacement = Replacement(
      generation: generation, frame: frame, replaced: last?.ending == Chunk.Ending.none ? last : nil)
  }
}
