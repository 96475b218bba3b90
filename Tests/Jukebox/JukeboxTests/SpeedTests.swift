import ControlProtocol
import SystemSupport
import Testing

@testable import Jukebox

/// The speed, and the pause at the end of a song.
@Suite struct SpeedTests {
  @Test func theSpeedReachesThePlayerAndItsSuccessor() {
    var rig = Rig(songs: 2)
    rig.machine.setSpeed(PlaybackSpeed(clamping: 125))
    rig.collect()
    #expect(rig.summary() == "stop - - options")
    rig.machine.setSpeed(PlaybackSpeed(clamping: 125))
    rig.collect()
    #expect(rig.summary() == "stop - -")
    rig.machine.play()
    rig.settle()
    #expect(rig.speed.percent == 125 && rig.difference == nil)
    rig.speed = .normal
    rig.machine.relaunch(at: 0)
    rig.settle()
    #expect(rig.speed.percent == 125)
  }

  @Test func aPlayerThatHasOneSpeedGoesOnAtIt() {
    var rig = Rig(songs: 2)
    rig.machine.setSpeed(PlaybackSpeed(clamping: 200))
    rig.machine.refuseSpeed("no library")
    rig.settle()
    #expect(rig.speed == .normal && rig.machine.error == "no library")
  }

  @Test func theSpeedIsSaved() throws {
    for replayGain in [ReplayGainMode.off, .track] {
      var saved = SavedStateTests.livedPlayback()
      saved.replayGain = replayGain
      saved.speed = PlaybackSpeed(clamping: 125)
      let bytes = saved.encoded()
      #expect(bytes.count <= SavedPlayback.maximumSize)
      #expect(try SavedPlayback(encoded: bytes) == saved)
    }
    var generator = SplitMix64(state: 1)
    var playback = SavedPlayback()
    playback.speed = PlaybackSpeed(clamping: 50)
    var rig = Rig()
    rig.machine = JukeboxMachine(queue: SongQueue(), playback: playback, using: &generator)
    rig.settle()
    #expect(rig.speed.percent == 50 && rig.difference == nil)
  }

  @Test(arguments: [false, true]) func thePauseComesAtTheEndOfTheSongAndOnce(repeats: Bool) {
    var rig = Rig(songs: 3)
    rig.machine.setRepeat(repeats)
    if repeats { rig.machine.setSingle(.on) }
    rig.machine.play()
    rig.machine.setPausesAfterSong(true)
    rig.settle()
    #expect(rig.upcoming.isEmpty && rig.difference == nil)
    rig.end()
    rig.settle()
    #expect(rig.machine.state == .paused && rig.machine.currentPosition == (repeats ? 0 : 1))
    #expect(!rig.machine.pausesAfterSong && rig.difference == nil)
    rig.machine.pause(false)
    rig.settle()
    #expect(!rig.upcoming.isEmpty && rig.difference == nil)
  }

  @Test func whatIsStoppedNeedsNoPause() {
    var rig = Rig(songs: 3)
    rig.machine.setPausesAfterSong(true)
    #expect(!rig.machine.pausesAfterSong)
    rig.machine.play()
    rig.machine.setPausesAfterSong(true)
    rig.machine.stop()
    #expect(!rig.machine.pausesAfterSong)
  }
}
