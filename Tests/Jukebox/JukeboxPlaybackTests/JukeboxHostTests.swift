import Continuo
import ControlProtocol
import Foundation
import Jukebox
import Synchronization
import Testing

@testable import JukeboxPlayback

/// The jukebox as threads that answer clients use it.
@Suite(.timeLimit(.minutes(10))) struct JukeboxHostTests {
  private func host() -> JukeboxHost {
    var generator = SystemRandomNumberGenerator()
    return JukeboxHost(JukeboxMachine(using: &generator))
  }

  /// As a bare function in a `Mutex` the subscriber was wrapped once more by every change: 100,000 of them took minutes
  /// and went as deep.
  @Test func everyChangeIsToldAndTheLastCostsNoMoreThanTheFirst() throws {
    let host = host()
    let told = Mutex(0)
    host.onChange { changed in
      #expect(changed == .options)
      told.withLock { $0 += 1 }
    }
    for number in 0..<100_000 { try host.change { $0.setRepeat(number.isMultiple(of: 2)) } }
    #expect(told.withLock { $0 } == 100_000)
  }

  @Test func refusedChangeTellsNobody() throws {
    let host = host()
    host.onChange { _ in Issue.record("nothing has changed") }
    #expect(throws: JukeboxError.badSongIndex) {
      try host.change { machine throws(JukeboxError) in try machine.play(position: 0) }
    }
    #expect(host.seconds == 0)
  }

  /// Before any player is there, who asks is told where the song will go on.
  @Test func placeOfARestoredSongIsKnownFromTheStart() throws {
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    try machine.add([Song(path: Array("/a.mp3".utf8)), Song(path: Array("/b.mp3".utf8))])
    try machine.play(position: 1)
    let saved = machine.savedPlayback(at: 12.5)
    let restored = JukeboxHost(JukeboxMachine(queue: machine.queue, playback: saved, using: &generator))
    #expect(restored.seconds == 12.5)
    let seconds = restored.seconds
    #expect(restored.read { $0.savedPlayback(at: seconds) } == saved)
  }

  // MARK: With a player

  /// A host of the stage's songs and its player.
  @MainActor private func host(_ stage: PlaybackStage) -> (host: JukeboxHost, player: AVQueuePlayer) {
    let host = JukeboxHost(stage.machine, mainQueue: stage.mainQueue)
    let player = AVQueuePlayer()
    host.setPlayer(player)
    return (host, player)
  }

  /// The name of the file that is current.
  @MainActor private func current(_ player: AVQueuePlayer) -> String? {
    (player.currentItem?.asset as? AVURLAsset)?.url.deletingPathExtension().lastPathComponent
  }

  @Test @MainActor func ordersFollowOnTheMainQueueAndNotOnTheCallersStack() throws {
    try PlaybackStage.with(["a": 0.5, "b": 0.5]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.play() }
      #expect(player.currentItem == nil)
      #expect(host.seconds == 0)
      stage.pass(0.1)
      #expect(current(player) == "a" && player.rate == 1)
      stage.pass(0.5)
      #expect(current(player) == "b" && host.read { $0.currentPosition } == 1)
    }
  }

  /// Adds a song and plays; returns its identifier.
  @MainActor private func play(_ path: String, with host: JukeboxHost) throws -> SongID {
    try #require(
      try host.change { machine throws(JukeboxError) in
        let ids = try machine.add([Song(path: Array(path.utf8))])
        machine.play()
        return ids.first
      })
  }

  @Test @MainActor func aSongOfTheNetworkThatBecomesCurrentHasTheTagsThatWereReadBefore() throws {
    try PlaybackStage.with(["a": 1]) { stage in
      stage.serve("http://files.test/b.mp3")
      let host = JukeboxHost(stage.machine, mainQueue: stage.mainQueue)
      var titles: [String?] = []
      host.setPlayer(AVQueuePlayer()) { event in
        guard case .currentItem(let song?) = event else { return }
        titles.append(song.song.metadata?.tags.first.map { "\($0.value)" })
      }
      let song = try play("http://files.test/b.mp3", with: host)
      stage.pass(0.5)
      try host.change { $0.learn(song, SongMetadata(tags: [SongTag(.title, Argument("B"))])) }
      stage.pass(1)
      #expect(titles == [nil, "B"])
    }
  }

  /// The transfer is complete long before the decoder has read to the end of its 400 silent frames.
  @Test @MainActor func anEstimatedDurationOfTheNetworkBecomesExact() throws {
    try PlaybackStage.with([:]) { stage in
      // 128 kbit/s, then 32: the length that the first frame suggests is 6.5 s.
      let frames = [(0x90, 417), (0x10, 104)].map { (rate: UInt8, size: Int) in
        [0xFF, 0xFB, rate, 0xC0] + [UInt8](repeating: 0, count: size - 4)
      }
      stage.serve("http://files.test/b.mp3", frames.flatMap { frame in (0..<200).flatMap { _ in frame } })
      let (host, _) = host(stage)
      let song = try play("http://files.test/b.mp3", with: host)
      stage.pass(1)
      let estimate = try #require(host.read { $0.queue[song]?.duration })
      #expect(estimate < 8)
      stage.pass(9)
      let duration = try #require(host.read { $0.queue[song]?.duration })
      #expect(abs(duration - 400 * 1152 / 44_100) < 0.1)
    }
  }

  @Test @MainActor func aLongSongResumesWhereItWasLeft() throws {
    try PlaybackStage.with(["a": 100, "b": 100]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.positions.threshold = 60 }
      try host.change { $0.play() }
      stage.pass(30)
      try host.change { machine throws(JukeboxError) in try machine.next() }
      stage.pass(20)
      let left = try #require(host.read { $0.positions }.all.first)
      #expect(abs(left.seconds - 30) < 0.1)
      try host.change { machine throws(JukeboxError) in try machine.previous() }
      stage.pass(1)
      #expect(current(player) == "a" && abs(host.seconds - 31) < 0.2)
      // The next one follows by itself, where it was left.
      stage.pass(69.5)
      #expect(current(player) == "b" && host.seconds > 19 && host.seconds < 22)
      #expect(host.read { $0.positions }.all.map(\.seconds).count == 1)
    }
  }

  @Test(arguments: [true, false]) @MainActor
  func aLongSongThatBreaksOffIsResumedThere(hasNext: Bool) throws {
    try PlaybackStage.with(["a": 100, "b": 100], breaking: ["a": 30]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.positions.threshold = 60 }
      try host.change { $0.play() }
      if !hasNext { try host.change { machine throws(JukeboxError) in try machine.delete(1..<2) } }
      stage.pass(40)
      #expect(current(player) == (hasNext ? "b" : nil))
      let left = try #require(host.read { $0.positions }.all.first)
      #expect(abs(left.seconds - 30) < 0.2)
    }
  }

  @Test @MainActor func theSpeedIsThePlayersRate() throws {
    try PlaybackStage.with(["a": 10]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.setSpeed(PlaybackSpeed(clamping: 125)) }
      try host.change { $0.play() }
      stage.pass(1)
      #expect(player.rate == 1.25)
      try host.change { $0.pause(true) }
      try host.change { $0.setSpeed(PlaybackSpeed(clamping: 50)) }
      stage.pass(1)
      #expect(player.rate == 0)
      try host.change { $0.pause(false) }
      stage.pass(1)
      #expect(player.rate == 0.5)
    }
  }

  @Test @MainActor func ordersWaitWhileTheApplicationIsSuspended() throws {
    try PlaybackStage.with(["a": 0.5, "b": 0.5]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.play() }
      stage.pass(0.1)
      host.suspend()
      try host.change { machine throws(JukeboxError) in try machine.next() }
      host.setHeld(true)
      stage.pass(0.1)
      #expect(current(player) == "a" && player.rate == 1)
      // Who asks is told of the song that comes.
      #expect(host.read { $0.currentPosition } == 1 && host.seconds == 0)
      host.resume()
      stage.pass(0)
      #expect(current(player) == "b" && player.rate == 0)
      host.setHeld(false)
      stage.pass(0)
      #expect(player.rate == 1)
    }
  }

  /// What was to be carried out already waits too.
  @Test @MainActor func ordersUnderWayWaitWhenTheApplicationIsSuspended() throws {
    try PlaybackStage.with(["a": 0.5]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.play() }
      host.suspend()
      stage.pass(0.1)
      #expect(player.currentItem == nil)
      host.resume()
      stage.pass(0.1)
      #expect(current(player) == "a" && player.rate == 1)
    }
  }

  /// Also what no later order makes pointless.
  @Test @MainActor func nextPlayerGetsNothingThatTheLastOneWasOrdered() throws {
    try PlaybackStage.with(["a": 0.5]) { stage in
      let (host, _) = host(stage)
      host.suspend()
      try host.change { $0.setVolume(30) }
      host.terminate()
      let next = AVQueuePlayer()
      host.setPlayer(next)
      host.setHeld(false)
      stage.pass(0.1)
      #expect(next.volume == 1)
    }
  }

  @Test @MainActor func terminationVoidsWhatWasOrdered() throws {
    try PlaybackStage.with(["a": 0.5, "b": 0.5]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.play() }
      stage.pass(0.2)
      host.suspend()
      try host.change { machine throws(JukeboxError) in try machine.next() }
      host.terminate()
      stage.pass(0.1)
      #expect(current(player) == "a")
      // It is where the next one begins.
      #expect(host.seconds == 0)
      host.setPlayer(nil)
      let next = AVQueuePlayer()
      host.setPlayer(next)
      try host.change { $0.relaunch(at: 0.25) }
      #expect(host.seconds == 0.25)
      stage.pass(0.1)
      #expect(current(next) == "b")
      #expect(abs(host.seconds - 0.35) < 0.001)
    }
  }

  /// As many songs as the queue has may fail one after the other; these are heard before they break off.
  @Test @MainActor func songsThatBreakOffAreNotGivenUpAsLongAsTheyAreHeard() throws {
    try PlaybackStage.with(["a": 0.5, "b": 0.5], breaking: ["a": 0.2, "b": 0.2]) { stage in
      let (host, _) = host(stage)
      try host.change { machine throws(JukeboxError) in
        machine.setRepeat(true)
        machine.play()
      }
      stage.pass(3)
      #expect(host.read { $0.state } == .playing)
    }
  }

  @Test @MainActor func endIsToldOnceAndNotIfSomebodyBeganAnew() throws {
    try PlaybackStage.with(["a": 0.2]) { stage in
      let (host, _) = host(stage)
      var ends = 0
      host.onEnd { ends += 1 }
      try host.change { $0.play() }
      stage.pass(1)
      #expect(ends == 1)
      // The end of a command's making is told later, when it may be no longer true.
      try host.change { $0.play() }
      stage.pass(0.1)
      try host.change { machine throws(JukeboxError) in try machine.next() }
      try host.change { machine throws(JukeboxError) in try machine.play(position: 0) }
      stage.pass(0.05)
      #expect(ends == 1)
      stage.pass(1)
      #expect(ends == 2)
    }
  }

  @Test @MainActor func aLongSongThatWasSoughtToItsEndIsHeard() throws {
    try PlaybackStage.with(["a": 100, "b": 100]) { stage in
      let (host, player) = host(stage)
      try host.change { $0.positions.threshold = 60 }
      try host.change { $0.play() }
      stage.pass(30)
      let progress = host.read { $0.currentID }.flatMap(host.place.progress)
      #expect(progress?.duration == 100 && abs((progress?.seconds ?? 0) - 30) < 0.1)
      try host.change { machine throws(JukeboxError) in
        try machine.seekCurrent(99_999, progress: progress)
      }
      stage.pass(1)
      #expect(current(player) == "b" && host.read { $0.positions }.all.isEmpty)
    }
  }
}
