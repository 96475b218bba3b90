import MediaTime
import QueuePlayer
import Testing

@Suite("A timebase")
struct TimebaseTests {
  let stage = VirtualStage()

  @Test("Has the item's time, and the rate at which it moves")
  func timeAndRate() throws {
    let (a, b) = (stage.item("a"), stage.item("b"))
    let player = stage.queuePlayer([a, b])
    let (first, second) = (try #require(a.timebase), try #require(b.timebase))
    #expect(a.timebase === first)
    #expect(CMTimebaseGetRate(first) == 0 && CMTimebaseGetTime(first) == .zero)
    player.play()
    #expect(first.rate == 0)
    stage.pass(0.5)
    #expect(CMTimebaseGetRate(first) == 1 && second.rate == 0)
    #expect(CMTimebaseGetTime(first) == player.currentTime() && first.time > .zero)
    player.pause()
    #expect(first.rate == 0)
    let place = first.time
    stage.pass(1)
    #expect(first.time == place)
    player.play()
    stage.pass(0.8)
    #expect(first.rate == 0 && first.time == a.duration)
    #expect(second.rate == 1 && second.time == player.currentTime())
  }

  @Test("Does not keep its item")
  func outlives() {
    var item: AVPlayerItem? = stage.item("a")
    weak let known = item
    let timebase = item?.timebase
    item = nil
    #expect(known == nil)
    #expect(timebase?.rate == 0 && timebase?.time.isValid == false)
  }
}
