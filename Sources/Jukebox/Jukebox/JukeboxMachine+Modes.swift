package import ControlProtocol

/// The modes. Setting a mode to its current value has no effect and notifies no client.
extension JukeboxMachine {
  /// Sets whether playback continues with the first song after the last one.
  package mutating func setRepeat(_ on: Bool) {
    guard on != isRepeating else { return }
    isRepeating = on
    effects.changed.insert(.options)
    drawNextRound()
  }

  /// Sets whether songs play in random order. The current song begins the round.
  ///
  /// Switching on takes time proportional to the length of the queue, since it draws the order.
  package mutating func setRandom(_ on: Bool) {
    guard on != isRandom else { return }
    isRandom = on
    if on { drawOrder() } else { shuffled = nil }
    if replayGain == .auto { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  /// Sets whether playback pauses after each song or, in repeat mode, repeats the current song.
  package mutating func setSingle(_ setting: OneshotMode) {
    guard setting != single else { return }
    single = setting
    effects.changed.insert(.options)
  }

  /// Sets which gain in the songs' tags is applied.
  package mutating func setReplayGain(_ mode: ReplayGainMode) {
    guard mode != replayGain else { return }
    let before = replayGainNow
    replayGain = mode
    if replayGainNow != before { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  /// The effective mode. As in mpd, `auto` means track gain in random order and album gain otherwise.
  var replayGainNow: ReplayGainMode {
    guard replayGain == .auto else { return replayGain }
    return isRandom ? .track : .album
  }

  /// Sets whether songs leave the queue after they were heard or skipped.
  package mutating func setConsume(_ setting: OneshotMode) {
    guard setting != consume else { return }
    consume = setting
    effects.changed.insert(.options)
    drawNextRound()
  }
}
