import AppLifecycle
import ArgumentParser
import Clocks
import Continuo
import ControlProtocol
import ControlServer
import Dispatch
import Jukebox
import MPDService
import MusicFiles
import RunTimeline
import SystemSupport
import Transfer

extension Play {
  static let configuration = CommandConfiguration(
    commandName: "play",
    _superCommandName: RootCommand.programName,
    abstract: "Plays files, URLs, folders and playlists to their end, and exits.",
    usage: "continuo play [OPTIONS] FILE|URL|DIRECTORY|PLAYLIST ...",
    discussion: """
      On a terminal it shows the current song and reads keys: space (pause), n and p (next, previous), left and \
      right (5 s back, forward), up and down (volume), m (mute), [ and ] (slower, faster), h (home button), f \
      (foreground), q (quit), ? (these keys).

      EXAMPLES
        continuo play Media
            A folder with its subfolders.
        continuo play intro.mp3 evening.m3u8
            A file, then those of a playlist.
        continuo play http://example.org/a.mp3 intro.mp3
            A file from a web server, then a local one.
        find Media -name '*.mp3' | shuf | continuo play -
            A playlist from standard input.
        continuo play --null-sink Media
            On a machine without sound.
        continuo play --background-modes none --at 3:home --at 6.5:foreground Media
            The home button stops the sound; in the foreground it resumes there.
        continuo play --at '2:interrupt begin' --at 4:'interrupt end' Media
            A call, during which the player pauses.
        continuo play --at 3:terminate --at 5:launch --timeline run.svg Media
            The application terminates and resumes where it stopped; a drawing shows it.
        continuo play --socket /tmp/continuo/socket Media &
            Controlled from elsewhere: continuo next --socket /tmp/continuo/socket
        continuo play --output wav:all.wav --events events.jsonl Media
            Renders the queue to a file and writes all observer events.

      EXIT STATUS
        0   the queue was played
        1   at least one item could not be played to its end; others, or a part, were
        64  the command line is invalid
        66  no such file, and nothing left to play
        69  no audio server, and none could be started; no such sink; or the WAV file cannot be written
        70  the system terminated the application and nothing launched it again
        71  the system gives the player too few threads or too little memory
        73  the socket that --socket names is in use, or cannot be created
        128+n  ended by signal n, such as SIGINT (130)
      """)

  func run() throws {
    let modes = try player.backgroundModesOrExit()
    let network = try ExitStatus.usage.orExit { try player.networkSettings(requests) }
    let builder = QueueBuilder(
      arguments: files, keepsMissing: true, network: network, listsUnplayable: listUnplayable,
      clock: SystemClock.shared)
    guard builder.playableCount > 0 else {
      if builder.problems.isEmpty { StandardOutput.complain("nothing to play: no songs found") }
      if files.count == 1, Int(files[0]) != nil {
        StandardOutput.complain("to play a song of a running player's queue: continuo jump \(files[0])")
      }
      throw ExitStatus.noInput.code
    }
    try ExitStatus.usage.orExit { try checkOutputs(builder) }
    try play(builder, modes: modes, network: network)
  }

  /// Throws if an output is also another output, a song, a playlist, standard input or a file of an option.
  private func checkOutputs(_ builder: QueueBuilder) throws(OutputFiles.Conflict) {
    var outputs = OutputFiles()
    if case .wav(let path) = player.output {
      try outputs.add("--output wav:\(path)", path == "-" ? nil : RawArguments.bytes(of: path))
    }
    if let path = events {
      try outputs.add("--events \(path)", path == "-" ? nil : RawArguments.bytes(of: path))
    }
    if let path = timeline { try outputs.add("--timeline \(path)", RawArguments.bytes(of: path)) }
    if let path = player.infoPlist { try outputs.check(inputs: [MediaPath(path)]) }
    try outputs.check(inputs: requests.files)
    if files.contains("-") { try outputs.checkStandardInput() }
    try outputs.check(inputs: builder.playlists)
    try outputs.check(inputs: builder.files)
  }

  private func play(
    _ builder: QueueBuilder, modes: BackgroundModes, network: NetworkSettings
  ) throws -> Never {
    let (songs, missing, problems) = (builder.songs, builder.missing, builder.problemCount)
    SystemResources.reserve()
    let clock = SystemClock.shared
    let count = builder.playableCount
    let items = "\(count) \(count == 1 ? "item" : "items")"
    let timeline = try TimelineFile.orExit(
      option: self.timeline, notes: "\(items); background modes: \(modes)", clock: clock)
    let events = try EventWriter.orExit(option: self.events)
    // Must precede everything that a signal would have to clean up.
    let signals = Signals(end: { Session.end($0) }, redraw: { Session.current?.delegate?.redraw() })
    let output = SoundOutput(orExit: player, clock: clock, substitutes: true)
    let run = MainActor.assumeIsolated {
      let session = Session(
        Session.Parts(
          machine: machine(songs), modes: modes, settings: player.lifecycleSettings,
          environment: PlaybackEnvironment(
            clock: clock, device: output.device, network: network, mainQueue: MainLoop.shared),
          reachOfOthers: player.reachOfOthers, network: network, plugin: player.plugin, timeline: timeline))
      session.makeCurrent()
      let run = PlayRun(session, options: self, problems: problems, missing: missing, events: events)
      run.start(probe: output.probe, socket: wantsSocket ? bindSocket() : nil)
      return run
    }
    signals.mainQueueRuns()
    withExtendedLifetime((signals, run)) { MainLoop.shared.run() }
  }

  private func machine(_ songs: [Song]) -> JukeboxMachine {
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator, upcomingLimit: PlayRun.upcomingLimit)
    do throws(JukeboxError) {
      try machine.add(songs)
      player.apply(to: &machine)
      machine.setRepeat(loop)
    } catch {
      StandardOutput.complain(error.message)
      CleanUp.exit(ExitStatus.usage.rawValue)
    }
    return machine
  }

  private func bindSocket() -> ListeningSocket? { ControlSocket.bind(socket, without: Self.complaint) }

  /// Returns the message about the missing default socket.
  static func complaint(_ error: ListenError) -> String {
    guard case .alreadyRunning(let path) = error else { return "no control socket: \(error)" }
    return """
      another player answers at \(path), and this one plays beside it, without a socket; continuo add adds music to \
      that player's queue instead
      """
  }
}
