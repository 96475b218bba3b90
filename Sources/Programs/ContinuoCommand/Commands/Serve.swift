import AppLifecycle
import ArgumentParser
import Clocks
import Continuo
import ControlServer
import Dispatch
import Glibc
import Jukebox
import MusicFiles
import MusicLibrary
import NowPlaying
import RunTimeline
import SystemSupport
import Transfer

extension Serve {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    _superCommandName: RootCommand.programName,
    abstract: "Plays the queue of its clients, until it is ended.",
    usage: "continuo serve [OPTIONS] [FILE|DIRECTORY|PLAYLIST ...]",
    discussion: """
      The server speaks the MPD protocol on a Unix socket. mpc, ncmpcpp, mpDris2 and other clients control it, and so \
      do the other commands of continuo. The queue, the position in it, volume and modes survive a restart.

      EXAMPLES
        continuo serve --home ~/Music
            Listens at the default socket; `continuo add . && continuo resume` plays everything. Clients list the
            songs and search their tags; new and changed files are noticed at once.
        continuo serve --null-sink --socket /tmp/continuo/socket Media
            On a machine without sound; MPD_HOST=/tmp/continuo/socket mpc status
        continuo serve --home ~/Music --listen 6600 --password ~/.config/continuo/passwords
            Reachable from phones and other machines, with a password.
        continuo serve --print-systemd-unit --home ~/Music
            Units for systemd, with the paths at which to install them.

      SIGNALS
        SIGHUP
            Reads the music directory, the playlists and the password file again. Connected clients keep their
            permissions. With an error in the password file, the earlier passwords stay valid.

      EXIT STATUS
        64   the command line is invalid, or the password file cannot be used
        66   no such music directory
        69   the requested sound server cannot be started
        71   the system gives the player too few threads or too little memory
        73   the socket or the address is in use, or cannot be created
        128+n  ended by signal n, such as SIGTERM (143)
      """)

  func run() throws {
    StandardOutput.setLevel(logLevel)
    if printSystemdUnit {
      StandardOutput.write(units)
      return
    }
    let access = try ExitStatus.usage.orExit("--password \(self.network.password ?? "")", self.network.access)
    SystemResources.reserve()
    let manager = ServiceManager()
    // Must precede everything that a signal would have to clean up.
    let signals = Signals(
      end: { status in
        manager?.tell(.stopping)
        Session.end(status)
      }, reload: reload)
    let network = try ExitStatus.usage.orExit { try player.networkSettings(requests) }
    let builder = QueueBuilder(
      arguments: files, network: network, listsUnplayable: listUnplayable, clock: SystemClock.shared)
    let (parts, state) = try makeParts(builder, network)
    do {
      try serve(parts, builder.songs, keptIn: state, on: try listen(), access, manager, signals)
    } catch {
      StandardOutput.complain("\(error)")
      CleanUp.exit(ExitStatus.alreadyRunning.rawValue)
    }
  }

  // MARK: Parts

  private func makeParts(
    _ builder: QueueBuilder, _ network: NetworkSettings
  ) throws -> (parts: Session.Parts, state: StateDirectory?) {
    let clock = SystemClock.shared
    let modes = try player.backgroundModesOrExit()
    let directory = self.home.map { RawArguments.bytes(of: $0) } ?? .workingDirectory()
    let home = try ExitStatus.noInput.orExit("--home \(directory)") {
      try MusicHome(directory.resolved(against: .workingDirectory()))
    }
    let timeline = try TimelineFile.orExit(
      option: self.timeline, notes: "background modes: \(modes)", clock: clock)
    let state = stateDirectory()
    var generator = SystemRandomNumberGenerator()
    var machine =
      state.map { StateKeeper.load($0) { StandardOutput.complain($0, .warning) } }
      ?? JukeboxMachine(using: &generator)
    player.apply(to: &machine)
    machine.positions.threshold = resumeLongerThan == .infinity ? nil : resumeLongerThan
    try ExitStatus.usage.orExit { try checkOutputs(builder, machine, state) }
    let output = SoundOutput(orExit: player, clock: clock, substitutes: false)
    let parts = Session.Parts(
      machine: machine, home: home, library: library(home, state), playlists: playlists(state),
      stickers: state.map { state in
        StickerStore(state.stickers) { StandardOutput.complain($0, .warning) }
      }, modes: modes, settings: player.lifecycleSettings,
      environment: PlaybackEnvironment(
        clock: clock, device: output.device, network: network, mainQueue: MainLoop.shared),
      reachOfOthers: player.reachOfOthers, network: network, plugin: player.plugin, timeline: timeline)
    return (parts, state)
  }

  /// Returns the database of the songs below `--home`; nil without that option or if the database cannot be
  /// opened. It is kept in the state directory; without one it is temporary.
  private func library(_ home: MusicHome, _ state: StateDirectory?) -> MusicDatabase? {
    guard self.home != nil else { return nil }
    do throws(DatabaseError) {
      guard let path = state?.library ?? TemporaryDirectory.make()?.appending("library".utf8) else {
        throw .unavailable("cannot create a temporary directory for the song database")
      }
      return try MusicDatabase(path, home: home, clock: SystemClock.shared) {
        StandardOutput.complain($1, $0)
      }
    } catch {
      StandardOutput.complain("\(error); library commands are unavailable", .warning)
      return nil
    }
  }

  /// Returns the folder for clients' playlists: the folder of the option, else one in the state directory;
  /// nil without both.
  private func playlists(_ state: StateDirectory?) -> PlaylistFolder? {
    let folder =
      playlists.map { RawArguments.bytes(of: $0).resolved(against: .workingDirectory()) }
      ?? state?.path.appending("playlists".utf8)
    return folder.map { PlaylistFolder($0) }
  }

  /// Throws if the drawing would overwrite a song, a playlist, a file of an option or one of the state.
  private func checkOutputs(
    _ builder: QueueBuilder, _ machine: borrowing JukeboxMachine, _ state: StateDirectory?
  ) throws(OutputFiles.Conflict) {
    guard let timeline else { return }
    var outputs = OutputFiles()
    if let state {
      for file in StateKeeper.files(in: state) + [state.library, state.stickers, state.lockFile] {
        try outputs.add("the state in \(file)", file)
      }
    }
    try outputs.add("--timeline \(timeline)", RawArguments.bytes(of: timeline))
    if let path = player.infoPlist { try outputs.check(inputs: [MediaPath(path)]) }
    if let path = self.network.password { try outputs.check(inputs: [RawArguments.bytes(of: path)]) }
    try outputs.check(inputs: requests.files)
    try outputs.check(inputs: builder.playlists)
    try outputs.check(inputs: builder.files)
    var kept: [MediaPath] = []
    machine.queue.forEach(in: 0..<machine.queue.count) {
      if let file = $1.song.locator.file { kept.append(file) }
    }
    try outputs.check(inputs: kept)
  }

  /// Returns the state directory; nil if it is not wanted or not available, which does not prevent playback.
  private func stateDirectory() -> StateDirectory? {
    if noState { return nil }
    do throws(StateDirectory.Problem) {
      let path =
        if let state {
          RawArguments.bytes(of: state)
        } else {
          try StateDirectory.standardPath(environment: ProcessEnvironment.value)
        }
      return try StateDirectory(
        path: path.resolved(against: .workingDirectory()), isStandard: state == nil)
    } catch {
      StandardOutput.complain("\(error); nothing will be saved: queue, playlists, ratings", .warning)
      return nil
    }
  }

  private func listen() throws(ListenError) -> ListeningSocket {
    if let activated = try ListeningSocket.activated() {
      // If this process listened at another socket, clients of systemd's socket would wait without an answer.
      let options = [
        ("--socket", "ListenStream", socket), ("--socket-mode", "SocketMode", socketMode.map { _ in "" }),
        ("--socket-group", "SocketGroup", socketGroup),
      ]
      for (option, setting, value) in options where value != nil {
        StandardOutput.complain(
          "\(option): systemd has created the socket; set \(setting)= in continuo.socket instead")
        CleanUp.exit(ExitStatus.usage.rawValue)
      }
      return activated
    }
    return try CleanUp.adding { () throws(ListenError) in
      try ListeningSocket.bound(
        to: socket ?? DefaultSocket.path,
        access: SocketAccess(mode: socketMode ?? 0o600, group: socketGroup))
    } removal: {
      $0.removal
    }
  }

  // MARK: Serving

  private func serve(
    _ parts: Session.Parts, _ songs: [Song], keptIn state: StateDirectory?,
    on socket: consuming ListeningSocket, _ access: NetworkAccess, _ manager: ServiceManager?,
    _ signals: Signals
  ) throws(ListenError) -> Never {
    let run = MainActor.assumeIsolated {
      let session = Session(parts)
      session.makeCurrent()
      let run = ServeRun(session, state: state)
      // The run saves at the beginning of its end. Clients may change something after that, and on a slow disk
      // the process may be ended before that save is complete.
      CleanUp.addLast(run.save)
      run.launch()
      return run
    }
    let path = try run.open(socket)
    let addresses = try self.network.listen.map { address throws(ListenError) in
      try run.listen(on: address, access: access)
    }
    MainActor.assumeIsolated { run.queue(songs, showsOnDesktop: !player.writesFile) }
    for place in [path] + addresses.map(\.description) {
      StandardOutput.complain("listening at \(place)", .info)
    }
    let announcements = announcements(of: addresses)
    manager?.tell(.ready)
    signals.mainQueueRuns()
    withExtendedLifetime((signals, run, announcements)) { MainLoop.shared.run() }
  }

  /// Reads the password file and the music directory again. Clients are notified that the playlists may have
  /// changed.
  private var reload: @MainActor @Sendable () -> Void {
    let queue = DispatchQueue(label: "continuo.reload")
    return { [network] in
      guard let service = Session.current?.service else { return }
      // The disk must not delay the player.
      queue.async { network.reload(service) }
    }
  }

  /// Announces the ports that other machines can reach. Returns the announcements, which must be retained.
  private func announcements(of addresses: [NetworkAddress]) -> [ServiceAnnouncement] {
    let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(HOST_NAME_MAX) + 1) {
      buffer -> String? in
      buffer.initialize(repeating: 0)
      // The last byte is not written, so it stays zero.
      guard let name = buffer.baseAddress, gethostname(name, buffer.count - 1) == 0 else { return nil }
      return String(cString: name)
    }
    let ports = Set(addresses.filter { IPAddress($0.host)?.isLoopback != true }.map(\.port))
    return ports.sorted().map {
      // The same name as mpd announces.
      ServiceAnnouncement(.init(name: "Music Player @ \(host ?? "continuo")", type: "_mpd._tcp", port: $0))
    }
  }

  // MARK: Systemd unit

  private static var program: String {
    (try? MediaPath("/proc/self/exe").resolvingLinks())?.description ?? "/usr/bin/continuo"
  }

  private var units: String {
    let paths =
      files + [home, state, playlists, timeline, player.infoPlist, self.network.password].compactMap(\.self)
      + [player.cache].compactMap { $0 == "none" ? nil : $0 } + requests.files.map(\.description)
    let isRelative = paths.contains { !$0.hasPrefix("/") && !EntryLocation.isURL(Array($0.utf8)) }
    let directory = MediaPath.workingDirectory()
    return SystemdUnits.text(
      program: Self.program, arguments: SystemdUnits.arguments(CommandLine.arguments.dropFirst(2)),
      directory: isRelative ? directory.description : nil,
      socket: SystemdUnits.Socket(
        path: socket.map { RawArguments.bytes(of: $0).resolved(against: directory).description },
        mode: socketMode ?? 0o600, group: socketGroup))
  }
}
