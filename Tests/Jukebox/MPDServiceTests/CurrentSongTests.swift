import Clocks
import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import Testing

@testable import MPDService

/// What `currentsong` answers from memory.
@Suite struct CurrentSongTests {
  private let host: JukeboxHost
  private let home: MusicHome
  private let commands: PlaybackCommands

  init() throws {
    var generator = SystemRandomNumberGenerator()
    host = JukeboxHost(JukeboxMachine(using: &generator))
    home = try MusicHome(MediaPath("/"))
    commands = Self.commands(host, home)
  }

  private static func commands(_ host: JukeboxHost, _ home: MusicHome) -> PlaybackCommands {
    let clock = VirtualClock()
    return PlaybackCommands(
      host: host, sound: SoundState(clock: clock), home: home, clock: clock, started: clock.now,
      sleepTimer: SleepTimer(host: host, clock: clock))
  }

  /// The reply, which has to be the one of somebody who was never asked before.
  private func reply(tags: TagSet = .all, _ location: SourceLocation = #_sourceLocation) -> String {
    let reply = commands.currentSong(tags: tags)
    #expect(reply == Self.commands(host, home).currentSong(tags: tags), sourceLocation: location)
    #expect(reply == commands.currentSong(tags: tags), sourceLocation: location)
    return String(decoding: reply.bytes, as: UTF8.self)
  }

  @Test func keptReplyIsNeverTheOneOfBefore() throws {
    #expect(reply() == "")
    let songs = ["/a.mp3", "/b.mp3"].map { Song(path: Array($0.utf8)) }
    let ids = try host.change { machine throws(JukeboxError) in try machine.add(songs) }
    try host.change { $0.play() }
    #expect(reply() == "file: a.mp3\nPos: 0\nId: \(ids[0].rawValue)\n")
    try host.change { $0.setMetadata([(ids[0], SongMetadata(tags: [SongTag(.title, "A")]))]) }
    #expect(reply() == "file: a.mp3\nTitle: A\nPos: 0\nId: \(ids[0].rawValue)\n")
    #expect(reply(tags: []) == "file: a.mp3\nPos: 0\nId: \(ids[0].rawValue)\n")
    try host.change { machine throws(JukeboxError) in try machine.swap(0, 1) }
    #expect(reply() == "file: a.mp3\nTitle: A\nPos: 1\nId: \(ids[0].rawValue)\n")
    // A song that plays is refused.
    try host.change { $0.stop() }
    try host.change { machine throws(JukeboxError) in
      try machine.setRange(
        SongRange(start: Milliseconds(rawValue: 1000), end: Milliseconds(rawValue: 2500)), of: ids[0])
    }
    #expect(reply().hasPrefix("file: a.mp3\nRange: 1.000-2.500\nTitle: A\n"))
    try host.change { machine throws(JukeboxError) in try machine.play(position: 0) }
    #expect(reply() == "file: b.mp3\nPos: 0\nId: \(ids[1].rawValue)\n")
    try host.change { $0.clear() }
    #expect(reply() == "")
  }
}
