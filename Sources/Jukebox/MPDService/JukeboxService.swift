package import AppLifecycle
package import AudioCore
package import Clocks
package import Continuo
package import ControlProtocol
package import ControlServer
import Jukebox
package import JukeboxPlayback
package import MusicFiles
package import MusicLibrary
package import NetworkPlaylists
import NowPlaying
import Synchronization
package import SystemSupport
package import Transfer

/// The jukebox as a service for clients of the control socket: performs commands, sends notifications and
/// tracks what prevents sound. Exists also while no application runs, and before a socket is opened.
@MainActor
package final class JukeboxService {
  /// The state of the sound output: whether sound plays, and the obstacles to sound.
  package let sound: SoundState
  private let host: JukeboxHost
  private let device: Device
  private let watches: WatchDesk
  private let desk: ControlDesk
  private let tagReader: TagReader
  private nonisolated let library: MusicDatabase?
  private let audience = Audience()
  package private(set) var application: JukeboxApplication?

  /// The recipients of changes, which are set later. They are notified on the thread that has made the
  /// change.
  private final class Audience: Sendable {
    let server = Mutex<MPDServer?>(nil)
    let desktop = Mutex<DesktopPlayer?>(nil)

    func notify(_ subsystems: Subsystems) {
      server.withLock { $0 }?.notify(subsystems)
      desktop.withLock { $0 }?.changed()
    }

    /// Notifies the desktop of all events except the progress of transfers. Some, such as jumps in time, belong to no
    /// subsystem.
    func notify(_ event: JukeboxEvent) {
      switch event {
      case .loaded, .network: break
      default: desktop.withLock { $0 }?.changed()
      }
    }
  }

  /// Creates the service of `host` on `device`. Must precede the device's players, since the jukebox must be
  /// suspended and ended before the players.
  ///
  /// - Parameters:
  ///   - home: The music directory, to which clients' relative names refer.
  ///   - library: The database of the songs below the music directory, which the service starts and stops;
  ///     nil if there is none.
  ///   - playlists: The stored playlists; nil if none are kept.
  ///   - stickers: The stickers; nil if none are kept.
  ///   - reachOfOthers: The addresses that URLs of other users' clients may lead to; nil forbids them URLs.
  ///   - readPlaylist: Reads network playlists. If nil, network playlists count as songs.
  ///   - readTag: Reads the tag of a network medium with its pictures. If nil, network media have no
  ///     pictures.
  ///   - plugin: The name of the output's driver, for clients.
  ///   - output: The output, whose destinations clients can choose; nil without a choice.
  package init(
    host: JukeboxHost, device: Device, home: MusicHome, library: MusicDatabase?,
    playlists: PlaylistFolder? = nil, stickers: StickerStore? = nil,
    reachOfOthers: NetworkReach? = .publicOnly,
    readPlaylist: PlaylistReading? = nil,
    readTag: (@Sendable (WebURL, Credentials?, NetworkReach, _ interruption: () -> String?) -> MediaTag?)? =
      nil,
    plugin: String, output: (any AudioOutputDevice)? = nil, clock: any HostClock
  ) {
    self.host = host
    self.device = device
    self.library = library
    sound = SoundState(clock: clock) { AVAudioSession.sharedInstance().isInterrupted }
    // Restored before the first application, so that a restart does not play aloud.
    sound.set(.switchedOff, host.read { $0.isSwitchedOff })
    watches = WatchDesk(host: host, clock: clock)
    tagReader = TagReader(
      clock: clock, isWanted: { id in host.read { $0.queue[id] != nil } },
      onRead: { metadata in try? host.change { $0.setMetadata(metadata) } })
    desk = ControlDesk(
      playback: PlaybackCommands(
        host: host, sound: sound, home: home, library: library, clock: clock, started: clock.now,
        sleepTimer: SleepTimer(host: host, clock: clock)),
      queue: QueueCommands(host: host, home: home),
      library: LibraryCommands(
        host: host, home: home, library: library, playlists: playlists, stickers: stickers,
        tagReader: tagReader, reachOfOthers: reachOfOthers, readPlaylist: readPlaylist, readTag: readTag,
        clock: clock, onChange: { [audience] in audience.notify($0) }),
      application: ApplicationCommands(device: device, clock: clock),
      outputs: OutputCommands(
        sound: sound, plugin: plugin, device: output,
        onSwitch: { [host, sound, audience] in
          try? host.change { $0.setSwitchedOff(sound.isSwitchedOff) }
          host.mainQueue.enqueue {
            host.setHeld(sound.isHeldBack)
            audience.notify([.player, .output])
          }
        }, onChange: { [audience] in audience.notify(.output) }),
      home: home, watches: watches)
    sound.onWaiting { [audience] in audience.notify(.player) }
    host.onChange { [audience] in audience.notify($0) }
    // Added before the players, because the next player starts at the position that they have reached.
    device.add(host)
  }

  // MARK: Socket

  /// Serves the clients of `socket`, and starts the library. Blocks until the server's thread runs, and returns the path
  /// of the socket.
  ///
  /// - Parameters:
  ///   - log: Writes a line for the operator, on any thread and without blocking.
  ///   - onChange: Called for changes of the jukebox, in addition to the clients, on any thread.
  @discardableResult
  package nonisolated func open(
    _ socket: consuming ListeningSocket, log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in },
    onChange: (@Sendable (Subsystems) -> Void)? = nil
  ) throws(ListenError) -> String {
    var limits = ServerLimits()
    // The whole process has 200 ms to end after a signal.
    limits.ending = 0.1
    var desk = desk
    desk.log = log
    let server = try MPDServer(socket: socket, handler: desk, limits: limits)
    audience.server.withLock { $0 = server }
    watches.setBroadcast { server.broadcast($0, to: $1, only: $2) }
    if let onChange {
      host.onChange { [audience] changed in
        onChange(changed)
        audience.notify(changed)
      }
    }
    library?.start { [audience, commands = desk.library] changed in
      // Only at the end of an update, because a long one reports its progress again and again.
      if changed.contains([.update, .database]) { commands.renewTags() }
      audience.notify(changed)
    }
    return server.path
  }

  /// Serves network clients too, after `open`; before it, only returns `address`. Returns the address in use. Blocks
  /// during system calls.
  package nonisolated func listen(
    on address: NetworkAddress, access: NetworkAccess
  ) throws(ListenError) -> NetworkAddress {
    guard let server = audience.server.withLock({ $0 }) else { return address }
    return try server.listen(on: address, access: access)
  }

  /// Requests a scan of the music directory for changes, and has clients list the stored playlists again. `passwords`
  /// replace those of network clients; nil keeps them. Any thread.
  package nonisolated func reload(passwords: [ControlProtocol.Argument: Permissions]?) {
    _ = try? library?.update([], rereads: false)
    if let passwords { audience.server.withLock { $0 }?.setPasswords(passwords) }
    audience.notify(.storedPlaylist)
  }

  /// Reads the tags of the files in the queue in the background.
  package func readTags() {
    tagReader.read(
      host.read { machine in
        var songs: [(id: SongID, locator: SongLocator)] = []
        songs.reserveCapacity(machine.queue.count)
        machine.queue.forEach(in: 0..<machine.queue.count) { songs.append(($1.id, $1.song.locator)) }
        return songs
      })
  }

  /// Publishes the jukebox on the user's session bus (MPRIS). If the environment names no bus, or time is
  /// virtual, loads no library and returns false.
  @discardableResult
  package func joinDesktop() -> Bool {
    // Playback in virtual time must not be visible to other programs.
    guard desk.playback.clock is SystemClock, SessionBus.isNamed else { return false }
    let desk = desk
    audience.desktop.withLock { desktop in
      if desktop == nil { desktop = DesktopPlayer(desk) }
    }
    audience.notify([])
    return true
  }

  /// Stops the library, the server, which closes the clients' connections, and the player on the session bus.
  package func close() {
    library?.stop()
    watches.setBroadcast(nil)
    audience.server.withLock { $0.take() }?.stop()
    leaveDesktop()
  }

  /// Releases the player on the session bus and removes its picture file. Also called directly if the process ends
  /// without `close`. Any thread.
  package nonisolated func leaveDesktop() { audience.desktop.withLock { $0.take() }?.close() }

  // MARK: Application

  /// Returns a new application for the jukebox, whose player has no song until `goOn` or a command. `onEvent`
  /// is called with the player's events after the clients were notified.
  @discardableResult
  package func startApplication(onEvent: @escaping @MainActor (JukeboxEvent) -> Void) -> JukeboxApplication {
    let application = JukeboxApplication(host: host, sound: sound, system: device.application) {
      [watches, audience] event in
      watches.tell(event)
      audience.notify(event)
      if case .interruption = event { audience.notify(.player) }
      onEvent(event)
    }
    watches.setApplication(application)
    self.application = application
    return application
  }

  /// Sends the jukebox's whole state to the player, including commands that arrived while no player existed.
  package func goOn() {
    let seconds = host.seconds
    try? host.change { $0.relaunch(at: seconds) }
  }

  package func stopApplication() {
    watches.setApplication(nil)
    application?.stop()
    application = nil
  }

  // MARK: Diagnostics

  /// Records whether the output was opened or is unavailable, and replaces an unavailable speed by the normal
  /// one. Returns whether the operator should be notified.
  package func note(_ diagnostic: PlaybackDiagnostic) -> Bool {
    switch diagnostic {
    case .outputOpened(let route):
      let before = sound.route
      sound.route = route
      defer { audience.notify([.player, .output]) }
      let isBack = sound.setOutputProblem(nil)
      return isBack || before.map { $0 != route } ?? false
    case .outputUnavailable(let message, _):
      // Retries that fail alike must not wake the clients.
      let isNews = sound.setOutputProblem(message)
      if isNews { audience.notify(.player) }
      return isNews
    case .rateUnavailable(let message):
      // The player has paused. At the normal speed it continues.
      try? host.change { $0.refuseSpeed(message) }
      return true
    case .stepsCoalesced, .startDeferred, .replayGainIgnored: return true
    }
  }

  // MARK: Device

  /// Connects the device's life cycle. `onRecord` receives each record, and the clients each change of the
  /// state, on the thread that made it, since the main thread may hang. `take` receives each record on the
  /// main thread afterwards.
  package func connectDevice(
    onRecord: @escaping @Sendable (LifecycleRecord) -> Void,
    take: @escaping @MainActor (LifecycleRecord) -> Void
  ) {
    let feed = LifecycleFeed(on: device.mainQueue) { record in MainActor.assumeIsolated { take(record) } }
    device.onRecord = { [sound, watches, audience] record in
      onRecord(record)
      if case .state(let state) = record.event {
        let isNews = sound.set(.application, state == .suspended || state == .notRunning)
        watches.tell(.applicationState(state.rawValue), at: record.time)
        audience.notify(isNews ? [.options, .player, .application] : [.options, .application])
      }
      feed.append(record)
    }
    device.connect()
  }
}
