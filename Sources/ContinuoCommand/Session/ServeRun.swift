import AppLifecycle
import Continuo
import ControlProtocol
import ControlServer
import ControlSocket
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import TextFormatting

/// What `continuo serve` makes of a session: whatever changes is kept, and clients are answered until it is ended.
@MainActor
final class ServeRun: SessionDelegate {
  private let session: Session
  private nonisolated let keeper: StateKeeper?

  /// A run of that session, which keeps its jukebox in `state`.
  init(_ session: Session, state: StateDirectory?) {
    self.session = session
    keeper = state.map {
      StateKeeper(session.host, in: $0, clock: session.clock) { StandardOutput.complain($0) }
    }
    session.delegate = self
  }

  /// Launches the application: before ``open(_:)``, since the first client may ask for music at once.
  func launch() { session.start() }

  /// Answers the clients of `socket` from now on. Returns where that is.
  nonisolated func open(_ socket: consuming ListeningSocket) throws(ListenError) -> String {
    try session.service.open(socket, log: { StandardOutput.complain($0) }) { [keeper] changed in
      keeper?.note(changed)
    }
  }

  /// Answers clients from the network too, behind ``open(_:)``. Returns where.
  nonisolated func listen(on address: NetworkAddress, access: NetworkAccess) throws(ListenError)
    -> NetworkAddress
  {
    try session.service.listen(on: address, access: access)
  }

  /// Makes `songs` the queue and plays them, if there is no queue. After ``open(_:)``: what changes before is not kept.
  func queue(_ songs: [Song]) {
    if !songs.isEmpty {
      try? session.host.change { machine throws(JukeboxError) in
        guard machine.queue.isEmpty else { return }
        try machine.add(songs)
        machine.play()
      }
    }
    // Also of what was restored.
    session.service.readTags()
  }

  func started(_ application: JukeboxApplication) { session.service.goOn() }

  func recorded(_ event: LifecycleRecord.Event) {
    if case .terminated = event { keeper?.note(.player) }
  }

  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool) {
    guard isNews else { return }
    switch diagnostic {
    case .outputOpened(let route): complain("playing to \(route)")
    case .outputUnavailable(let message, let retryAfter):
      complain(retryAfter == nil ? message : "\(message); waiting for it")
    case .rateUnavailable(let message): complain(message)
    case .replayGainIgnored(let message): complain(TerminalText.sanitized(message))
    case .stepsCoalesced(let count):
      complain("watchers are more than a second behind: \(count) time steps left out")
    }
  }

  func saw(_ event: JukeboxEvent) {}
  func redraw() {}
  func ending() { keeper?.save() }
  func complain(_ text: String) { StandardOutput.complain(text) }
}
