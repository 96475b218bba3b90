import AudioCore
import AudioOutput
import Clocks
import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

/// Rates other than 1, in virtual time. Frames are picked, so that each says where it comes from.
@Suite struct RateTests {
  static let rates: [Float] = [0.03125, 0.1, 0.5, 0.75, 1.1, 1.5, 2, 3.3, 32]

  /// Item frames that were heard, by item.
  func places(_ harness: EngineHarness) -> [(item: Int, frame: Int64)] {
    harness.heard.map { sample in
      let number = Int64(sample * 16_777_216)
      return (Int(number / 131_072), number % 131_072)
    }
  }

  @Test(arguments: rates)
  func anItemTakesItsLengthDividedByTheRate(_ rate: Float) {
    let harness = EngineHarness()
    let frames: Int64 = 50_001
    harness.add(frames: frames)
    _ = harness.observe()
    harness.engine.setRate(rate)
    harness.playOut()
    let count = harness.heard.count
    #expect(count == Int((Double(frames) / Double(rate)).rounded(.up)))
    // A picked frame is the one of its place, exactly: no delay, none left out, none twice.
    for (index, place) in places(harness).enumerated() {
      let expected = min(frames - 1, Int64((Double(index) * Double(rate)).rounded(.down)))
      guard place.frame != expected else { continue }
      Issue.record("frame \(index) is \(place.frame), not \(expected)")
      break
    }
    #expect(harness.steps == Array(0...(frames - 1) / 441))
    #expect(harness.story.suffix(2) == [.ended(1), .item(nil)] || harness.story.contains(.ended(1)))
  }

  @Test func aRunTakesThePlaceOfWhatWasTakenBefore() {
    func chunk(_ generation: UInt64, at offset: Int64, speed: Double) -> Chunk {
      Chunk(
        generation: generation, item: ItemID(rawValue: 1), origin: 0, offset: offset, frameCount: 1000,
        speed: speed)
    }
    var timeline = RenderedTimeline()
    timeline.append(.init(chunk(1, at: 0, speed: 1), count: 1000, firstFrame: 0))
    timeline.append(.init(chunk(1, at: 1000, speed: 1), count: 1000, firstFrame: 1000))
    timeline.append(.init(chunk(2, at: 600, speed: 2), count: 1000, firstFrame: 600))
    let runs = timeline.runs(since: 1)
    #expect(runs.map(\.firstFrame) == [0, 600] && runs.map(\.endFrame) == [600, 1600])
    #expect(runs.map(\.speed) == [1, 2])
  }

