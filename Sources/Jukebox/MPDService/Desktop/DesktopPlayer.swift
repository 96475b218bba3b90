import Clocks
import ControlProtocol
import Dispatch
import Foundation
import Jukebox
import JukeboxPlayback
import MusicFiles
import NowPlaying
import Synchronization

/// The jukebox on the user's session bus (MPRIS), where media keys, desktops and `playerctl` see and control
/// it. Any thread; only `close` blocks.
final class DesktopPlayer: Sendable {
  /// The picture of a song; both properties are nil if it has none.
  private struct Cover {
    let song: SongID
    var image: UIImage?
    /// The URL of the picture file in the song's folder.
    var url: String?
  }

  private struct State {
    /// Whether an update is pending, which publishes all changes until it runs.
    var isScheduled = false
    var cover: Cover?
    /// The song whose picture was requested last.
    var awaited: SongID?
  }

  private let host: JukeboxHost
  private let sound: SoundState
  private let library: LibraryCommands
  private let clock: any HostClock
  private let publisher: MPRISPublisher
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "continuo-desktop")
  /// The queue that reads pictures, which may take as long as a disk or a server does.
  private let covers = DispatchQueue(label: "continuo-covers")

  /// Creates a player, which appears on the bus at the first change; `desk` performs its commands. `address` is the bus
  /// in D-Bus notation; nil selects the user's session bus.
  init(_ desk: ControlDesk, address: String? = nil) {
    host = desk.playback.host
    sound = desk.playback.sound
    clock = desk.playback.clock
    library = desk.library
    let commands = DesktopCommands(desk: desk)
    publisher = MPRISPublisher(
      address: address, identity: "continuo", open: { commands.open($0, $1) },
      { commands.perform($0, $1, $2) })
  }

  /// Schedules one publication of the jukebox's state, for all changes until then. Never blocks.
  func changed() {
    let isFirst = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { queue.async { [weak self] in self?.publish() } }
  }

  /// Removes the picture file, and publishes no later picture. Must be called before the process ends.
  func close() { publisher.close() }

  private func publish() {
    state.withLock { $0.isScheduled = false }
    var shown = MPRISState(host, sound, at: clock.now)
    let song = host.read { $0.currentSong }
    let cover = song.flatMap { self.cover(of: $0, isWhole: shown.info?.duration != nil) }
    shown.artworkURL = cover?.url
    publisher.show(shown, cover?.image, appears: true)
  }

  /// Returns the picture of a song if it is known; otherwise returns nil and schedules its reading. A live stream, which
  /// has no duration, has no picture, because reading one would need a second connection.
  private func cover(of song: QueuedSong, isWhole: Bool) -> Cover? {
    guard isWhole || !song.song.locator.isRemote else { return nil }
    let (known, mustRead) = state.withLock { state in
      if let cover = state.cover, cover.song == song.id { return (state.cover, false) }
      defer { state.awaited = song.id }
      return (nil, state.awaited != song.id)
    }
    if mustRead { covers.async { [weak self] in self?.readCover(of: song) } }
    return known
  }

  private func isAwaited(_ song: QueuedSong) -> Bool { state.withLock { $0.awaited } == song.id }

  private func readCover(of song: QueuedSong) {
    // Another song may begin before this picture's turn, and while the picture is read.
    guard isAwaited(song) else { return }
    var cover = Cover(song: song.id)
    let data = library.picture(of: song.song) { [weak self] in
      self?.isAwaited(song) ?? false ? nil : "another song is current"
    }
    if let data { cover.image = UIImage(data: Data(data)) }
    if cover.image == nil, let file = song.song.locator.file {
      cover.url = (try? CoverFile.find(in: file.directory))?.fileURL
    }
    let old = state.withLock { state in
      defer { state.cover = cover }
      return state.cover
    }
    withExtendedLifetime(old) {}
    changed()
  }
}
