import AppLifecycle
import Clocks
import ControlProtocol
import ControlTestSupport
import Foundation
import Jukebox
import MusicFiles
import NowPlaying
import Synchronization
import TestSupport
import Testing

@testable import ContinuoTesting
@testable import ControlServer
@testable import JukeboxPlayback
@testable import MPDService

/// Which commands are answered, at once or later, which reach the player, and what a client is told of an error.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ControlDeskTests {
  /// A desk, and all that its commands concern.
  @MainActor
  private final class Stage {
    let device: TestDevice
    let folder: TemporaryFolder
    let host: JukeboxHost
    let sound: SoundState
    let desk: ControlDesk
    /// What was called besides, in order.
    let calls = Collected<String>()

    init(_ device: TestDevice, songs: Int = 3) throws {
      self.device = device
      folder = try TemporaryFolder()
      var generator = SystemRandomNumberGenerator()
      var machine = JukeboxMachine(using: &generator)
      let path = folder.path
      try machine.add((0..<songs).map { Song(path: Array("\(path)/\($0).mp3".utf8)) })
      host = JukeboxHost(machine, mainQueue: device.mainQueue)
      let home = try MusicHome(MediaPath(folder.path))
      sound = SoundState(clock: device.hostClock)
      let calls = calls
      desk = ControlDesk(
        playback: PlaybackCommands(
          host: host, sound: sound, home: home, clock: device.hostClock, started: device.hostClock.now,
          sleepTimer: SleepTimer(host: host, clock: device.hostClock)),
        queue: QueueCommands(host: host, home: home),
        library: LibraryCommands(
          host: host, home: home, tagReader: TagReader(clock: SystemClock.shared) { _ in },
          clock: SystemClock.shared),
        application: ApplicationCommands(device: device.system, clock: device.hostClock),
        outputs: OutputCommands(sound: sound, plugin: "simulated", onSwitch: { calls.add("switch") }),
        home: home, watches: WatchDesk(host: host, clock: device.hostClock))
    }

    /// Has a command carried out, as it was understood.
    func begin(_ command: Command, _ context: ConnectionMachine.Context = .init()) -> Answer {
      let answer = Answer()
      desk.perform(
        command, context,
        for: ClientInfo(id: ClientID(number: 1), isLocal: true, isSameUser: true)
      ) { answer.complete($0) }
      return answer
    }

    /// Has a line of a client's carried out; the answer as it is sent, without `OK`.
    func begin(_ line: String) throws -> Answer {
      var machine = ConnectionMachine()
      _ = machine.next()
      machine.append("\(line)\n".utf8)
      guard case .perform(let command, let context) = machine.next() else {
        throw Ack(.unknown, "not for the desk")
      }
      return begin(command, context)
    }

    /// The answer to what has to be answered before `begin` returns.
    func ask(_ line: String) throws -> String {
      let answer = try begin(line)
      try #require(answer.isThere, "\(line) is not answered at once")
      return String(decoding: try answer.get().bytes, as: UTF8.self)
    }

    /// Asks, and expects that answer.
    func expect(_ line: String, _ text: String = "", _ location: SourceLocation = #_sourceLocation) throws {
      #expect(try ask(line) == text, "\(line)", sourceLocation: location)
    }

    /// Lets the device do what a command asks for. That comes from a thread of its own: who knows when.
    func follow(_ line: String) async throws {
      let answer = try begin(line)
      while !answer.isThere {
        await device.advance(by: .zero)
        await Task.yield()
      }
      #expect(try answer.get().bytes == [], "\(line)")
    }
  }

  /// Calls `body` with a desk on a device, where the application runs if that is wanted.
  private func withStage(
    modes: Set<BackgroundMode> = [], isLaunched: Bool = true, _ body: @MainActor (Stage) async throws -> Void
  ) async throws {
    try await withTestDevice(modes: modes) { device in
      if isLaunched { await device.launch() }
      try await body(Stage(device))
    }
  }

  // MARK: At once

  @Test func whatTheServerAnswersItselfIsRefused() async throws {
    try await withStage { stage in
      for command in [Command.connection(.ping), .channels(.channels)] {
        let answer = stage.begin(command)
        #expect(throws: Ack(.unknown, "the server answers that itself")) { try answer.get() }
      }
    }
  }

  @Test func whatIsAlwaysTheSame() async throws {
    try await withStage { stage in
      try stage.expect("config", "music_directory: \(stage.folder.path)\n")
      try stage.expect(
        "decoders",
        """
        plugin: mpg123
        suffix: mp3
        mime_type: audio/mpeg
        plugin: sndfile
        suffix: flac
        suffix: ogg
        suffix: oga
        suffix: opus
        suffix: wav
        suffix: wave
        suffix: w64
        suffix: rf64
        suffix: aif
        suffix: aiff
        suffix: aifc
        suffix: caf
        mime_type: audio/flac
        mime_type: audio/ogg
        mime_type: audio/opus
        mime_type: audio/wav
        mime_type: audio/aiff
        mime_type: audio/x-caf

        """)
      try stage.expect("urlhandlers", "handler: file://\nhandler: http://\nhandler: https://\n")
      try stage.expect("listpartitions", "partition: default\n")
      for line in ["crossfade 0", "partition default", "mixrampdb 0", "mixrampdelay nan"] {
        try stage.expect(line)
      }
      // No playlists and no stickers are kept here: none are listed, and saving is refused in words.
      #expect(try stage.begin("listplaylists").get().bytes.isEmpty)
      for line in ["save x", "rm x", "playlistadd x a.mp3", "sticker set song a.mp3 x y"] {
        #expect(throws: Ack.self, "\(line)") { try stage.begin(line).get() }
      }
    }
  }

  @Test func withoutALibraryNoSongIsKnown() async throws {
    try await withStage { stage in
      let count = try stage.begin("count title x").get()
      #expect(String(decoding: count.bytes, as: UTF8.self) == "songs: 0\nplaytime: 0\n")
      for line in [
        "list artist", "find title x", "search title x", "findadd title x", "searchadd title x", "listall",
        "listallinfo",
      ] {
        #expect(try stage.begin(line).get().bytes == [], "\(line)")
      }
    }
  }

  @Test(arguments: [
    (
      "crossfade 5",
      Ack(.argument, "no crossfade: it mixes two songs, and this queue plays the exact frames of each")
    ),
    ("partition other", Ack(.noExist, "partition does not exist")),
    ("play 3", .badSongIndex), ("seekcur 1", Ack(.playerSync, "Not playing")), ("deleteid 9999", .noSuchSong),
    ("swap 0 3", .badSongIndex), ("playlistinfo 4", .badSongIndex), ("playlistid 9999", .noSuchSong),
    ("enableoutput 1", .noSuchOutput), ("toggleoutput 7", .noSuchOutput),
  ])
  func refusal(_ line: String, _ ack: Ack) async throws {
    try await withStage { stage in
      let before = stage.host.read { $0.queue.version }
      #expect(throws: ack) { try stage.ask(line) }
      #expect(stage.host.read { $0.queue.version } == before)
      #expect(stage.host.read { $0.state } == .stopped)
      #expect(stage.calls.all == [] && !stage.sound.isSwitchedOff)
    }
  }

  /// The player has begun the next song, and the jukebox does not know yet.
  @Test func aRelativeSeekInASongThatThePlayerHasJustLeftHasNoEffect() async throws {
    try await withStage { stage in
      try stage.expect("play 0")
      let (song, next) = stage.host.read { ($0.currentID, $0.queue[position: 1]) }
      stage.host.place.set(nil, next, ticket: PlaybackTicket(rawValue: .max))
      let id = try #require(song)
      for distance in ["+5", "-5"] {
        try stage.expect("seekcur \(distance)")
        #expect(stage.host.place.seconds(of: id) == nil)
      }
      try stage.expect("seekcur 5")
      #expect(stage.host.place.seconds(of: id) == 5 && stage.host.read { $0.currentID } == id)
    }
  }

  @Test func queueAndModesAreThereWithoutAnApplication() async throws {
    try await withStage(isLaunched: false) { stage in
      #expect(try stage.ask("status").contains("\nplaylistlength: 3\n"))
      try stage.expect("setvol 20")
      try stage.expect("getvol", "volume: 20\n")
      for mode in ["auto", "album", "track", "off"] {
        try stage.expect("replay_gain_mode \(mode)")
        try stage.expect("replay_gain_status", "replay_gain_mode: \(mode)\n")
      }
      try stage.expect("repeat 1")
      #expect(stage.host.read { $0.isRepeating })
      try stage.expect("delete 1")
      try stage.expect("playlist", "0:file: 0.mp3\n1:file: 2.mp3\n")
      #expect(try stage.ask("lifecycle").hasPrefix("application: notRunning\n"))
    }
  }

  /// A song's tags are those that the client wants.
  @Test func clientsChoiceOfTagsIsHandedOn() async throws {
    try await withStage { stage in
      let id = try #require(stage.host.read { $0.queue[position: 0]?.id })
      try stage.host.change {
        $0.setMetadata([(id, SongMetadata(tags: [SongTag(.title, "A"), SongTag(.artist, "B")]))])
      }
      try stage.expect("play 0")
      for command in [Command.playback(.currentsong), .listing(.playlistinfo(nil))] {
        var context = ConnectionMachine.Context()
        context.tags = TagSet(.artist)
        let text = String(decoding: try stage.begin(command, context).get().bytes, as: UTF8.self)
        #expect(text.contains("Artist: B\n") && !text.contains("Title"), "\(command)")
      }
    }
  }

  @Test func outputIsSwitchedAndThatIsToldOnce() async throws {
    try await withStage { stage in
      #expect(try stage.ask("outputs").contains("outputenabled: 1\n"))
      try stage.expect("enableoutput 0")
      #expect(stage.calls.all == [])
      try stage.expect("disableoutput 0")
      #expect(stage.sound.isSwitchedOff)
      try stage.expect("disableoutput 0")
      #expect(stage.calls.all == ["switch"])
      #expect(try stage.ask("outputs").contains("outputenabled: 0\n"))
      try stage.expect("toggleoutput 0")
      #expect(!stage.sound.isSwitchedOff)
      #expect(stage.calls.all == ["switch", "switch"])
    }
  }

  // MARK: The player's commands

  /// Those of a lock screen, which all concern a player.
  private static let transport = [
    "play", "play 1", "playid", "pause", "pause 1", "stop", "next", "previous", "seek 1 5", "seekid 1 5",
    "seekcur 5",
  ]

  @Test func playerIsNotToldWithoutAnApplication() async throws {
    try await withStage(modes: [.audio], isLaunched: false) { stage in
      for line in Self.transport {
        #expect(throws: Ack(.playerSync, "the application is not running"), "\(line)") { try stage.ask(line) }
      }
      #expect(stage.host.read { $0.state } == .stopped)
    }
  }

  @Test(arguments: [[], [.fetch]] as [Set<BackgroundMode>])
  func playerIsNotToldWhileItsApplicationIsSuspendedForGood(modes: Set<BackgroundMode>) async throws {
    try await withStage(modes: modes) { stage in
      try stage.expect("play 1")
      await stage.device.pressHomeButton()
      #expect(stage.device.state == .suspended)
      for line in Self.transport {
        #expect(
          throws: Ack(.playerSync, "the application is suspended and has no audio background mode"), "\(line)"
        ) { try stage.ask(line) }
      }
      #expect(stage.host.read { $0.state } == .playing && stage.host.read { $0.currentPosition } == 1)
      #expect(stage.device.state == .suspended)
    }
  }

  @Test func playersCommandWakesAnApplicationThatMayPlayInTheBackground() async throws {
    try await withStage(modes: [.audio]) { stage in
      await stage.device.pressHomeButton()
      #expect(stage.device.state == .suspended)
      // Refused by the jukebox, but the application was woken before.
      #expect(throws: Ack.badSongIndex) { try stage.ask("play 3") }
      await stage.device.advance(by: .zero)
      #expect(stage.device.state == .background)
      try stage.expect("play 2")
      #expect(stage.host.read { $0.currentPosition } == 2)
    }
  }

  // MARK: The desktop

  /// The refusal of a desktop's command; nil if it was performed. It must come before this returns.
  private func refusal(
    of kind: CommandOffer.Kinds, _ value: Double = 0, on stage: Stage
  ) throws -> String? {
    let refusals = Mutex<[BusError?]>([])
    DesktopCommands(desk: stage.desk).perform(kind, value) { error in refusals.withLock { $0.append(error) } }
    let all = refusals.withLock { $0 }
    try #require(all.count == 1)
    return all[0]?.message
  }

  @Test func desktopsCommandsAreThoseOfTheSocket() async throws {
    try await withStage { stage in
      @MainActor func does(_ kind: CommandOffer.Kinds, _ value: Double = 0) throws {
        #expect(try refusal(of: kind, value, on: stage) == nil)
      }
      let (host, sound, clock) = (stage.host, stage.sound, stage.device.hostClock)
      var shown: MPRISState { MPRISState(host, sound, at: clock.now) }
      #expect(shown.status == .stopped && shown.info == nil)
      #expect(shown.offer.has(.play) && !shown.offer.has([.next, .previous, .position]))
      #expect(try refusal(of: .next, on: stage) == "Not playing")
      try does(.play)
      #expect(shown.status == .playing && shown.info?.title == "0.mp3")
      #expect(shown.offer.has(.next) && shown.offer.has(.previous))
      try does(.next)
      try does(.next)
      #expect(stage.host.read(\.currentPosition) == 2)
      #expect(!shown.offer.has(.next))
      try does(.previous)
      #expect(stage.host.read(\.currentPosition) == 1)
      try does(.pause)
      try does(.pause)
      #expect(shown.status == .paused && shown.line.rate == 0)
      try does(.position, 12.5)
      #expect(stage.host.seconds == 12.5 && shown.line.position == 12.5)
      for (value, percent) in [(0.0, 0), (0.005, 1), (0.404, 40), (1, 100)] {
        try does(.volume, value)
        #expect(stage.host.read(\.volume) == percent)
        #expect(shown.offer.volume == Double(percent) / 100)
      }
      for type in [MPRepeatType.one, .all, .off] {
        try does(.repeatMode, Double(type.rawValue))
        #expect(shown.offer.repeatType == type)
      }
      for type in [MPShuffleType.items, .off] {
        try does(.shuffleMode, Double(type.rawValue))
        #expect(shown.offer.shuffleType == type)
      }
      try does(.play)
      try does(.rate, 1.5)
      #expect(
        stage.host.read(\.speed).factor == 1.5 && shown.line.rate == 1.5 && shown.info?.defaultRate == 1.5)
      for rate in [0.1, 9, 1e300] { #expect(try refusal(of: .rate, rate, on: stage) != nil) }
      // Sound that nobody hears is not playing.
      stage.sound.setOutputProblem("no server")
      #expect(shown.status == .paused && shown.line.rate == 0)
      stage.sound.setOutputProblem(nil)
      try does(.stop)
      #expect(shown.status == .stopped && shown.line.position == 0 && shown.info != nil)
    }
  }

  @Test func desktopsMetadataAreTheTags() async throws {
    try await withStage { stage in
      let id = try #require(stage.host.read { $0.queue[position: 0]?.id })
      let tags = [
        SongTag(.title, "Duo"), SongTag(.artist, "A"), SongTag(.artist, "B"), SongTag(.track, "3/12"),
        SongTag(.disc, "x"), SongTag(.name, "Station"), SongTag(.genre, ""),
      ]
      try stage.host.change {
        $0.setMetadata([(id, SongMetadata(duration: 61.5, tags: tags))])
        $0.play()
      }
      let info = try #require(MPRISState(stage.host, stage.sound, at: stage.device.hostClock.now).info)
      #expect(info.title == "Duo" && info.artists == ["A", "B"] && info.trackNumber == 3)
      #expect(info.discNumber == nil && info.genres == [] && info.duration == 61.5)
      #expect(info.url == "file://\(stage.folder.path)/0.mp3")
    }
  }

  @Test func desktopOpensSongsByURL() async throws {
    try await withStage { stage in
      try stage.folder.write("new.mp3", [UInt8](repeating: 0, count: 100))
      for (url, refusal) in [
        ("file://\(stage.folder.path)/new.mp3", nil), ("file:///old.mp3", "No such song"),
      ] {
        let answer = Answer()
        DesktopCommands(desk: stage.desk).open(url) { error in
          answer.complete(error.map { .failure(Ack(.unknown, $0.message)) } ?? .success(Reply()))
        }
        if let refusal {
          #expect(throws: Ack(.unknown, refusal)) { try answer.get() }
        } else {
          _ = try answer.get()
        }
      }
      #expect(stage.host.read { $0.currentPosition } == 3 && stage.host.read { $0.state } == .playing)
    }
  }

  // MARK: Later

  @Test func applicationsCommandsAreAnsweredWhenTheyHaveLedWhereTheyLead() async throws {
    try await withStage(isLaunched: false) { stage in
      for (line, state) in [
        ("launch", ApplicationState.active), ("lock", .suspended), ("unlock", .active), ("home", .suspended),
        ("foreground", .active), ("interrupt begin", .inactive), ("interrupt end noresume", .active),
      ] {
        try await stage.follow(line)
        #expect(stage.device.state == state, "\(line)")
      }
      #expect(try stage.ask("lifecycle").hasPrefix("application: active\n"))
      #expect(stage.calls.all == [])
      try await stage.follow("terminate")
      #expect(stage.device.state == .notRunning)
    }
  }

  @Test func commandsThatGoToTheDiskAreAnsweredByAnotherThread() async throws {
    try await withStage { stage in
      try stage.folder.write("new.mp3", [UInt8](repeating: 0, count: 100))
      let reply = try stage.begin("addid new.mp3 0").get()
      let id = try #require(stage.host.read { $0.queue[position: 0]?.id })
      #expect(String(decoding: reply.bytes, as: UTF8.self) == "Id: \(id.rawValue)\n")
      let missing = try stage.begin("addid old.mp3")
      #expect(throws: Ack(.noExist, "No such song")) { try missing.get() }
    }
  }
}
