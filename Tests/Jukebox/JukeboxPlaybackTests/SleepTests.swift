import Clocks
import Continuo
import ControlProtocol
import Jukebox
import Testing

@testable import JukeboxPlayback

/// The end of playback after a time or with a song.
@Suite(.timeLimit(.minutes(10))) struct SleepTests {
  /// A playing host of the stage's songs, with its timer.
  @MainActor private func play(
    _ songs: KeyValuePairs<String, Double>,
    _ body: @MainActor (PlaybackStage, JukeboxHost, AVQueuePlayer, SleepTimer) throws -> Void
  ) throws {
    try PlaybackStage.with(songs) { stage in
      let host = JukeboxHost(stage.machine, mainQueue: stage.mainQueue)
      let player = AVQueuePlayer()
      host.setPlayer(player)
      try host.change { $0.play() }
      stage.pass(0.1)
      try body(stage, host, player, SleepTimer(host: host, clock: stage.clock))
    }
  }

  @Test @MainActor func theSoundFadesOverTheLastMinuteAndPauses() throws {
    try play(["a": 300]) { stage, host, player, timer in
      try host.change { $0.setVolume(50) }
      try timer.set(.after(Milliseconds(seconds: 120)))
      stage.pass(59)
      #expect(player.volume == 0.5 && timer.pending == "61.000")
      stage.pass(31)
      #expect(abs(player.volume - 0.25) < 0.005 && host.read { $0.volume } == 50)
      stage.pass(29.5)
      #expect(player.volume < 0.01 && host.read { $0.state } == .playing)
      stage.pass(1)
      #expect(host.read { $0.state } == .paused && player.rate == 0)
      #expect(player.volume == 0.5 && timer.pending == "off")
      #expect(abs(host.seconds - 120.1) < 0.1)
      // Nothing is left of it.
      try host.change { $0.play() }
      stage.pass(10)
      #expect(host.read { $0.state } == .playing && player.volume == 0.5)
    }
  }

  @Test @MainActor func aShortTimeFadesFromItsBeginning() throws {
    try play(["a": 300]) { stage, host, player, timer in
      try timer.set(.after(Milliseconds(seconds: 10)))
      stage.pass(5)
      #expect(abs(player.volume - 0.5) < 0.03)
      try timer.set(.off)
      stage.pass(10)
      #expect(player.volume == 1 && host.read { $0.state } == .playing && timer.pending == "off")
    }
  }

  @Test @MainActor func theEndOfTheSongIsThatOfTheSong() throws {
    try play(["a": 100, "b": 100]) { stage, host, player, timer in
      try timer.set(.song)
      stage.pass(35)
      #expect(player.volume == 1 && timer.pending == "song")
      stage.pass(34.9)
      #expect(abs(player.volume - 0.5) < 0.01)
      // A seek back is followed.
      try host.change { machine throws(JukeboxError) in try machine.seekCurrent(10) }
      stage.pass(1)
      #expect(player.volume == 1)
      try host.change { $0.setSpeed(PlaybackSpeed(clamping: 100)) }
      stage.pass(95)
      #expect(host.read { $0.state } == .paused && host.read { $0.currentPosition } == 1 && host.seconds == 0)
      #expect(player.volume == 1 && timer.pending == "off")
    }
  }

  @Test @MainActor func aSongThatDoesNotPlayHasNoEnd() throws {
    try play(["a": 100]) { stage, host, player, timer in
      try host.change { $0.stop() }
      #expect(throws: JukeboxError.notPlaying) { try timer.set(.song) }
      try timer.set(.after(Milliseconds(seconds: 1)))
      stage.pass(2)
      #expect(host.read { $0.state } == .stopped && player.volume == 1)
    }
  }

  @Test func theFadeIsAValue() throws {
    let start = HostTime(nanoseconds: 0)
    let plan = try #require(SleepPlan(.after(Milliseconds(seconds: 1800)), now: start))
    let early = plan.step(at: start, remaining: nil)
    #expect(early == .init(gain: 1, next: start.advanced(bySeconds: 1740)))
    let late = plan.step(at: start.advanced(bySeconds: 1770), remaining: nil)
    #expect(late == .init(gain: 0.5, next: start.advanced(bySeconds: 1770.25)))
    #expect(plan.step(at: start.advanced(bySeconds: 1800), remaining: nil).next == nil)
    #expect(SleepPlan(.off, now: start) == nil)
    let song = try #require(SleepPlan(.song, now: start))
    #expect(song.step(at: start, remaining: nil).gain == 1)
    #expect(song.step(at: start, remaining: 15).gain == 0.25)
    #expect(song.step(at: start, remaining: -1).gain == 0)
  }
}
