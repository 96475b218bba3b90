import AudioCore
import Testing

@testable import PlaybackEngine

struct RenderLogTests {
  private func chunk(
    _ count: Int, offset: Int64 = 0, generation: UInt64 = 1, ending: Chunk.Ending = .none
  ) -> Chunk {
    Chunk(generation: generation, item: 1, origin: 0, offset: offset, frameCount: count, ending: ending)
  }

  @Test func aRunStaysOneHoweverOftenItIsToldOf() {
    let log = RenderLog()
    var timeline = RenderedTimeline()
    for piece in 0..<10 as Range<Int64> {
      let isNews = log.append(chunk(100, offset: piece * 100), count: 100, firstFrame: piece * 100)
      #expect(isNews == (piece == 0))
      if piece % 3 == 0 { log.drain(into: &timeline) }
    }
    #expect(log.append(chunk(5, offset: 1000, ending: .end), count: 5, firstFrame: 1000))
    log.drain(into: &timeline)
    let run = timeline.first(since: 1)?.run
    #expect(timeline.count == 1 && run?.frameCount == 1005 && run?.ending == .end)
    #expect(log.append(chunk(5), count: 5, firstFrame: 1005))
  }

  @Test func moreIsToldOfOnceToWhoAwaitsIt() {
    let log = RenderLog()
    var timeline = RenderedTimeline()
    _ = log.append(chunk(100), count: 100, firstFrame: 0)
    log.drain(into: &timeline)
    #expect(!log.settle(told: 1, awaitsMore: true))
    #expect(log.append(chunk(1, offset: 100), count: 1, firstFrame: 100))
    #expect(!log.append(chunk(1, offset: 101), count: 1, firstFrame: 101))
    // It came before anyone awaited it.
    #expect(log.settle(told: 1, awaitsMore: true))
    #expect(!log.settle(told: 1, awaitsMore: false))
  }

  @Test func whatWasToldTakesRoomUntilItWasHeard() {
    let log = RenderLog()
    var timeline = RenderedTimeline()
    for generation in 1...UInt64(RenderLog.capacity) {
      #expect(!log.isFull)
      _ = log.append(chunk(0, generation: generation), count: 0, firstFrame: 0)
      if generation % 7 == 0 { log.drain(into: &timeline) }
    }
    #expect(log.isFull && !log.hasRoom)
    log.drain(into: &timeline)
    #expect(log.isFull)
    timeline.dropRuns(before: 200)
    _ = log.settle(told: timeline.count, awaitsMore: false)
    #expect(!log.isFull && log.hasRoom && timeline.count == RenderLog.capacity - 199)
  }

  @Test func whatWasThrownAwayIsForgottenToTheFrame() {
    var timeline = RenderedTimeline()
    timeline.append(.init(chunk(100, ending: .end), count: 100, firstFrame: 0))
    timeline.append(.init(chunk(0, generation: 2, ending: .end), count: 0, firstFrame: 100))
    timeline.append(.init(chunk(100, generation: 2), count: 100, firstFrame: 100))
    timeline.truncate(from: 100)
    #expect(timeline.runs(since: 0).map(\.frameCount) == [100, 0])
    timeline.truncate(from: 60)
    #expect(
      timeline.runs(since: 0).map(\.frameCount) == [60]
        && timeline.first(since: 0)?.run.ending == Chunk.Ending.none)
  }
}
