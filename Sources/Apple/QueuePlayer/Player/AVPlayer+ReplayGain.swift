package import AudioCore
import PlaybackEngine
import Synchronization

extension AVPlayer {
  /// The ReplayGain level to apply, from the tags of items; nil, the default, for none. With nil, samples are
  /// the decoder's, bit for bit.
  ///
  /// A change takes effect on the audio heard from now on, without a gap, as for `AVPlayerItem.audioMix`. Any
  /// thread; does not block.
  nonisolated package var replayGain: ReplayGain.Kind? {
    get { core.replayGain.withLock { $0 } }
    set {
      let isChange = core.replayGain.withLock { kind in
        defer { kind = newValue }
        return kind != newValue
      }
      // Decodes the current item and those after it again.
      if isChange, let current = core.engine.currentItem { core.engine.decodeAnew(current) }
    }
  }
}
