import Continuo
import ControlProtocol
package import Jukebox
import Synchronization

/// Which song the player has, and how far it is: for threads that answer clients and cannot ask the main queue.
package final class SongPlace: Sendable {
  private struct State {
    var item: AVPlayerItem?
    var song: QueuedSong?
    /// Where a song is about to go on, and by which order; or where it was when its player went.
    var standing: (id: SongID, seconds: Double, ticket: PlaybackTicket)?
    /// The next step of the file's time that whoever counts steps is to be told of, in seconds; nil if nobody counts, or
    /// if none was told since the player was sent elsewhere.
    var nextStep: Double?

    mutating func settle(_ ticket: PlaybackTicket) {
      guard let standing, standing.ticket <= ticket else { return }
      self.standing = nil
      nextStep = nil
    }
  }

  private let state = Mutex(State())

  /// The player goes on with `item`, which is `song`, and has obeyed all orders up to `ticket`.
  func set(_ item: AVPlayerItem?, _ song: QueuedSong?, ticket: PlaybackTicket) {
    state.withLock { state in
      state.item = item
      state.song = song
      state.nextStep = nil
      state.settle(ticket)
    }
  }

  /// The player has obeyed all orders up to `ticket`.
  func settle(_ ticket: PlaybackTicket) { state.withLock { $0.settle(ticket) } }

  /// The player was told to do that, and has not done so: who asks is told of the new place, whenever the player gets
  /// there.
  func expect(_ actions: [JukeboxAction]) {
    for action in actions {
      switch action {
      case .start(let song, let seconds, _, let ticket), .seek(let song, let seconds, let ticket):
        state.withLock { $0.standing = (song.id, seconds, ticket) }
      default: break
      }
    }
  }

  /// The next step of the file's time that is to be told; nil if nobody counts them.
  func expect(step time: CMTime?) { state.withLock { $0.nextStep = time?.seconds } }

  /// The player goes; the song stays where it is, or where it was told to go on. Steps of its time that were heard, but
  /// not told, are for the next player: it stays before them.
  func freeze() {
    guard let id = state.withLock({ $0.standing?.id ?? $0.song?.id }) else { return }
    let view = look(at: id)
    let nextStep = view.nextStep.map { max(0, $0 - view.start) } ?? .infinity
    let seconds = view.standing ?? seconds(view).map { min($0, nextStep) }
    // Every order of the next player's settles it.
    state.withLock { $0 = State(standing: seconds.map { (id, $0, PlaybackTicket(rawValue: 0)) }) }
  }

  /// Seconds of the song `id` that were heard, counted from the beginning of its range; nil if the player has
  /// another one. Any thread; exact to the frame.
  package func seconds(of id: SongID) -> Double? { seconds(look(at: id)) }

  /// The same; the song's length as the decoder knows it, cut to its range, nil before it was opened; and its bits per
  /// second in the last second that was heard, 0 before that.
  package func time(of id: SongID) -> (seconds: Double?, duration: Double?, bitRate: Int) {
    let view = look(at: id)
    return (seconds(view), duration(view), Int(view.item?.heardBitRate.rounded() ?? 0))
  }

  /// Whether the song can go on at that place, in seconds from the beginning of its range: false only if it is the one that
  /// the player has, and what the server gives does not allow it. Any thread.
  package func canSeek(_ id: SongID, to seconds: Double) -> Bool {
    let view = look(at: id)
    guard let item = view.item, item.status == .readyToPlay else { return true }
    let place = max(0, seconds) + view.start
    let duration = item.duration
    // Behind its end comes the next song.
    if duration.isNumeric, place >= duration.seconds { return true }
    return item.seekableTimeRanges.contains { value in
      let range = value.timeRangeValue
      return range.start.seconds <= place && place <= range.end.seconds
    }
  }

  /// What is known of one song.
  private struct View {
    var standing: Double?
    var item: AVPlayerItem?
    var range: SongRange?
    var nextStep: Double?

    /// Where the song begins in its file, in seconds.
    var start: Double { range?.start.seconds ?? 0 }
  }

  private func look(at id: SongID) -> View {
    state.withLock { state in
      var view = View()
      if let standing = state.standing, standing.id == id { view.standing = standing.seconds }
      if let song = state.song, song.id == id {
        view.item = state.item
        view.range = song.song.range
        view.nextStep = state.nextStep
      }
      return view
    }
  }

  private func seconds(_ view: View) -> Double? {
    if let standing = view.standing { return standing }
    guard let item = view.item else { return nil }
    return max(0, item.currentTime().seconds - view.start)
  }

  private func duration(_ view: View) -> Double? {
    guard let whole = view.item?.duration, whole.isNumeric else { return nil }
    let end = min(view.range?.end?.seconds ?? .infinity, whole.seconds)
    return max(0, end - view.start)
  }
}
