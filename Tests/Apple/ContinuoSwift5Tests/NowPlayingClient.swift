import Continuo
import Foundation

/// A class as player applications have it for the lock screen; that it compiles is what counts.
class NowPlayingClient {
  let player = AVPlayer()
  var artwork: UIImage?
  private var nowPlayingInfo: [String: Any] = [:]

  func setupRemoteTransportControls() {
    let commandCenter = MPRemoteCommandCenter.shared()
    commandCenter.playCommand.addTarget { [unowned self] event in
      if self.player.rate == 0.0 {
        self.player.play()
        return .success
      }
      return .commandFailed
    }
    commandCenter.pauseCommand.isEnabled = true
    commandCenter.pauseCommand.addTarget { [weak self] _ -> MPRemoteCommandHandlerStatus in
      guard let self = self else { return .noActionableNowPlayingItem }
      self.player.pause()
      return .success
    }
    commandCenter.skipForwardCommand.preferredIntervals = [NSNumber(value: 15)]
    commandCenter.skipForwardCommand.addTarget { event in
      guard let event = event as? MPSkipIntervalCommandEvent else { return .commandFailed }
      self.player.seek(
        to: self.player.currentTime() + CMTime(seconds: event.interval, preferredTimescale: 600))
      return .success
    }
    commandCenter.changePlaybackPositionCommand.addTarget { event in
      let seconds = (event as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? 0
      self.player.seek(to: CMTime(seconds: seconds, preferredTimescale: CMTimeScale(1000))) { _ in
        self.updateTime()
      }
      return MPRemoteCommandHandlerStatus.success
    }
    commandCenter.previousTrackCommand.removeTarget(nil)
  }

  func setupNowPlaying(title: String) {
    nowPlayingInfo[MPMediaItemPropertyTitle] = title
    if let image = artwork {
      nowPlayingInfo[MPMediaItemPropertyArtwork] =
        MPMediaItemArtwork(boundsSize: image.size) { size in
          return image
        }
    }
    nowPlayingInfo[MPMediaItemPropertyPlaybackDuration] = player.currentItem?.asset.duration.seconds
    nowPlayingInfo[MPNowPlayingInfoPropertyIsLiveStream] = false
    nowPlayingInfo[MPNowPlayingInfoPropertyMediaType] = MPNowPlayingInfoMediaType.audio.rawValue
    let french = MPNowPlayingInfoLanguageOption(
      type: .audible, languageTag: "fr", characteristics: nil, displayName: "français", identifier: "1")
    nowPlayingInfo[MPNowPlayingInfoPropertyCurrentLanguageOptions] = [french]
    nowPlayingInfo[MPNowPlayingInfoPropertyAvailableLanguageOptions] = [
      MPNowPlayingInfoLanguageOptionGroup(
        languageOptions: [french], defaultLanguageOption: french, allowEmptySelection: false)
    ]
    updateTime()
  }

  func updateTime() {
    nowPlayingInfo[MPNowPlayingInfoPropertyElapsedPlaybackTime] = CMTimeGetSeconds(player.currentTime())
    nowPlayingInfo[MPNowPlayingInfoPropertyPlaybackRate] = player.rate
    MPNowPlayingInfoCenter.default().nowPlayingInfo = nowPlayingInfo
    MPNowPlayingInfoCenter.default().playbackState = player.rate == 0 ? .paused : .playing
  }
}
