import Continuo
import ControlProtocol
import Foundation
import Jukebox
import Testing

@testable import JukeboxPlayback

/// What a jukebox's player makes of orders and of what its queue player tells, early or late.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct JukeboxPlayerTests {
  private func rig(
    _ songs: KeyValuePairs<String, Double> = ["a": 0.5, "b": 0.5, "c": 0.5], breaking: [String: Double] = [:],
    _ body: @MainActor (PlayerRig, PlaybackStage) throws -> Void
  ) throws {
    try PlaybackStage.with(songs, breaking: breaking) { try body(PlayerRig($0), $0) }
  }

  /// The first song sounds, and what follows it has not been told although it is heard.
  private func startAndMissTheEnd(_ rig: PlayerRig, _ stage: PlaybackStage, then names: String...) {
    rig.start("a", ticket: 1)
    rig.player.perform(.setUpcoming(names.map { stage.song($0) }))
    stage.pass(0.1)
    _ = rig.said()
    stage.passUntold(0.6)
  }

  // MARK: In time

  @Test func songsFollowEachOther() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      rig.follow("b", "c")
      stage.pass(3)
      #expect(
        rig.said() == [
          "current a", "heard a @1", "played a", "current b", "advanced b @1", "played b", "current c",
          "advanced c @1", "played c", "current none", "ended c @1",
        ])
    }
  }

  // MARK: What is told late

  @Test func startForgetsWhatWasNotTold() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage, then: "b")
      rig.start("c", ticket: 2)
      stage.pass(0.1)
      #expect(rig.said() == ["current c", "heard c @2"])
      #expect(rig.player.song(of: rig.player.player.currentItem)?.id == stage.song("c").id)
      stage.pass(1)
      #expect(rig.said() == ["played c", "current none", "ended c @2"])
    }
  }

  @Test func stopForgetsWhatWasNotTold() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage, then: "b")
      rig.stop(ticket: 2)
      stage.pass(1)
      #expect(rig.said() == ["current none"])
      #expect(rig.player.player.items().isEmpty && rig.player.player.rate == 0)
    }
  }

  /// Sound does not stop for it as far as observers are told.
  @Test func songThatReplacesOneThatSoundsIsHeard() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      _ = rig.said()
      rig.start("b", ticket: 2)
      stage.pass(0.1)
      #expect(rig.said() == ["current b", "heard b @2"])
      rig.start("c", at: 0.2, ticket: 3)
      rig.seek("c", to: 0.4, ticket: 4)
      stage.pass(0.05)
      #expect(rig.said() == ["current c", "heard c @4"])
    }
  }

  /// The player holds its status for a while in which no sound comes.
  @Test func songThatReplacesOneThatSoundsAndBreaksOffAtOnceIsNotHeard() throws {
    try rig(["a": 0.5, "b": 0.5], breaking: ["b": 0]) { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      _ = rig.said()
      rig.start("b", ticket: 2)
      stage.pass(0.5)
      #expect(!rig.said().contains("heard b @2"))
    }
  }

  @Test func seekInASongThatIsOverStartsItAgain() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage, then: "b")
      rig.seek("a", to: 0.25, ticket: 2)
      stage.pass(0.1)
      #expect(rig.said() == ["played a", "current b", "advanced b @1", "current a", "heard a @2"])
      #expect(abs((rig.seconds("a") ?? 0) - 0.35) < 0.001)
      #expect(rig.player.player.items().count == 1)
    }
  }

  @Test func whatFollowsIsExchangedTooLate() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage, then: "b")
      rig.follow("c")
      stage.pass(0.1)
      #expect(rig.said() == ["played a", "current c", "advanced c @1", "heard c @1"])
    }
  }

  @Test func whatFollowsIsTakenAwayTooLate() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage, then: "b")
      rig.follow()
      stage.pass(0.1)
      #expect(rig.said() == ["played a", "current none", "ended a @1"])
    }
  }

  @Test func whatFollowsComesTooLate() throws {
    try rig { rig, stage in
      startAndMissTheEnd(rig, stage)
      rig.follow("b")
      stage.pass(0.1)
      #expect(rig.said() == ["played a", "current b", "advanced b @1", "heard b @1"])
      stage.pass(1)
      #expect(rig.said() == ["played b", "current none", "ended b @1"])
    }
  }

  @Test func nothingOfAStartThatWasOvertakenDuringASuspensionIsBelieved() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      _ = rig.said()
      stage.environment.suspension.suspendAll()
      rig.start("b", ticket: 2)
      rig.start("c", ticket: 3)
      stage.pass(0.5)
      #expect(rig.said() == ["current b", "current c"])
      #expect(rig.seconds("c") == 0)
      stage.environment.suspension.resumeAll()
      stage.pass(0.1)
      #expect(rig.said() == ["heard c @3"])
      #expect((rig.seconds("c") ?? 0) > 0.05)
      stage.pass(1)
      #expect(rig.said() == ["played c", "current none", "ended c @3"])
    }
  }

  @Test func othersAreToldInOrder() throws {
    try rig { rig, stage in
      let observation = rig.player.player.observe(\.currentItem) { [weak rig] _, _ in
        MainActor.assumeIsolated { rig?.player.afterNotices { rig?.note("noticed") } }
      }
      startAndMissTheEnd(rig, stage, then: "b")
      rig.follow("b", "c")
      #expect(rig.said() == [])
      stage.pass(0.1)
      #expect(rig.said() == ["played a", "current b", "advanced b @1", "noticed"])
      withExtendedLifetime(observation) {}
    }
  }

  /// Under the order that still counts; the file went on before anyone heard of its end.
  @Test func seekGoesOnInTheSongThatIsTold() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      rig.follow("b")
      stage.pass(0.1)
      rig.seek("a", to: 0.4, ticket: 2)
      #expect(rig.player.player.items().count == 2)
      stage.pass(0.2)
      let said = rig.said()
      #expect(said.first == "current a" && said.last == "advanced b @2" && !said.contains("advanced b @1"))
      // A song that is not the current one is started, as it was: paused or not.
      rig.player.perform(.pause)
      rig.seek("c", to: 0.3, ticket: 3)
      #expect(rig.player.player.rate == 0 && rig.seconds("c") == 0.3)
      #expect(rig.said().last == "current c")
    }
  }

  // MARK: What cannot be played

  @Test func followerThatFailsIsToldOfAtOnceAndReportedInItsTurn() throws {
    try rig { rig, stage in
      stage.lose("b")
      rig.start("a", ticket: 1)
      rig.follow("b", "c")
      stage.pass(0.2)
      #expect(rig.said() == ["current a", "heard a @1", "broken b: no such file"])
      stage.pass(0.5)
      #expect(
        rig.said() == [
          "played a", "advanced b @1", "current c", "skipped b to c: /test-device/b.mp3: no such file @1",
          "heard c @1",
        ])
    }
  }

  @Test func lastFollowerThatFailsEndsWhatPlays() throws {
    try rig { rig, stage in
      stage.lose("b")
      stage.lose("c")
      rig.start("a", ticket: 1)
      rig.follow("b", "c")
      stage.pass(1)
      #expect(
        rig.said() == [
          "current a", "heard a @1", "broken b: no such file", "broken c: no such file", "played a",
          "advanced b @1", "skipped b to c: /test-device/b.mp3: no such file @1", "current none",
          "failed c: /test-device/c.mp3: no such file @1",
        ])
    }
  }

  @Test func followerThatFailsAfterTheEndIsReported() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      stage.lose("b")
      _ = rig.said()
      stage.passUntold(0.6)
      rig.follow("b")
      stage.pass(1)
      #expect(
        rig.said() == [
          "played a", "current b", "advanced b @1", "broken b: no such file", "current none",
          "failed b: /test-device/b.mp3: no such file @1",
        ])
    }
  }

  @Test func songThatCannotBePlayedIsReportedOnce() throws {
    try rig { rig, stage in
      stage.lose("a")
      rig.start("a", ticket: 1)
      stage.pass(1)
      #expect(
        rig.said() == [
          "current a", "broken a: no such file", "current none",
          "failed a: /test-device/a.mp3: no such file @1",
        ])
    }
  }

  /// An item's status and a notification may both say so.
  @Test func failureIsToldOnce() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      _ = rig.said()
      for _ in 0..<2 {
        NotificationCenter.default.post(
          name: .AVPlayerItemFailedToPlayToEndTime, object: rig.player.player.currentItem)
      }
      #expect(rig.said() == ["broken a: unknown error"])
    }
  }

  /// Another player's environment may notify on a queue of its own.
  @Test func notificationsOnOtherQueuesAreIgnored() async throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      _ = rig.said()
      let foreign = AVPlayerItem(url: URL(fileURLWithPath: "/none.mp3"))
      let isPosted = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        for name in [AVPlayerItem.didPlayToEndTimeNotification, AVPlayerItem.transferNotification] {
          NotificationCenter.default.post(name: name, object: foreign)
        }
        isPosted.signal()
      }
      isPosted.wait()
      #expect(rig.said().isEmpty)
    }
  }

  @Test func songThatBreaksOffIsPassedOver() throws {
    try rig(["a": 0.5, "b": 0.5], breaking: ["a": 0.2]) { rig, stage in
      rig.start("a", ticket: 1)
      rig.follow("b")
      stage.pass(0.4)
      #expect(
        rig.said() == [
          "current a", "heard a @1", "broken a: broken off on purpose", "current b",
          "skipped a to b: /test-device/a.mp3: broken off on purpose @1", "heard b @1",
        ])
    }
  }

  @Test func copyThatFailsIsNotTheSongThatSounds() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      stage.pass(0.1)
      stage.lose("a")
      rig.follow("a")
      stage.pass(0.1)
      #expect(rig.said() == ["current a", "heard a @1"])
      stage.pass(1)
      #expect(
        rig.said() == [
          "played a", "advanced a @1", "current none", "failed a: /test-device/a.mp3: no such file @1",
        ])
    }
  }

  // MARK: What follows

  @Test func whatFollowsAlreadyStays() throws {
    try rig { rig, stage in
      rig.start("a", ticket: 1)
      rig.follow("b", "c")
      let items = rig.player.player.items()
      rig.follow("b", "a", "c")
      let exchanged = rig.player.player.items()
      #expect(exchanged.count == 4)
      #expect(exchanged[0] === items[0] && exchanged[1] === items[1])
      #expect(exchanged[3] !== items[2])
      // The same song with another range is another item.
      rig.player.perform(.setUpcoming([stage.song("b", from: 0.1, to: 0.2)]))
      let cut = rig.player.player.items()
      #expect(cut.count == 2 && cut[0] === items[0] && cut[1] !== items[1])
      _ = rig.said()
      stage.pass(0.55)
      #expect(rig.said() == ["heard a @1", "played a", "current b", "advanced b @1"])
      stage.pass(0.1)
      #expect(rig.said() == ["played b", "current none", "ended b @1"])
    }
  }

  // MARK: Sound held back

  @Test func soundIsHeldBackWhateverIsWanted() throws {
    try rig { rig, stage in
      rig.player.isHeld = true
      rig.start("a", ticket: 1)
      #expect(rig.player.player.rate == 0)
      rig.player.perform(.resume)
      #expect(rig.player.player.rate == 0)
      rig.player.isHeld = false
      #expect(rig.player.player.rate == 1)
      rig.player.perform(.pause)
      rig.player.isHeld = true
      rig.player.isHeld = false
      #expect(rig.player.player.rate == 0)
    }
  }
}
