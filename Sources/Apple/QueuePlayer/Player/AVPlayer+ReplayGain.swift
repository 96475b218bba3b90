package import AudioCore
import PlaybackEngine

extension AVPlayer {
  /// The ReplayGain level to apply, from the tags of items; nil, the default, for none. With nil, samples are
  /// the decoder's, bit for bit.
  ///
  /// A change takes effect on the audio heard from now on, without a gap, as for `AVPlayerItem.audioMix`. Any
  /// thread; does not block.
  nonisolated package var replayGain: ReplayGain.Kind? {
    get { core.engine.replayGain }
    set { core.engine.replayGain = newValue }
  }
}
