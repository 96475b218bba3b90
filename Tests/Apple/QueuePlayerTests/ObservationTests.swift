import AudioSession
import Foundation
import MediaTime
import Observation
import QueuePlayer
import Testing

/// Swift Observation. It is chosen for the whole process before there is any player, so each test is one of its own.
@Suite("Swift Observation", .timeLimit(.minutes(10)))
struct ObservationTests {
  @Test("What was read of players, items and tracks is told once, before it changes")
  func tracking() async {
    await #expect(processExitsWith: .success) { @MainActor in
      #expect(!AVPlayer.isObservationEnabled)
      AVPlayer.isObservationEnabled = true
      let stage = VirtualStage()
      let items = [stage.item("a"), stage.item("b", seconds: 10)]
      let player = stage.queuePlayer(items)
      let told = Log<String>()
      func track(_ name: String, _ read: @escaping @MainActor @Sendable () -> String) {
        withObservationTracking {
          MainActor.assumeIsolated { told.add("\(name) \(read())") }
        } onChange: {
          MainActor.assumeIsolated { told.add("\(name) changes from \(read())") }
        }
      }
      track("status") { "\(items[0].status.rawValue)" }
      track("rate") { "\(player.rate)" }
      track("current") { "\(player.currentItem.flatMap(items.firstIndex) ?? -1)" }
      track("length of current") { "\(player.currentItem?.duration.seconds ?? -1)" }
      track("volume") { "\(player.volume)" }
      #expect(
        told.entries == ["status 0", "rate 0.0", "current 0", "length of current nan", "volume 1.0"])
      told.clear()
      stage.settle()
      #expect(told.entries.sorted() == ["length of current changes from nan", "status changes from 0"])
      told.clear()
      player.play()
      #expect(told.entries == ["rate changes from 0.0"])
      told.clear()
      track("tracks") { "\(items[0].tracks.map(\.isEnabled))" }
      items[0].tracks[0].isEnabled = false
      #expect(told.entries == ["tracks [true]", "tracks changes from [true]"])
      told.clear()
      stage.pass(2)
      #expect(told.entries == ["current changes from 0"])
      told.clear()
      // What nobody read is told to nobody; what was told is tracked no more.
      player.isMuted = true
      player.pause()
      #expect(told.entries.isEmpty)
      player.volume = 0.5
      #expect(told.entries == ["volume changes from 1.0"])
      let isObservable = (player as Any) is any Observable && (items[0] as Any) is any Observable
      #expect(isObservable)
    }
  }

  @Test("Without the choice nothing is tracked")
  func notChosen() async {
    await #expect(processExitsWith: .success) {
      let stage = VirtualStage()
      let player = stage.queuePlayer([stage.item("a")])
      let told = Log<Bool>()
      withObservationTracking {
        _ = player.rate
      } onChange: {
        told.add(true)
      }
      player.play()
      stage.pass(1)
      #expect(told.entries.isEmpty)
    }
  }
}
