package import ControlProtocol

/// The modes. What is set already changes nothing and tells nobody.
extension JukeboxMachine {
  /// Whether it begins again behind the last song.
  package mutating func setRepeat(_ on: Bool) {
    guard on != isRepeating else { return }
    isRepeating = on
    effects.changed.insert(.options)
    drawNextRound()
  }

  /// Whether songs come in an order of chance. The current song begins the round.
  ///
  /// Switching on takes time for every song of the queue: the order is drawn.
  package mutating func setRandom(_ on: Bool) {
    guard on != isRandom else { return }
    isRandom = on
    if on { drawOrder() } else { shuffled = nil }
    if replayGain == .auto { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  /// Whether playback pauses behind each song, or with repeat, each is repeated.
  package mutating func setSingle(_ setting: OneshotMode) {
    guard setting != single else { return }
    single = setting
    effects.changed.insert(.options)
  }

  /// Which of the levels in songs' tags makes them louder or quieter.
  package mutating func setReplayGain(_ mode: ReplayGainMode) {
    guard mode != replayGain else { return }
    let before = replayGainNow
    replayGain = mode
    if replayGainNow != before { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  /// What `auto` comes to, as in mpd: songs in an order of chance are not heard as an album.
  var replayGainNow: ReplayGainMode {
    guard replayGain == .auto else { return replayGain }
    return isRandom ? .track : .album
  }

  /// Whether songs leave the queue that were heard or skipped.
  package mutating func setConsume(_ setting: OneshotMode) {
    guard setting != consume else { return }
    consume = setting
    effects.changed.insert(.options)
    drawNextRound()
  }
}
