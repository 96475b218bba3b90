import AudioCore
import Continuo
import ControlProtocol
import Jukebox
import QueuePlayer

// Metadata of songs from the network.
extension JukeboxPlayer {
  /// Reports the length and format of a remote item that is ready to play, and loads its tags. The tags are
  /// reported later, from another thread.
  func learn(of item: AVPlayerItem, _ song: QueuedSong) {
    tellSound(of: item, song)
    let asset = item.asset
    asset.loadValuesAsynchronously(forKeys: ["metadata"]) { [onLearn] in
      let tags = asset.metadata.compactMap { SongTag($0) }
      if !tags.isEmpty { onLearn?(song.id, SongMetadata(tags: tags)) }
    }
  }

  /// Reports the item's duration in seconds, if known, and the sample rate and channel count of its decoded
  /// format.
  func tellSound(of item: AVPlayerItem, _ song: QueuedSong) {
    let duration = item.duration, format = item.tracks.first?.assetTrack?.format
    onLearn?(
      song.id,
      SongMetadata(
        duration: duration.isNumeric ? duration.seconds : nil, sampleRate: format?.sampleRate,
        channels: format?.channelCount))
  }
}