  @Test func stepsComeInItemTime() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.advance(1.001)
    #expect(harness.steps == Array(0...200))
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 2.002) < 1e-4)
    harness.engine.setRate(0.5)
    harness.advance(1)
    #expect(harness.steps == Array(0...250))
    harness.engine.setRate(1)
    harness.advance(1)
    #expect(harness.steps == Array(0...350))
  }

  @Test(arguments: [Float(0.7), 0.9, 1.1, 1.3]) func itemOfASecondHasAHundredSteps(rate: Float) {
    let harness = EngineHarness()
    for _ in 0..<2 { harness.add(frames: 44_100) }
    _ = harness.observe()
    harness.engine.setRate(rate)
    harness.playOut()
    #expect(harness.steps == Array(0..<100) + Array(0..<100))
  }

  @Test func boundariesAreToldInItemTime() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe(boundaries: [CMTime(value: 1, timescale: 1), CMTime(value: 3, timescale: 1)])
    harness.engine.setRate(2)
    harness.advance(0.49)
    #expect(!harness.seen.contains(.boundary))
    harness.advance(0.02)
    #expect(harness.seen.count { $0 == .boundary } == 1)
    harness.advance(1)
    #expect(harness.seen.count { $0 == .boundary } == 2)
  }

  /// What is heard goes on at the frame that follows; nothing is heard twice or left out, and no silence comes in
  /// between.
  @Test func aChangeGoesOnAtTheVeryNextFrame() {
    for (first, second) in [(1, 2), (2, 1), (1, 0.5), (0.5, 2), (2, 32), (1, 0.25)] as [(Float, Float)] {
      let harness = EngineHarness()
      harness.add(frames: 130_000)
      harness.engine.setRate(first)
      harness.advance(0.7)
      harness.engine.setRate(second)
      harness.advance(0.1)
      #expect(harness.device.recording.runs.count == 1, "\(first) → \(second): a gap")
      let heard = places(harness).map(\.frame)
      let change = Int(0.7 * 44_100)
      // 10 ms of crossfade do not say where they are from.
      let fade = change - 1..<change + 443
      for index in heard.indices.dropFirst() where !fade.contains(index) && !fade.contains(index - 1) {
        let step = Double(heard[index] - heard[index - 1])
        let rate = Double(index < change ? first : second)
        guard abs(step - rate) >= 1 else { continue }
        Issue.record("\(first) → \(second): frame \(index) is \(step) behind the one before")
        break
      }
      let expected = Double(change) * Double(first) + Double(heard.count - change) * Double(second)
      let last = min(Double(heard.last ?? 0), 130_000)
      #expect(abs(last - min(expected, 129_999)) <= Double(max(first, second)) + 2, "\(first) → \(second)")
    }
  }

  @Test func rateOneIsBitExactAfterTwo() {
    let harness = EngineHarness()
    harness.add(frames: 130_000, 100_000)
    harness.engine.setRate(2)
    harness.advance(0.5)
    harness.engine.setRate(1)
    harness.playOut()
    let heard = harness.heard
    expectSame(Array(heard.suffix(100_000)), EngineHarness.sound(2, 0..<100_000))
    expectSame(Array(heard.dropLast(100_000).suffix(80_000)), EngineHarness.sound(1, 50_000..<130_000))
  }

  @Test func itemsFollowEachOtherWithoutAGap() {
    for rate in [0.5, 1.5, 2.7] as [Float] {
      let harness = EngineHarness()
      harness.add(frames: 10_001, 7, 20_003, 1, 5_000)
      _ = harness.observe()
      harness.engine.setRate(rate)
      harness.playOut()
      #expect(harness.device.recording.runs.count == 1)
      let frameCount = (35_012 / Double(rate)).rounded(.up)
      #expect(harness.heard.count == Int(frameCount))
      let steps: [[Int64]] = [22, 0, 45, 0, 11].map { Array(0...$0) }
      #expect(harness.stepsByItem == steps)
    }
  }

  @Test func anAlgorithmSetBehindASpliceRepeatsNothing() {
    let harness = EngineHarness()
    let id = harness.add(frames: 882_000)[0]
    harness.engine.setRate(2)
    harness.advance(3)
    harness.engine.setEnd(19, of: id)
    harness.engine.setAlgorithm(.varispeed, of: id)
    harness.advance(0.2)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 6.4) < 0.1)
    // Samples begin anew after each period.
    let heard = places(harness).map(\.frame)
    let steps = zip(heard, heard.dropFirst()).map {
      ($1 - $0 + SyntheticMedia.period) % SyntheticMedia.period
    }
    #expect(steps.allSatisfy { $0 < 1000 }, "\(steps.filter { $0 >= 1000 })")
  }

  @Test func pausedAndResumedAtAnotherRate() {
    let harness = EngineHarness()
    harness.add(frames: 130_000)
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.advance(0.501)
    harness.engine.setRate(0)
    harness.advance(1)
    let place = harness.engine.currentTime
    harness.engine.setRate(1)
    #expect(harness.engine.currentTime == place)
    harness.advance(0.5)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 1.502) < 1e-3)
    harness.engine.setRate(0)
    harness.advance(0.1)
    harness.engine.setRate(2)
    harness.engine.setRate(0.5)
    harness.advance(0.5)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 1.752) < 1e-3)
    #expect(harness.steps == Array(0...175))
  }

  @Test func seeksAtRateTwo() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.advance(0.5)
    harness.seek(5)
    harness.engine.setRate(4)
    harness.advance(0.501)
    #expect(harness.steps == Array(0..<100) + Array(500...700))
    #expect(harness.seen.contains(.seek(true)))
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 7.004) < 1e-3)
  }

  @Test func anItemEndsWhereItIsToldTo() {
    let harness = EngineHarness()
    let id = harness.add(frames: 441_000)[0]
    harness.engine.setEnd(1.005, of: id)
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.playOut()
    #expect(harness.steps == Array(0...100))
    #expect(abs(harness.heard.count - 22_160) <= 1)
  }

  /// Conversion between sample rates stands in front of the stretcher.
  @Test func itemsOfAnotherSampleRate() {
    let harness = EngineHarness()
    harness.add(SyntheticMedia(number: 1, frames: 44_100))
    harness.add(SyntheticMedia(number: 2, frames: 48_000, sampleRate: 48_000))
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.playOut()
    #expect(harness.stepsByItem == [Array(0..<100), Array(0..<100)])
    #expect(harness.heard.count == 44_100)
  }

  @Test func suspensionKeepsTheRate() {
    let harness = EngineHarness()
    harness.add(frames: 441_000)
    _ = harness.observe()
    harness.engine.setRate(2)
    harness.advance(0.5)
    harness.engine.suspend()
    harness.advance(3)
    harness.engine.resume()
    harness.advance(0.501)
    #expect(harness.engine.rate == 2)
    #expect(harness.steps == Array(0...200))
  }

  @Test func timeRunsOnBehindTheEndAtTheRate() {
    let harness = EngineHarness()
    harness.engine.actionAtItemEnd = .none
    harness.add(frames: 44_100)
    harness.engine.setRate(2)
    harness.advance(1)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 2) < 0.01)
    harness.engine.setRate(4)
    harness.advance(1)
    #expect(abs((harness.engine.currentTime?.seconds ?? 0) - 6) < 0.01)
  }

  @Test func aFileThatIsWrittenChangesItsRate() {
    let harness = EngineHarness(.init { $0.replacesFrames = false })
    harness.add(frames: 130_000)
    _ = harness.observe()
    harness.engine.setRate(1)
    harness.advance(0.5)
    harness.engine.setRate(2)
    harness.playOut()
    #expect(harness.steps == Array(0...129_999 / 441))
  }

  /// Whatever is done with rates, on whatever device: the time never runs back, and each step comes once.
  @Test(arguments: SimulatedOutput.personalities.indices)
  func randomRates(_ index: Int) {
    for round in Rounds.seeds(1) {
      let seed = UInt64(index * 100) + round
      var random = RandomSource(seed: seed)
      let entry = SimulatedOutput.personalities[index]
      let harness = EngineHarness(entry.personality, recordsSound: false)
      _ = harness.observe()
      let frames = (0..<12).map { _ in 1000 + Int64(random.next() % 60_000) }
      let ids = frames.map { harness.add(frames: $0)[0] }
      var sought: Set<ItemID> = []
      harness.engine.setRate(1)
      var time: (item: ItemID?, seconds: Double) = (nil, 0)
      for _ in 0..<50 {
        switch random.next() % 8 {
        case 0: harness.engine.setRate(0)
        case 1: harness.engine.setRate(1)
        case 2:
          if let id = harness.engine.currentItem { sought.insert(id) }
          harness.seek(Double(random.next() % 1200) / 1000)
          time = (nil, 0)
        case 3:
          harness.engine.suspend()
          harness.advance(0.05)
          harness.engine.resume()
        default: harness.engine.setRate(Self.rates[Int(random.next() % UInt64(Self.rates.count))])
        }
        for _ in 0..<(random.next() % 20) {
          harness.advance(0.007)
          let (item, seconds) = (harness.engine.currentItem, harness.engine.currentTime?.seconds ?? 0)
          if item == time.item, seconds < time.seconds - 1e-12 {
            Issue.record("\(entry.name), seed \(seed): \(time.seconds) → \(seconds)")
            return
          }
          time = (item, seconds)
        }
      }
      harness.engine.setRate(2)
      harness.playOut()
      var last: Int64?
      var item = 0
      for event in harness.seen {
        switch event {
        case .step(let step):
          if let last { #expect(step == last + 1, "\(entry.name), seed \(seed), item \(item)") }
          last = step
        case .item(let number):
          item = number ?? 0
          last = nil
        case .jumped: last = nil
        case .ended(let number):
          // A device that is late with its timing brings whole seconds of steps at once.
          guard !sought.contains(ids[number - 1]), !harness.seen.contains(.coalesced) else { break }
          let frames = frames[number - 1]
          #expect(last == (frames - 1) / 441, "\(entry.name), seed \(seed), item \(item) of \(frames)")
        default: break
        }
      }
    }
  }
}
