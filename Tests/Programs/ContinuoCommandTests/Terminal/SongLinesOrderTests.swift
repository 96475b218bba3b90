import Clocks
import ControlProtocol
import Jukebox
import MusicFiles
import Testing

@testable import ContinuoCommand

/// When the lines about songs are written, and in what order.
@Suite struct SongLinesOrderTests {
  let clock = VirtualClock()
  let songs: [QueuedSong]

  init() throws { songs = try queuedSongs("/m/a.mp3", "/m/b.mp3") }

  @Test func aSongsLineWaitsForItsName() {
    var lines = SongLines()
    lines.add(songs[0], place: "1/2", now: clock.now)
    clock.advance(bySeconds: 0.049)
    #expect(lines.take(now: clock.now).isEmpty)
    lines.note(SongName(artist: "Artist", title: "Title"), of: songs[0].id)
    #expect(lines.take(now: clock.now) == ["1/2  Artist – Title"])
    #expect(lines.take(now: nil).isEmpty)
  }

  @Test func afterItsTimeItIsTheFilesName() {
    var lines = SongLines()
    lines.add(songs[0], place: "1/2", now: clock.now)
    clock.advance(bySeconds: SongLines.patience)
    #expect(lines.take(now: clock.now) == ["1/2  a.mp3"])
    // Too late: nothing is said twice.
    lines.note(SongName(title: "A"), of: songs[0].id)
    #expect(lines.take(now: nil).isEmpty)
  }

  @Test func whatFollowsWaitsBehindIt() {
    var lines = SongLines()
    lines.add(songs[0], place: "1/2", now: clock.now)
    lines.add("Background: 0.00")
    clock.advance(bySeconds: 0.02)
    lines.add(songs[1], place: "2/2", now: clock.now)
    lines.note(SongName(title: "B"), of: songs[1].id)
    #expect(lines.take(now: clock.now).isEmpty)
    lines.note(SongName(title: "A"), of: songs[0].id)
    #expect(lines.take(now: clock.now) == ["1/2  A", "Background: 0.00", "2/2  B"])
  }

  /// Each has its own time.
  @Test func theFirstIsWrittenWhileTheSecondWaits() {
    var lines = SongLines()
    lines.add(songs[0], place: "1/2", now: clock.now)
    clock.advance(bySeconds: 0.03)
    lines.add(songs[1], place: "2/2", now: clock.now)
    lines.add("Background: 0.00")
    clock.advance(bySeconds: 0.02)
    #expect(lines.take(now: clock.now) == ["1/2  a.mp3"])
    clock.advance(bySeconds: 0.03)
    #expect(lines.take(now: clock.now) == ["2/2  b.mp3", "Background: 0.00"])
  }

  /// A song that comes again before its name is known is named twice.
  @Test func theSameSongTwiceIsNamedTwice() {
    var lines = SongLines()
    for _ in 0..<2 { lines.add(songs[0], place: "1/2", now: clock.now) }
    lines.note(SongName(title: "A"), of: songs[0].id)
    #expect(lines.take(now: clock.now) == ["1/2  A", "1/2  A"])
  }

  @Test func atTheEndEverythingIsWritten() {
    var lines = SongLines()
    lines.add(songs[0], place: "1/2", now: clock.now)
    lines.add("Background: 0.00")
    lines.add(songs[1], place: "2/2", now: clock.now)
    #expect(lines.take(now: nil) == ["1/2  a.mp3", "Background: 0.00", "2/2  b.mp3"])
  }

  @Test func aNameIsArtistAndTitle() {
    #expect(
      SongMetadata(tags: [SongTag(.artist, "A"), SongTag(.title, "T")]).displayName?.description == "A – T")
    #expect(SongMetadata(tags: [SongTag(.title, "T")]).displayName?.description == "T")
    #expect(SongMetadata(tags: [SongTag(.artist, "A")]).displayName == nil)
  }
}
