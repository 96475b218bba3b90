import AudioCore

/// The volume that the decode worker gives to an item's frames: its mix, and the ReplayGain level of its tags.
struct ItemVolume: Hashable, Sendable {
  var mix = ItemMix()
  /// The level to apply; nil for none.
  var replayGain: ReplayGain.Kind?

  /// Applies the volume to interleaved frames of `format`, of which the first is at `time`, in seconds of the
  /// item.
  ///
  /// - Parameter levels: returns the medium's levels; called only if one is to be applied.
  func apply(
    to frames: UnsafeMutableBufferPointer<Float>, format: PCMFormat, from time: Double,
    levels: () -> ReplayGain
  ) {
    if mix.isSilent { frames.update(repeating: 0) }
    if let replayGain {
      let factor = levels().factor(replayGain)
      if factor != 1 { for index in frames.indices { frames[index] *= factor } }
    }
    mix.volume?.apply(
      to: frames, channelCount: format.channelCount, sampleRate: format.sampleRate, from: time)
  }
}
