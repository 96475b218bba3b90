import AudioOutput
import AudioSession
import Clocks
import Foundation
import MediaTime
import QueuePlayer
import Testing

/// setRate(_:time:atHostTime:) in virtual time.
@Suite("A start at a moment of the host's clock")
struct SynchronizedStartTests {
  static let devices: [SimulatedOutput.Personality] = [
    .init(), .init { $0.replacesFrames = false },
    .init {
      $0.startDelay = 0.03
      $0.latency = 0.25
      $0.undroppable = 0.02
    },
    .init {
      $0.connectDelay = 0.05
      $0.rendersWhileStopped = true
      $0.prebufferFrames = 2048
      $0.clockDrift = 0.0001
    },
  ]

  private func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 44_100) }

  private func moment(_ stage: VirtualStage, in seconds: Double) -> CMTime {
    PlaybackEnvironment.withCurrent(stage.environment) { CMClockGetTime(CMClockGetHostTimeClock()) }
      + CMTime(seconds: seconds, preferredTimescale: 1000)
  }

  private func player(_ stage: VirtualStage) -> AVPlayer {
    let player = stage.player(stage.item("a", seconds: 10))
    player.automaticallyWaitsToMinimizeStalling = false
    return player
  }

  /// When the medium's frame `number` was heard, and the frame that was heard first.
  private func heard(_ stage: VirtualStage, frame number: Int) -> (moment: HostTime?, first: Int) {
    var first: Int?
    for run in stage.output.recording.runs {
      let left = stride(from: 0, to: run.samples.count, by: 2).map { Int(run.samples[$0] * 16_777_216) }
      first = first ?? left.first { $0 != 0 }
      guard let index = left.firstIndex(of: number) else { continue }
      let seconds = run.end.seconds(since: run.start) * Double(index) / Double(left.count)
      return (run.start.advanced(bySeconds: seconds), first ?? 0)
    }
    return (nil, first ?? 0)
  }

  /// The medium's frames that were heard, from `first` on.
  private func frames(_ stage: VirtualStage, from first: Int) -> [Int] {
    stage.output.recording.runs.flatMap { run in
      stride(from: 0, to: run.samples.count, by: 2).map { Int(run.samples[$0] * 16_777_216) }
    }.filter { $0 >= first }
  }

  @Test("The time is heard at the moment, to the frame, and nothing before", arguments: devices.indices)
  func inTime(device: Int) throws {
    let stage = VirtualStage(personality: Self.devices[device], recordsSound: true)
    let player = player(stage)
    let told = Log<Double>()
    let token = player.addPeriodicTimeObserver(forInterval: time(0.1), queue: nil) { told.add($0.seconds) }
    stage.pass(0.1)
    let moment = moment(stage, in: 1)
    player.setRate(1, time: time(2), atHostTime: moment)
    #expect(player.rate == 1 && player.currentTime() == time(2))
    stage.pass(0.9)
    #expect(player.currentTime() == time(2))
    stage.pass(0.6)
    let heard = heard(stage, frame: 88_200 + 4410)
    let error = try #require(heard.moment).seconds(since: HostTime(moment)) - 0.1
    // Without replacement the sound begins behind what is on its way.
    #expect(abs(error) < 0.0001, "\(error)")
    #expect(heard.first == 88_200)
    #expect(abs(player.currentTime().seconds - 2.5) < 0.001)
    #expect(Set(told.entries.map { ($0 * 10).rounded() }).isSuperset(of: [20, 21, 22, 23, 24]))
    player.removeTimeObserver(token)
  }

  @Test("A moment that is too near, or has passed, counts all the same", arguments: [-0.5, 0, 0.02])
  func late(seconds: Double) throws {
    for isPlaying in [false, true] {
      let stage = VirtualStage(
        personality: .init { $0.startDelay = 0.01 }, recordsSound: true)
      let player = player(stage)
      stage.pass(0.1)
      if isPlaying { player.play() }
      stage.pass(0.2)
      let jumps = Log<Double>()
      let item = try #require(player.currentItem)
      let token = NotificationCenter.default.addObserver(
        forName: AVPlayerItem.timeJumpedNotification, object: item, queue: nil
      ) { [weak item] _ in jumps.add(item?.currentTime().seconds ?? 0) }
      let moment = moment(stage, in: seconds)
      player.setRate(1, time: time(2), atHostTime: moment)
      stage.pass(1)
      NotificationCenter.default.removeObserver(token)
      // To the place that was asked for; and if something was missed, to what was heard first.
      let first = try #require(frames(stage, from: 88_200).min())
      #expect(
        jumps.entries.map { Int(($0 * 44_100).rounded()) } == (first > 88_200 ? [88_200, first] : [88_200]))
      let heard = heard(stage, frame: 44_100 * 14 / 5)
      let error = try #require(heard.moment).seconds(since: HostTime(moment)) - 0.8
      #expect(abs(error) < 0.0001, "\(error)")
    }
  }

  @Test("What a late start misses is counted at the requested rate", arguments: [Float(0.5), 2])
  func lateAtAnotherRate(rate: Float) {
    let stage = VirtualStage()
    let player = player(stage)
    stage.pass(0.3)
    player.setRate(rate, time: time(2), atHostTime: moment(stage, in: -0.5))
    stage.pass(1)
    #expect(abs(player.currentTime().seconds - 2 - 1.5 * Double(rate)) < 0.02)
  }

  @Test("Where the item stands, at another rate, and on from there")
  func invalidTimes() throws {
    let stage = VirtualStage()
    let player = player(stage)
    player.play()
    stage.pass(1)
    player.pause()
    let place = player.currentTime()
    player.setRate(2, time: .invalid, atHostTime: moment(stage, in: 0.5))
    stage.pass(1)
    #expect(player.rate == 2 && abs(player.currentTime().seconds - place.seconds - 1) < 0.002)
    player.setRate(1, time: time(5), atHostTime: .invalid)
    stage.pass(1)
    #expect(abs(player.currentTime().seconds - 6) < 0.02)
    player.setRate(0, time: time(3), atHostTime: moment(stage, in: 0.5))
    #expect(player.rate == 0 && player.currentTime() == time(3))
  }

  @Test("Each step is told once, where the item begins and where it stands", arguments: [nil, 0, 0.5])
  func steps(place: Double?) throws {
    let stage = VirtualStage()
    let player = player(stage)
    let steps = Log<Int64>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) {
      if $0.timescale == 10 { steps.add($0.value) }
    }
    stage.pass(0.1)
    let time = place.map { CMTime(seconds: $0, preferredTimescale: 10) } ?? .invalid
    player.setRate(1, time: time, atHostTime: moment(stage, in: 0.5))
    stage.pass(1.25)
    let first = Int64((place ?? 0) * 10)
    #expect(steps.entries == Array(first...first + 7))
    player.pause()
    stage.pass(0.1)
    player.setRate(1, time: .invalid, atHostTime: moment(stage, in: 0.5))
    stage.pass(1)
    #expect(steps.entries == Array(first...first + 12))
    player.removeTimeObserver(token)
  }

  @Test("pause, play, a seek and another item end what waits for its moment", arguments: 0..<4)
  func ended(how: Int) throws {
    let stage = VirtualStage(recordsSound: true)
    let player = player(stage)
    stage.pass(0.1)
    player.setRate(1, time: time(2), atHostTime: moment(stage, in: 5))
    stage.pass(1)
    let before = player.currentTime()
    #expect(before == time(2) && player.timeControlStatus == .playing)
    switch how {
    case 0:
      player.pause()
      stage.pass(1)
      #expect(player.currentTime() == time(2))
      player.play()
    case 1: player.play()
    case 2: player.seek(to: time(2))
    default: player.replaceCurrentItem(with: stage.item("b", seconds: 10))
    }
    stage.pass(0.5)
    #expect(abs(player.currentTime().seconds - (how == 3 ? 0.5 : 2.5)) < 0.05)
    stage.pass(5)
    #expect(abs(player.currentTime().seconds - (how == 3 ? 5.5 : 7.5)) < 0.05)
  }

  @Test("An item that is not open yet begins in time, and so does one whose output is lost meanwhile")
  func notReady() throws {
    let stage = VirtualStage(
      personality: .init {
        $0.death = 0.3
        $0.revival = 0.4
      }, recordsSound: true)
    let player = player(stage)
    let moment = moment(stage, in: 2)
    player.setRate(1, time: time(2), atHostTime: moment)
    stage.pass(2.5)
    // Without waiting a player pauses when its output is lost.
    #expect(player.rate == 0)
    player.setRate(1, time: time(2), atHostTime: moment)
    stage.pass(1)
    let heard = heard(stage, frame: 3 * 44_100)
    #expect(try abs(#require(heard.moment).seconds(since: HostTime(moment)) - 1) < 0.0001)
  }
}

extension HostTime {
  fileprivate init(_ time: CMTime) { self.init(nanoseconds: Int64((time.seconds * 1e9).rounded())) }
}
