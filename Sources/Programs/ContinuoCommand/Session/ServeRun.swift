import AppLifecycle
import Continuo
import ControlProtocol
import ControlServer
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import SystemSupport
import TextFormatting

/// The run of `continuo serve`: saves the changes of a session and answers clients until the process is
/// ended.
@MainActor
final class ServeRun: SessionDelegate {
  private let session: Session
  private nonisolated let keeper: StateKeeper?
  /// The last reported failure of each song, so that a repeating queue does not report it again. Emptied at
  /// 1,000 songs.
  private var failures: [SongID: String] = [:]

  /// Creates a run of `session` that keeps the jukebox in `state`; nil keeps nothing.
  init(_ session: Session, state: StateDirectory?) {
    self.session = session
    keeper = state.map {
      StateKeeper(session.host, in: $0, clock: session.clock) { StandardOutput.complain($0, .warning) }
    }
    session.delegate = self
  }

  /// Launches the application. Must precede ``open(_:)``, since the first client may request music at once.
  func launch() { session.start() }

  /// Starts to answer the clients of `socket`. Returns its path.
  nonisolated func open(_ socket: consuming ListeningSocket) throws(ListenError) -> String {
    try session.service.open(socket, log: { StandardOutput.complain(TerminalText.sanitized($1), $0) }) {
      [keeper] changed in
      keeper?.note(changed)
    }
  }

  /// Starts to answer clients from the network as well, after ``open(_:)``. Returns the bound address.
  nonisolated func listen(on address: NetworkAddress, access: NetworkAccess) throws(ListenError)
    -> NetworkAddress
  {
    try session.service.listen(on: address, access: access)
  }

  /// Adds `songs` to the queue and plays them, if the queue is empty. Starts to read the tags of the files in the
  /// queue. Must follow ``open(_:)``, because earlier changes are not saved. With `showsOnDesktop`, the player
  /// appears on the session bus, if there is one.
  func queue(_ songs: [Song], showsOnDesktop: Bool) {
    if !songs.isEmpty {
      try? session.host.change { machine throws(JukeboxError) in
        guard machine.queue.isEmpty else { return }
        try machine.add(songs)
        machine.play()
      }
    }
    if showsOnDesktop { session.service.joinDesktop() }
    // Includes the tags of songs that were restored.
    session.service.readTags()
  }

  func started(_ application: JukeboxApplication) { session.service.goOn() }

  func recorded(_ event: LifecycleRecord.Event) { if case .terminated = event { keeper?.note(.player) } }

  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool) {
    guard isNews else { return }
    switch diagnostic {
    case .outputOpened(let route):
      StandardOutput.complain("playing to \(route)", .info)
      SoundOutput.warning(route: route).map { StandardOutput.complain($0, .warning) }
    case .outputUnavailable(let message, let retryAfter):
      complain(retryAfter == nil ? message : "\(message); waiting for it")
    case .rateUnavailable(let message): complain(message)
    case .replayGainIgnored(let message): complain(TerminalText.sanitized(message))
    // The state of the application is reported by its own events.
    case .startDeferred: break
    case .stepsCoalesced(let count):
      complain("watching clients lag by more than a second: \(count) time steps skipped")
    }
  }

  func saw(_ event: JukeboxEvent) {
    switch event {
    case .failed(let song, let reason):
      if failures.count >= 1000 { failures = [:] }
      guard failures.updateValue(reason, forKey: song.id) != reason else { return }
      let name = song.song.locator.displayName
      StandardOutput.complain(TerminalText.sanitized("\(name): \(reason)"), .error)
    case .playerFailed(let error):
      StandardOutput.complain("playback stops: \(JukeboxPlayer.reason(error))", .error)
    default: break
    }
  }

  func redraw() {}
  func ending() { save() }

  /// Writes the pending changes of the state, if it is kept. Blocks on the disk; any thread.
  nonisolated func save() { keeper?.save() }

  func complain(_ text: String) { StandardOutput.complain(text, .warning) }
}
