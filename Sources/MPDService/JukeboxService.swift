package import AppLifecycle
package import AudioCore
package import Continuo
package import ControlProtocol
package import ControlServer
package import ControlSocket
import Dispatch
package import HostTime
import Jukebox
package import JukeboxPlayback
package import MusicFiles
package import MusicLibrary
import Synchronization
package import Transfer

/// The jukebox as clients of the control socket meet it: what answers them, what they are told, and what holds sound
/// back. It is there also while no application runs, and before a socket is opened.
@MainActor
package final class JukeboxService {
  /// Whether sound moves.
  package let sound: SoundState
  private let host: JukeboxHost
  private let device: Device
  private let watches: WatchDesk
  private let desk: ControlDesk
  private let tagReader: TagReader
  private nonisolated let library: MusicLibrary?
  private let server = ServerHolder()
  /// What plays; nil while no application runs.
  package private(set) var application: JukeboxApplication?

  /// The server, once there is one: device and jukebox tell of changes on threads of their own.
  private final class ServerHolder: Sendable {
    private let server = Mutex<ControlServer?>(nil)

    func set(_ server: ControlServer?) { self.server.withLock { $0 = server } }
    func get() -> ControlServer? { server.withLock { $0 } }
    func notify(_ subsystems: Subsystems) { server.withLock { $0 }?.notify(subsystems) }
    func take() -> ControlServer? {
      server.withLock { server in
        defer { server = nil }
        return server
      }
    }
  }

  /// The service of `host` on `device`. Before the device has players: the jukebox is suspended and ended first. `home`:
  /// what clients' relative names are seen from. `library`: the songs below it, started and stopped by the service; nil if
  /// none are to be looked for. `playlists` and `stickers`: what is kept for clients; nil for what is not. `reachOfOthers`: what URLs of clients of other users may lead to; nil if they may
  /// name none. `readPlaylist`: reads playlists of the network; nil: they are songs like any other. `readTag`: reads
  /// the tag of a medium on the network, with its pictures; nil: they have none. `plugin`: what drives the output, for clients.
  package init(
    host: JukeboxHost, device: Device, home: MusicHome, library: MusicLibrary?,
    playlists: PlaylistFolder? = nil, stickers: StickerStore? = nil,
    reachOfOthers: NetworkReach? = .publicOnly,
    readPlaylist: PlaylistReading? = nil,
    readTag: (@Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> MediaTag?)? =
      nil,
    plugin: String, clock: any HostClock
  ) {
    self.host = host
    self.device = device
    self.library = library
    sound = SoundState(clock: clock) { AVAudioSession.sharedInstance().isInterrupted }
    watches = WatchDesk(host: host, clock: clock)
    tagReader = TagReader(clock: clock) { metadata in try? host.change { $0.setMetadata(metadata) } }
    desk = ControlDesk(
      playback: PlaybackCommands(
        host: host, sound: sound, home: home, library: library, clock: clock, started: clock.now),
      queue: QueueCommands(host: host, home: home),
      library: LibraryCommands(
        host: host, home: home, library: library, playlists: playlists, stickers: stickers,
        tagReader: tagReader, reachOfOthers: reachOfOthers,
        readPlaylist: readPlaylist, readTag: readTag, clock: clock,
        onChange: { [server] in server.notify($0) }),
      application: ApplicationCommands(device: device, clock: clock),
      outputs: OutputCommands(sound: sound, plugin: plugin) { [host, sound, server] in
        DispatchQueue.main.async {
          host.setHeld(sound.isHeldBack)
          server.notify([.player, .output])
        }
      },
      home: home)
    sound.onWaiting { [server] in server.notify(.player) }
    // Before the players: what they had reached is where the next one begins.
    device.add(host)
  }

  // MARK: The socket

  /// Answers the clients of `socket` from now on; `onChange` hears of the jukebox's changes too, on any thread. `log` writes
  /// a line for the operator, on any thread and without blocking. Returns where the socket is. Blocks until the server's
  /// thread runs.
  @discardableResult
  package nonisolated func open(
    _ socket: consuming ListeningSocket, log: @escaping @Sendable (String) -> Void = { _ in },
    onChange: (@Sendable (Subsystems) -> Void)? = nil
  ) throws(ListenError) -> String {
    var limits = ServerLimits()
    // A signal's end has 200 ms in all.
    limits.ending = 0.1
    let clients = ServedClients(desk: desk, watches: watches, device: device, log: log)
    let server = try ControlServer(socket: socket, handler: clients, limits: limits)
    self.server.set(server)
    watches.setBroadcast { server.broadcast($0, to: $1, only: $2) }
    host.onChange { [server = self.server] changed in
      onChange?(changed)
      server.notify(changed)
    }
    library?.start { [server = self.server] changed in server.notify(changed) }
    return server.path
  }

  /// Answers clients from the network too, behind ``open(_:onChange:)``. Returns where. Blocks for the system's calls.
  package nonisolated func listen(
    on address: NetworkAddress, access: NetworkAccess
  ) throws(ListenError) -> NetworkAddress {
    guard let server = server.get() else { return address }
    return try server.listen(on: address, access: access)
  }

  /// Reads what the files of the queue say about themselves, beside playback.
  package func readTags() {
    tagReader.read(
      host.read { machine in
        var songs: [(id: SongID, locator: SongLocator)] = []
        songs.reserveCapacity(machine.queue.count)
        machine.queue.forEach(in: 0..<machine.queue.count) { songs.append(($1.id, $1.song.locator)) }
        return songs
      })
  }

  /// Lets the clients go.
  package func close() {
    library?.stop()
    watches.setBroadcast(nil)
    server.take()?.stop()
  }

  // MARK: The application

  /// A player for the jukebox is there, to go on where the last one was; `onEvent` hears of what happens to it after
  /// the clients. Returns it.
  @discardableResult
  package func startApplication(
    onEvent: @escaping @MainActor (JukeboxEvent) -> Void
  ) -> JukeboxApplication {
    let application = JukeboxApplication(host: host, sound: sound, system: device.application) {
      [watches, server] event in
      watches.tell(event)
      if case .interruption = event { server.notify(.player) }
      onEvent(event)
    }
    watches.setApplication(application)
    self.application = application
    return application
  }

  /// Tells the player everything anew: what was to be done while there was none.
  package func goOn() {
    let seconds = host.seconds
    try? host.change { $0.relaunch(at: seconds) }
  }

  /// There is no application any more.
  package func stopApplication() {
    watches.setApplication(nil)
    application?.stop()
    application = nil
  }

  // MARK: What happens

  /// The output was opened, or cannot be. True if that is news.
  package func note(_ diagnostic: PlaybackDiagnostic) -> Bool {
    switch diagnostic {
    case .outputOpened(let route):
      sound.route = route
      defer { server.notify([.player, .output]) }
      return sound.setOutputProblem(nil)
    case .outputUnavailable(let message, _):
      defer { server.notify(.player) }
      return sound.setOutputProblem(message)
    case .rateUnavailable, .stepsCoalesced, .replayGainIgnored: return true
    }
  }

  // MARK: The device

  /// Lets what runs on the device follow its states. What it records goes to `onRecord` and to clients on the thread
  /// that records it, since the main one may be what hangs; then to `take`.
  package func connectDevice(
    onRecord: @escaping @Sendable (LifecycleRecord) -> Void,
    take: @escaping @MainActor (LifecycleRecord) -> Void
  ) {
    let feed = LifecycleFeed { record in MainActor.assumeIsolated { take(record) } }
    device.onRecord = { [tell = lifecycleTeller] record in
      onRecord(record)
      tell(record)
      feed.append(record)
    }
    device.connect()
  }

  private var lifecycleTeller: @Sendable (LifecycleRecord) -> Void {
    { [sound, watches, server] record in
      guard case .state(let state) = record.event else { return }
      let isNews = sound.set(.application, state == .suspended || state == .notRunning)
      watches.tell(.applicationState(state.rawValue), at: record.time)
      server.notify(isNews ? [.options, .player, .application] : [.options, .application])
    }
  }
}
