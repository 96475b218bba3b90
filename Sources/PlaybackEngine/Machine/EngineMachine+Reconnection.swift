import AudioCore
import HostTime

// The output is lost: another one is opened after a while, and goes on at the frame that was heard last.
extension EngineMachine {
  /// Seconds before the n-th new attempt: short at first, because a restarted server is back in half a second, then
  /// 5 s.
  private static func retryDelay(attempt: Int) -> Double {
    let delays = [0.1, 0.25, 0.5, 1, 2, 4]
    return attempt < delays.count ? delays[attempt] : 5
  }

  /// The stream could not be opened, or is dead; `heardFrame` is the number of frames that were heard of it.
  mutating func loseOutput(_ error: OutputError, heardFrame: Int64, now: HostTime) {
    let wasOpen = output.phase == .open
    // Everything up to the last frame that was heard is told first.
    if wasOpen { progress(toFrame: Double(heardFrame), now: now) }
    restartDecoding()
    if wasOpen { restartDecoding(atHeard: heardFrame) }
    generation += 1
    heardGeneration = generation
    closeStream()
    guard error.isRecoverable else {
      output.phase = .failed
      emit(.outputUnavailable(error, retryAfter: nil))
      setRate(0, reason: .setRateFailed, now: now)
      return
    }
    let delay = Self.retryDelay(attempt: output.failedAttempts)
    output.failedAttempts += 1
    output.phase = .retrying(now.advanced(bySeconds: delay))
    emit(.outputUnavailable(error, retryAfter: delay))
  }

  /// Sets the decoder to what was really heard of the current item. The device may have claimed more before it died:
  /// then the position stands still until the listener is there.
  private mutating func restartDecoding(atHeard frame: Int64) {
    guard let (run, _) = output.timeline.first(since: heardGeneration), let current, run.item == current,
      let info = currentInfo, endedAt == nil
    else { return }
    let frames = min(max(0, frame - run.firstFrame), run.frameCount)
    cursor = .start(current, .frame(position(in: run, frames: Double(frames), info: info).frame))
  }
}
