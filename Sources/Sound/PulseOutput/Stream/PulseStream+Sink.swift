import AudioCore
import CPulse

/// The move to another sink, with the main loop's lock held.
extension PulseStream {
  func sinkChosen() {
    isMoveDue = true
    moveToChosenSink()
  }

  /// Moves the server's stream to the sink that was chosen since the last move, unless it is there. The stream is corked first: a sink
  /// that can rewind then returns the frames that it holds, and any other sink plays them. After that the new
  /// sink begins with the next frame, so that none is lost or repeated.
  func moveToChosenSink() {
    guard isMoveDue, isOpen, !isDead, !isFlushing, moveAnswer == nil, let stream = handle?.pointer,
      let context = connection.contextPointer
    else { return }
    isMoveDue = false
    guard let sink = connection.sink, sink != route else { return }
    if !isCorked {
      isCorked = true
      hold()
      calls.forget(calls.streamCork(stream, true))
      askForTiming()
      limitDrain()
    }
    moveAnswer = OperationHandle(
      calls,
      calls.contextMoveSinkInput(
        context, index: calls.streamGetIndex(stream), sink: sink,
        { PulseStream.from($2)?.moveAnswered() }, userdata))
    if moveAnswer == nil { refused() } else { limitReply() }
  }

  /// Continues at the new sink, or at the old one if the new one has disappeared.
  fileprivate func moveAnswered() {
    guard moveAnswer != nil, !isDead else { return }
    moveAnswer = nil
    if !isFlushing { replyCame() }
    // Another sink may have been chosen in the meantime.
    moveToChosenSink()
    applyStart()
  }
}
