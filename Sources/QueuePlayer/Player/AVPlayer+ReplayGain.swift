package import AudioCore
import PlaybackEngine
import Synchronization

extension AVPlayer {
  /// Which of the levels that items have in their tags makes them louder or quieter; nil, the default, for none: their
  /// samples are then the decoder's, bit for bit.
  ///
  /// Takes effect as `AVPlayerItem.audioMix` does: on what is heard from now on, without a gap. Any thread; does not block.
  nonisolated package var replayGain: ReplayGain.Kind? {
    get { core.replayGain.withLock { $0 } }
    set {
      let isChange = core.replayGain.withLock { kind in
        defer { kind = newValue }
        return kind != newValue
      }
      // What follows the current item is decoded anew with it.
      if isChange, let current = core.engine.currentItem { core.engine.decodeAnew(current) }
    }
  }
}
