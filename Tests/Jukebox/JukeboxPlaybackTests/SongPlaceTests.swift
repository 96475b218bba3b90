import Continuo
import Foundation
import Jukebox
import Testing

@testable import JukeboxPlayback

/// Which place is told to those who ask, between an order and what becomes of it.
@MainActor
@Suite struct SongPlaceTests {
  private func ticket(_ number: UInt64) -> PlaybackTicket { PlaybackTicket(rawValue: number) }

  @Test func orderCountsUntilItIsObeyed() throws {
    try PlaybackStage.with(["a": 1, "b": 1]) { stage in
      let (a, b) = (stage.song("a"), stage.song("b"))
      let place = SongPlace()
      #expect(place.seconds(of: a.id) == nil)
      place.expect([.start(a, at: 3, paused: false, ticket: ticket(1)), .setVolume(3), .pause])
      #expect(place.seconds(of: a.id) == 3 && place.seconds(of: b.id) == nil)
      place.expect([.seek(a, to: 5, ticket: ticket(2))])
      #expect(place.seconds(of: a.id) == 5)
      // The first was obeyed, the second was not.
      place.settle(ticket(1))
      place.set(AVPlayerItem(url: URL(fileURLWithPath: "/test-device/a.mp3")), a, ticket: ticket(1))
      #expect(place.seconds(of: a.id) == 5)
      place.settle(ticket(2))
      #expect(place.seconds(of: a.id) == 0)
      place.set(nil, nil, ticket: ticket(3))
      #expect(place.seconds(of: a.id) == nil)
    }
  }

  @Test func placeStaysWhenThePlayerGoes() throws {
    try PlaybackStage.with(["a": 1, "b": 1]) { stage in
      let (a, b) = (stage.song("a"), stage.song("b"))
      let place = SongPlace()
      place.freeze()
      #expect(place.seconds(of: a.id) == nil)
      let rig = PlayerRig(stage)
      rig.start("a", at: 0.25, ticket: 7)
      stage.pass(0.25)
      let reached = try #require(rig.seconds("a"))
      #expect(abs(reached - 0.5) < 0.001)
      rig.place.freeze()
      stage.pass(0.2)
      #expect(rig.seconds("a") == reached)
      // An order that was not obeyed is where it goes on.
      rig.place.expect([.start(b, at: 0.7, paused: true, ticket: ticket(8))])
      rig.place.freeze()
      #expect(rig.seconds("b") == 0.7 && rig.seconds("a") == nil)
      // Every order of the next player settles it.
      rig.place.settle(ticket(1))
      #expect(rig.seconds("b") == nil)
    }
  }

  /// Who counts the steps hears of each, also of those that were heard at the very end and could not be told.
  @Test func placeStaysAtTheTargetOfASeekThatEndsWithThePlayer() throws {
    try PlaybackStage.with(["a": 60]) { stage in
      let place = SongPlace()
      let queue = AVQueuePlayer()
      var player: JukeboxPlayer? = JukeboxPlayer(player: queue, place: place) { _, _ in }
      let song = stage.song("a")
      player?.perform(.start(song, at: 0, paused: false, ticket: ticket(1)))
      stage.pass(1)
      let seek = JukeboxAction.seek(song, to: 30, ticket: ticket(2))
      place.expect([seek])
      player?.perform(seek)
      place.freeze()
      player = nil
      queue.removeAllItems()
      #expect(place.seconds(of: song.id) == 30)
    }
  }

  @Test func placeStaysBeforeAStepThatWasNotTold() throws {
    try PlaybackStage.with(["a": 2]) { stage in
      let rig = PlayerRig(stage)
      rig.start("a", at: 0, ticket: 1)
      stage.pass(0.25)
      let reached = try #require(rig.seconds("a"))
      // The next one is still to come.
      rig.place.expect(step: 0.3)
      rig.place.freeze()
      #expect(rig.seconds("a") == reached)

      rig.start("a", at: 0, ticket: 2)
      stage.pass(0.25)
      rig.place.expect(step: 0.24)
      rig.place.freeze()
      #expect(rig.seconds("a") == 0.24)

      // After a seek nothing is known of steps.
      rig.start("a", at: 0, ticket: 3)
      stage.pass(0.1)
      rig.place.expect(step: 0.5)
      rig.place.expect([.seek(stage.song("a"), to: 1, ticket: ticket(4))])
      rig.place.settle(ticket(4))
      rig.place.freeze()
      #expect((rig.seconds("a") ?? 0) > 0.09)

      let cut = stage.song("a", from: 0.5, to: 1.25)
      rig.start(cut, at: 0.25, ticket: 5)
      stage.pass(0.2)
      rig.place.expect(step: 0.80)
      rig.place.freeze()
      #expect(abs((rig.place.seconds(of: cut.id) ?? 0) - 0.3) < 1e-9)
    }
  }

  @Test func rangeIsCountedFromItsStart() throws {
    try PlaybackStage.with(["a": 2]) { stage in
      let rig = PlayerRig(stage)
      let cut = stage.song("a", from: 0.5, to: 1.25)
      rig.start(cut, at: 0.25, ticket: 1)
      stage.pass(0.25)
      let time = rig.place.time(of: cut.id)
      #expect(abs((time.seconds ?? 0) - 0.5) < 0.001)
      #expect(abs((time.duration ?? 0) - 0.75) < 0.001)
      stage.pass(0.5)
      #expect(rig.said().suffix(2) == ["current none", "ended a @1"])
    }
  }
}
