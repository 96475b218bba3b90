import AudioCore
import Clocks

extension EngineMachine {
  /// Flushes an open device, keeps the frames that the device cannot return, and decodes the rest again. Without
  /// an open device, decodes again from the current position. Only for changes to frames that follow the frames now
  /// heard.
  mutating func splice() {
    if output.phase == .open {
      generation += 1
      cursor = .flushing
      output.requestFlush()
    } else {
      beginGeneration()
      restartDecoding()
    }
  }

  /// Removes end marks that belong to an outdated end time of their item. A seek past such an end leaves a
  /// run without frames, which the device cannot return.
  mutating func dropOutdatedEnds() {
    output.timeline.dropEnds { run in run.generation < queue.read(run.item) { $0.endSetIn } ?? 0 }
  }

  /// Handles the device's answer that it discarded `frame` and all later ones. Earlier frames are heard, so
  /// after a splice decoding continues right after them.
  mutating func flushed(serial: UInt64, firstDropped frame: Int64) {
    guard serial == output.flushSerial, output.flushPending else { return }
    output.flushPending = false
    output.needsKick = true
    guard cursor == .flushing else { return }
    dropOutdatedEnds()
    output.timeline.truncate(from: frame)
    restartDecoding(behind: output.timeline.runs(since: heardGeneration))
  }

  /// Moves the cursor after the frames that the device keeps, as long as they match the present queue. An
  /// item may have been removed, or another one inserted before it. Frames that no longer match are heard,
  /// because the device cannot return them, but count for no item.
  mutating func restartDecoding(behind runs: [RenderedTimeline.Run]) {
    restartDecoding()
    var expected = current
    for run in runs where run.item == expected {
      guard let itemRate = queue[run.item]?.info?.format.sampleRate else { return }
      if run.ending == .none {
        cursor = .start(run.item, .frame(position(in: run, frames: Double(run.frameCount), itemRate).frame))
      } else {
        cursor = .finished(run.item)
        expected = queue.next(of: run.item)
      }
    }
  }
}

// Changes of speed, pitch algorithm or volume: the unheard frames are decoded again.
extension EngineMachine {
  mutating func decodeAheadAnew(now: HostTime, timing: OutputTiming?) {
    // No more frames of the item are heard after its end.
    guard endedAt == nil else { return }
    switch cursor {
    case .empty, .start, .flushing: break
    case .decoding, .finished: decodeAnew(now: now, timing: timing)
    }
  }

  /// Decodes the unheard frames again. During playback the new frames replace the unheard ones without a gap,
  /// if the device can replace frames. Otherwise an open device is flushed.
  private mutating func decodeAnew(now: HostTime, timing: OutputTiming?) {
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
    // The output first drops the chunks decoded ahead, which makes room in the ring.
    output.needsReplacing = true
    replacement = Replacement(
      generation: generation, frame: frame, replaced: runs.last.flatMap { $0.ending == .none ? $0 : nil })
  }
}
