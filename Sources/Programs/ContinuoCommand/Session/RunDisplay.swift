import AppLifecycle
import Clocks
import Continuo
import ControlProtocol
import Jukebox
import TextFormatting

/// The display of `play`: a status line, lines about songs and playback, or nothing.
struct RunDisplay {
  enum Form { case statusLine, lines, nothing }

  let form: Form
  private(set) var state = ApplicationState.notRunning
  /// The current song; nil after the last one, whose name stays on display.
  private(set) var song: QueuedSong?
  private var name = SongName(title: "")
  private var place = ""
  /// The station and the title that the current song reports, if it is a live stream.
  private var station: String?
  private var streamTitle: String?
  private var notice: String?
  private var noticeCount = 0
  private var isInterrupted = false
  private var lines = SongLines()

  init(_ form: Form) { self.form = form }

  /// The interval between two drawings of the time, in 1/100 s: fast enough for the eye, and such that every
  /// last digit appears.
  private static let drawnStep: Int64 = 3

  /// The interval between two lines with the time, in 1/100 s: as often as a person reads one. Programs read
  /// every step from `--events`.
  private static let printedStep: Int64 = 100

  /// The interval at which the time is shown, in 1/100 s; nil for none, since an unused observer costs
  /// wake-ups.
  var shownStep: Int64? {
    switch form {
    case .statusLine: Self.drawnStep
    case .lines: state == .background ? Self.printedStep : nil
    case .nothing: nil
    }
  }

  /// Returns whether a time is a step to show. The observer may have finer steps.
  private func shows(_ time: CMTime) -> Bool {
    shownStep.map { time.timescale != 100 || time.value % $0 == 0 } ?? false
  }

  /// The position up to which the song is loaded without a gap, in seconds; nil if unknown, as for files.
  private var loadedEnd: Double?

  /// Records the loaded ranges of the current song, in seconds; ignores those of other songs. `place` is the
  /// position in the song, in seconds.
  mutating func load(_ ranges: [Range<Double>], of song: QueuedSong, at place: Double) {
    guard song.id == self.song?.id else { return }
    loadedEnd = ranges.first { $0.contains(place) }?.upperBound ?? place
  }

  /// Records a change of the current song. `place` is its position in the queue, such as `2/4`.
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

  mutating func note(_ name: SongName, of id: SongID) -> Bool {
    lines.note(name, of: id)
    guard id == song?.id else { return false }
    self.name = name
    return true
  }

  /// Records the name in the tags of a song from the network. Returns whether the current song's name has
  /// changed: not for a live stream, whose titles arrive as events.
  mutating func learn(_ name: SongName, of id: SongID) -> Bool {
    guard station == nil, streamTitle == nil, name != self.name, id == song?.id else { return false }
    self.name = name
    // The song's own line is already written with the file's name if its tags arrive late.
    if form == .lines, !lines.note(name, of: id) {
      lines.add("Title: \(TerminalText.sanitized(name.description))")
    }
    return true
  }

  /// Records a live stream's station or title. Returns the song's new name; nil if it does not change.
  mutating func note(station: String?, title: String?, of id: SongID) -> SongName? {
    guard id == song?.id else { return nil }
    self.station = station ?? self.station
    streamTitle = title ?? streamTitle
    let known = [self.station, streamTitle].compactMap(\.self).filter { !$0.isEmpty }
    guard let last = known.last else { return nil }
    let name = SongName(artist: known.count > 1 ? known[0] : nil, title: last)
    // The song's own line is written once; each title has a line of its own.
    lines.note(SongName(title: known[0]), of: id)
    if form == .lines, let title, !title.isEmpty { lines.add("Title: \(TerminalText.sanitized(title))") }
    guard name != self.name else { return nil }
    self.name = name
    return name
  }

  /// Records that the song was heard up to `time`. Returns whether lines are to be written, now or later, and
  /// whether the status line is drawn for that time.
  @discardableResult
  mutating func reach(_ time: CMTime) -> (hasLines: Bool, isDrawn: Bool) {
    guard form != .nothing, shows(time) else { return (!lines.isEmpty, false) }
    if state == .background { tell("Background", at: time) }
    return (!lines.isEmpty, form == .statusLine)
  }

  /// Records a change of the application's state, with the song at `time`.
  mutating func reach(_ state: ApplicationState, at time: CMTime) {
    if state == .suspended {
      tell("Suspended", at: time)
    } else if self.state == .suspended, state != .notRunning {
      tell("Resumed", at: time)
    }
    if state == .notRunning { isInterrupted = false }
    self.state = state
  }

  mutating func setInterrupted(_ isInterrupted: Bool, at time: CMTime) {
    self.isInterrupted = isInterrupted
    tell(isInterrupted ? "Interrupted" : "Interruption over", at: time)
  }

  private mutating func tell(_ what: String, at time: CMTime) {
    guard form == .lines else { return }
    lines.add("\(what): \(ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)))")
  }

  /// Shows a notice instead of the status. Returns the number with which `takeBack(notice:)` removes the
  /// notice.
  mutating func show(notice: String) -> Int {
    self.notice = notice
    noticeCount += 1
    return noticeCount
  }

  mutating func takeBack(notice number: Int) { if number == noticeCount { notice = nil } }

  /// Removes and returns the lines that are ready at `now`; all lines for nil.
  mutating func takeLines(now: HostTime?) -> [String] { lines.take(now: now) }

  func statusLine(_ status: TimeControlStatus, isMuted: Bool, time: CMTime, duration: CMTime) -> StatusLine {
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

  /// Returns the status of a player that waits for more bytes, with the seconds of sound that are buffered.
  private static func buffering(_ seconds: Double) -> String {
    let tenths = Int64(((seconds > 0 ? min(seconds, 3600) : 0) * 10).rounded(.down))
    return "buffering \(DecimalFraction.text(value: tenths, timescale: 10)) s"
  }
}
