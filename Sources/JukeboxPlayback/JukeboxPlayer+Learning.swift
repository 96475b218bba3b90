import AudioCore
import Continuo
import ControlProtocol
import Jukebox
import QueuePlayer

// What songs from the network say about themselves.
extension JukeboxPlayer {
  /// A medium on the network was opened: takes what it says about itself. Its tags come later, from another thread.
  func learn(of item: AVPlayerItem, _ song: QueuedSong) {
    tellSound(of: item, song)
    let asset = item.asset
    asset.loadValuesAsynchronously(forKeys: ["metadata"]) { [onLearn] in
      let tags = asset.metadata.compactMap { SongTag($0) }
      if !tags.isEmpty { onLearn?(song.id, SongMetadata(tags: tags)) }
    }
  }

  /// Tells how long the item is, if that is known, and what it is decoded to.
  func tellSound(of item: AVPlayerItem, _ song: QueuedSong) {
    let duration = item.duration, format = item.tracks.first?.assetTrack?.format
    onLearn?(
      song.id,
      SongMetadata(
        duration: duration.isNumeric ? duration.seconds : nil, sampleRate: format?.sampleRate,
        channels: format?.channelCount))
  }
}
