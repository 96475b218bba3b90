import AppLifecycle
import Continuo
import ControlProtocol
import HostTime
import Jukebox
import TextFormatting

/// What a person sees of a run of `play`: one line that is drawn over and over where a terminal is, else lines about
/// songs and about the time in the background.
struct RunDisplay {
  /// How it is shown.
  enum Form { case statusLine, lines, nothing }

  let form: Form
  /// Of the application.
  var state = ApplicationState.notRunning
  /// The current song; its name stays when there is none any more.
  private(set) var song: QueuedSong?
  private var title = ""
  private var lines = SongLines()

  init(_ form: Form) { self.form = form }

  /// Whether each time step is shown. Elsewhere a periodic observer costs wake-ups for nothing.
  var showsTime: Bool { form == .statusLine || form == .lines && state == .background }

  /// Another song is current, or none; `place` says which it is of how many.
  mutating func show(_ song: QueuedSong?, place: String, now: HostTime) {
    self.song = song
    guard let song else { return }
    title = song.fileName
    if form == .lines { lines.add(song, place: place, now: now) }
  }

  /// What a song is called; true if that is the current one.
  mutating func note(_ name: String, of id: SongID) -> Bool {
    lines.note(name, of: id)
    guard id == song?.id else { return false }
    title = name
    return true
  }

  /// So much of the song was heard.
  mutating func reach(_ time: CMTime) {
    guard form == .lines, state == .background else { return }
    lines.add("Background: \(ElapsedTime.text(value: time.value, timescale: time.timescale))")
  }

  /// Takes the lines that are ready to be written at `now`; all of them if that is nil.
  mutating func takeLines(now: HostTime?) -> [String] { lines.take(now: now) }

  /// The status line for a player of that status.
  func statusLine(
    _ status: TimeControlStatus, isMuted: Bool, time: CMTime, duration: CMTime
  ) -> StatusLine {
    StatusLine(
      title: title, status: word(status, isMuted),
      elapsed: ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)),
      duration: duration.isNumeric
        ? ElapsedTime.text(value: duration.value, timescale: duration.timescale) : nil,
      progress: duration.isNumeric && duration.seconds > 0 ? time.seconds / duration.seconds : nil)
  }

  private func word(_ status: TimeControlStatus, _ isMuted: Bool) -> String {
    if state == .suspended { return "suspended" }
    let word =
      switch status {
      case .paused: "paused"
      case .playing: isMuted ? "muted" : "playing"
      case .waitingToPlayAtSpecifiedRate: "waiting"
      }
    return state == .background ? "\(word) in the background" : word
  }
}
