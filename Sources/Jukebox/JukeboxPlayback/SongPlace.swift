import Continuo
import ControlProtocol
package import Jukebox
import Synchronization

/// The current song and its position, for threads that answer clients and cannot ask the main queue.
package final class SongPlace: Sendable {
  private struct State {
    var item: AVPlayerItem?
    var song: QueuedSong?
    /// A position that replaces the player's: the target of an action that the player has not performed yet,
    /// or the last position of a player that was removed. In seconds from the beginning of the song's range.
    var standing: (id: SongID, seconds: Double, ticket: PlaybackTicket)?
    /// The next time step to be reported, in seconds of the file. Nil without a step observer, and after a
    /// jump until the next step is reported.
    var nextStep: Double?

    mutating func settle(_ ticket: PlaybackTicket) {
      guard let standing, standing.ticket <= ticket else { return }
      self.standing = nil
      nextStep = nil
    }
  }

  private let state = Mutex(State())

  /// Sets the current item and its song. The player has performed all actions up to `ticket`.
  func set(_ item: AVPlayerItem?, _ song: QueuedSong?, ticket: PlaybackTicket) {
    state.withLock { state in
      state.item = item
      state.song = song
      state.nextStep = nil
      state.settle(ticket)
    }
  }

  /// Records that the player has performed all actions up to `ticket`.
  func settle(_ ticket: PlaybackTicket) { state.withLock { $0.settle(ticket) } }

  /// Reports the target of each `start` and `seek` among the actions as the position, until the player has performed it.
  func expect(_ actions: [JukeboxAction]) {
    for action in actions {
      switch action {
      case .start(let song, let seconds, _, let ticket), .seek(let song, let seconds, let ticket):
        state.withLock { $0.standing = (song.id, seconds, ticket) }
      default: break
      }
    }
  }

  /// Sets the next time step to be reported, in seconds of the file; nil without a step observer.
  func expect(step seconds: Double?) { state.withLock { $0.nextStep = seconds } }

  /// Keeps the current or requested position when the player is removed. The current position is kept at most up to the
  /// next time step to be reported, so that the next player reports that step.
  func freeze() {
    guard let id = state.withLock({ $0.standing?.id ?? $0.song?.id }) else { return }
    let view = look(at: id)
    let nextStep = view.nextStep.map { max(0, $0 - view.start) } ?? .infinity
    let seconds = view.standing ?? seconds(view).map { min($0, nextStep) }
    // Ticket 0: any action of the next player replaces this position.
    state.withLock { $0 = State(standing: seconds.map { (id, $0, PlaybackTicket(rawValue: 0)) }) }
  }

  /// Returns the position in the song's range, in seconds: the target of a pending action, otherwise the time that is
  /// heard, exact to the frame. Nil if the song is neither current nor requested. Any thread.
  package func seconds(of id: SongID) -> Double? { seconds(look(at: id)) }

  /// Returns the position as `seconds(of:)` does, the duration in seconds and the bit rate in bits per second. The
  /// duration is cut to the range, and nil if unknown. The bit rate is the average of the last second heard, the item's
  /// if no frame of that second is decoded, and 0 if unknown. Any thread.
  package func time(of id: SongID) -> (seconds: Double?, duration: Double?, bitRate: Int) {
    let view = look(at: id)
    return (seconds(view), duration(view), Int(view.item?.heardBitRate.rounded() ?? 0))
  }

  /// Returns the song's progress; nil if the song is neither current nor requested. Any thread.
  package func progress(of id: SongID) -> JukeboxMachine.Progress? {
    let view = look(at: id)
    return seconds(view).map { ($0, duration(view)) }
  }

  /// Whether the song can be played from `seconds` of its range. False only for the current song once it is ready to
  /// play, if the position is outside its seekable ranges, as in a live stream. Any thread.
  package func canSeek(_ id: SongID, to seconds: Double) -> Bool {
    let view = look(at: id)
    guard let item = view.item, item.status == .readyToPlay else { return true }
    let place = max(0, seconds) + view.start
    let duration = item.duration
    // A seek past the end moves to the next song.
    if duration.isNumeric, place >= duration.seconds { return true }
    return item.seekableTimeRanges.contains { value in
      let range = value.timeRangeValue
      return range.start.seconds <= place && place <= range.end.seconds
    }
  }

  private struct View {
    var standing: Double?
    var item: AVPlayerItem?
    var range: SongRange?
    var nextStep: Double?

    /// The beginning of the song in its file, in seconds.
    var start: Double { range?.start.seconds ?? 0 }
  }

  private func look(at id: SongID) -> View {
    state.withLock { state in
      let standing = state.standing.flatMap { $0.id == id ? $0.seconds : nil }
      guard let song = state.song, song.id == id else { return View(standing: standing) }
      return View(standing: standing, item: state.item, range: song.song.range, nextStep: state.nextStep)
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
