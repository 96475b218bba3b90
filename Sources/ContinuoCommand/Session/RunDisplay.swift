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
  private(set) var state = ApplicationState.notRunning
  /// The current song; its name stays when there is none any more.
  private(set) var song: QueuedSong?
  private var name = SongName(title: "")
  private var place = ""
  /// What the current song says about itself, if it is a live stream.
  private var station: String?
  private var streamTitle: String?
  private var notice: String?
  private var noticeCount = 0
  private var isInterrupted = false
  private var lines = SongLines()

  init(_ form: Form) { self.form = form }

  /// Hundredths of a second from one drawing of the time to the next: more often than an eye can tell, and every last
  /// digit comes.
  private static let drawnStep: Int64 = 3

  /// Every so many hundredths of a second the time is shown; nil if it is not. A periodic observer for nothing costs
  /// wake-ups.
  var shownStep: Int64? {
    switch form {
    case .statusLine: Self.drawnStep
    case .lines: state == .background ? 1 : nil
    case .nothing: nil
    }
  }

  /// Whether the status line is drawn for that time, which may be a step of a finer observer.
  func draws(_ time: CMTime) -> Bool {
    form == .statusLine && (time.timescale != 100 || time.value % Self.drawnStep == 0)
  }

  /// Up to where the song is there without a gap, in seconds; nil if that is not told, as of files.
  private var loadedEnd: Double?

  /// More of a song is there: these parts of it, in seconds; it is at `place`.
  mutating func load(_ ranges: [Range<Double>], of song: QueuedSong, at place: Double) {
    guard song.id == self.song?.id else { return }
    loadedEnd = ranges.first { $0.contains(place) }?.upperBound ?? place
  }

  /// Another song is current, or none; `place` says which it is of how many.
  mutating func show(_ song: QueuedSong?, place: String, now: HostTime) {
    if song?.id != self.song?.id { loadedEnd = nil }
    self.song = song
    guard let song else { return }
    let known = song.song.metadata?.displayName
    name = known ?? SongName(title: song.fileName)
    station = nil
    streamTitle = nil
    self.place = place
    guard form == .lines else { return }
    lines.add(song, place: place, now: now)
    if let known { lines.note(known, of: song.id) }
  }

  /// What a song is called; true if that is the current one.
  mutating func note(_ name: SongName, of id: SongID) -> Bool {
    lines.note(name, of: id)
    guard id == song?.id else { return false }
    self.name = name
    return true
  }

  /// What a live stream is called, or what it plays now. How it is named from now on; nil if that does not change.
  mutating func note(station: String?, title: String?, of id: SongID) -> SongName? {
    guard id == song?.id else { return nil }
    self.station = station ?? self.station
    streamTitle = title ?? streamTitle
    let known = [self.station, streamTitle].compactMap(\.self).filter { !$0.isEmpty }
    guard let last = known.last else { return nil }
    let name = SongName(artist: known.count > 1 ? known[0] : nil, title: last)
    // The song's own line is written once; each title has one of its own.
    lines.note(SongName(title: known[0]), of: id)
    if form == .lines, let title, !title.isEmpty { lines.add("Title: \(TerminalText.sanitized(title))") }
    guard name != self.name else { return nil }
    self.name = name
    return name
  }

  /// So much of the song was heard.
  mutating func reach(_ time: CMTime) {
    if state == .background { tell("Background", at: time) }
  }

  /// The application reached a state, with its song at that time.
  mutating func reach(_ state: ApplicationState, at time: CMTime) {
    if state == .suspended {
      tell("Suspended", at: time)
    } else if self.state == .suspended, state != .notRunning {
      tell("Resumed", at: time)
    }
    if state == .notRunning { isInterrupted = false }
    self.state = state
  }

  /// An interruption begins or ends, with the song at that time.
  mutating func setInterrupted(_ isInterrupted: Bool, at time: CMTime) {
    self.isInterrupted = isInterrupted
    tell(isInterrupted ? "Interrupted" : "Interruption over", at: time)
  }

  private mutating func tell(_ what: String, at time: CMTime) {
    guard form == .lines else { return }
    lines.add("\(what): \(ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)))")
  }

  /// Shows a few words in the status's place, until they are taken back with the number that is returned, or others come.
  mutating func show(notice: String) -> Int {
    self.notice = notice
    noticeCount += 1
    return noticeCount
  }

  /// Takes a notice back, unless another has come.
  mutating func takeBack(notice number: Int) {
    if number == noticeCount { notice = nil }
  }

  /// Takes the lines that are ready to be written at `now`; all of them if that is nil.
  mutating func takeLines(now: HostTime?) -> [String] { lines.take(now: now) }

  /// The status line for a player of that status.
  func statusLine(
    _ status: TimeControlStatus, isMuted: Bool, time: CMTime, duration: CMTime
  ) -> StatusLine {
    StatusLine(
      place: place, name: name, status: notice ?? word(status, isMuted, at: time),
      elapsed: ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)),
      duration: duration.isNumeric
        ? ElapsedTime.text(value: duration.value, timescale: duration.timescale) : nil,
      progress: duration.isNumeric && duration.seconds > 0 ? time.seconds / duration.seconds : nil)
  }

  private func word(_ status: TimeControlStatus, _ isMuted: Bool, at time: CMTime) -> String {
    if state == .suspended { return "suspended" }
    let word =
      switch status {
      case .paused: isInterrupted ? "interrupted" : "paused"
      case .playing: isMuted ? "muted" : "playing"
      case .waitingToPlayAtSpecifiedRate: loadedEnd.map { Self.buffering($0 - time.seconds) } ?? "waiting"
      }
    return state == .background ? "\(word) in the background" : word
  }

  /// So many seconds of sound are there, and more are waited for.
  private static func buffering(_ seconds: Double) -> String {
    let tenths = Int64(((seconds > 0 ? min(seconds, 3600) : 0) * 10).rounded(.down))
    return "buffering \(DecimalFraction.text(value: tenths, timescale: 10)) s"
  }
}
