import AudioCore

// What follows the present sound has changed: what the device has taken is still heard, the rest is decoded again.
extension EngineMachine {
  /// Lets what the device has taken be heard, throws the rest away and decodes again behind it. For changes to
  /// what follows the present sound; everything else costs nothing.
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

  /// Forgets the ends that the device has taken and that belong to another end time of their item: a seek behind that end
  /// leaves one without frames, and the device cannot give it back.
  mutating func dropOutdatedEnds() {
    let queue = queue
    output.timeline.dropEnds { run in run.generation < queue[run.item]?.endSetIn ?? 0 }
  }

  /// The device threw away `frame` and what followed. Frames before it are or will be heard, so after a splice the
  /// decoder goes on right behind them.
  mutating func flushed(serial: UInt64, firstDropped frame: Int64) {
    guard serial == output.flushSerial, output.flushPending else { return }
    output.flushPending = false
    output.needsKick = true
    guard cursor == .flushing else { return }
    dropOutdatedEnds()
    output.timeline.truncate(from: frame)
    restartDecoding(behind: output.timeline.runs(since: heardGeneration))
  }

  /// Sets the decoder behind what the device keeps, as far as that is the queue as it is now: what follows there may
  /// have been taken out, or something inserted before it. Such frames are heard, because they cannot be taken back,
  /// and belong to nobody.
  mutating func restartDecoding(behind runs: [RenderedTimeline.Run]) {
    restartDecoding()
    var expected = current
    for run in runs where run.item == expected {
      guard let info = queue[run.item]?.info else { return }
      if run.ending == .none {
        cursor = .start(run.item, .frame(position(in: run, frames: Double(run.frameCount), info: info).frame))
      } else {
        cursor = .finished(run.item)
        expected = queue.next(of: run.item)
      }
    }
  }
}
