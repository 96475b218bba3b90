import Clocks
import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import NowPlaying

extension MPRISState {
  /// Creates the state of the jukebox for desktops, without the picture. Any thread.
  init(_ host: JukeboxHost, _ sound: SoundState, at now: HostTime) {
    self.init()
    let isHindered = sound.hindrance.obstacle != nil
    let song = host.read(\.currentSong)
    let place = song.flatMap { host.place.time(of: $0.id) }
    let canSeek = song.map { host.place.canSeek($0.id, to: place?.seconds ?? 0) } ?? false
    host.read { machine in
      status =
        switch machine.state {
        case .stopped: .stopped
        case .playing: isHindered ? .paused : .playing
        case .paused: .paused
        }
      offer = CommandOffer(machine, canSeek: canSeek)
      line.rate = status == .playing ? machine.speed.factor : 0
    }
    guard let song else { return }
    itemNumber = Int(song.id.rawValue)
    var info = NowPlayingInfo(song.song)
    // The player's duration is that of the open file; the metadata's may be older or estimated.
    info.duration = place?.duration ?? info.duration
    info.rate = line.rate
    info.defaultRate = host.read(\.speed.factor)
    self.info = info
    line = PlaybackLine(
      position: status == .stopped ? 0 : place?.seconds ?? 0, moment: now, rate: line.rate,
      duration: info.duration)
  }
}

extension CommandOffer {
  /// Creates the jukebox's offer of commands, with its modes.
  fileprivate init(_ machine: borrowing JukeboxMachine, canSeek: Bool) {
    self.init()
    kinds = [.pause, .stop, .rate, .repeatMode, .shuffleMode, .volume]
    if !machine.queue.isEmpty { kinds.insert(.play) }
    if machine.state != .stopped {
      kinds.insert(.previous)
      if machine.nextID != nil { kinds.insert(.next) }
      if canSeek { kinds.insert(.position) }
    }
    rates = [PlaybackSpeed.range.lowerBound, PlaybackSpeed.range.upperBound].map {
      PlaybackSpeed(clamping: $0).factor
    }
    repeatType = !machine.isRepeating ? .off : machine.single == .off ? .all : .one
    shuffleType = machine.isRandom ? .items : .off
    volume = Double(machine.volume) / 100
    schemes = ["file", "http", "https"]
    mimeTypes = ControlDesk.mediaTypes
  }
}

extension NowPlayingInfo {
  fileprivate init(_ song: Song) {
    self.init()
    url = song.locator.urlText
    duration = song.duration
    var station: String?
    song.metadata?.forEachTag { type, bytes in
      let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      guard !text.isEmpty else { return }
      switch type {
      case .title: title = title ?? text
      case .name: station = text
      case .album: album = album ?? text
      case .comment: comments = comments ?? text
      case .artist: artists.append(text)
      case .albumArtist: albumArtists.append(text)
      case .composer: composers.append(text)
      case .genre: genres.append(text)
      case .track: trackNumber = Self.number(text)
      case .disc: discNumber = Self.number(text)
      default: break
      }
    }
    title = title ?? station ?? song.locator.fileName
  }

  /// Returns the number at the start of a tag such as `3/12`; nil if there is none or it is too large for an `Int`.
  private static func number(_ text: String) -> Int? { Int(text.prefix { $0.isASCII && $0.isNumber }) }
}
