import AudioCore
import HostTime
import SystemSupport

// Reconnection: after the output is lost, a new one is opened after a back-off and resumes at the frame heard
// last.
extension EngineMachine {
  /// Handles a stream that failed to open or died; `heardFrame` is the number of its frames that were heard.
  mutating func loseOutput(_ error: OutputError, heardFrame: Int64, now: HostTime) {
    let wasOpen = output.phase == .open
    // Delivers steps and ends up to the last heard frame first.
    if wasOpen { progress(toFrame: Double(heardFrame), now: now) }
    restartDecoding()
    if wasOpen { restartDecoding(atHeard: heardFrame) }
    beginGeneration()
    closeStream()
    guard error.isRecoverable else {
      output.phase = .failed
      emit(.outputUnavailable(error, retryAfter: nil))
      setRate(0, reason: .setRateFailed, now: now)
      return
    }
    let delay = output.backoff.fail()
    output.phase = .retrying(now.advanced(bySeconds: delay))
    emit(.outputUnavailable(error, retryAfter: delay))
  }

  /// Moves the cursor to the last heard frame of the current item. If the device reported a later position
  /// before it died, the reported position stays constant until playback reaches it.
  private mutating func restartDecoding(atHeard frame: Int64) {
    guard let (run, _) = output.timeline.first(since: heardGeneration), let current, run.item == current,
      let info = currentInfo, endedAt == nil
    else { return }
    let frames = min(max(0, frame - run.firstFrame), run.frameCount)
    cursor = .start(current, .frame(position(in: run, frames: Double(frames), info: info).frame))
  }
}
