import Combine
import Continuo
import ContinuoTesting
import Testing

/// The publishers of time observers.
@MainActor
@Suite("Combine: publishers of times", .timeLimit(.minutes(10)))
struct TimePublisherTests {
  @Test("each hundredth of a second of two songs once and in order, until cancelled")
  func periodic() async {
    await withTestDevice { device in
      await device.launchApplication()
      let player = AVQueuePlayer(items: ["a", "b"].map { AVPlayerItem(url: device.song($0, .seconds(3))) })
      var times: [Int64] = []
      let subscription = player.periodicTimePublisher(forInterval: CMTime(value: 1, timescale: 100))
        .map { CMTimeConvertScale($0, timescale: 100, method: .default).value }
        .sink { times.append($0) }
      player.play()
      await device.advance(by: .seconds(5))
      subscription.cancel()
      #expect(times.starts(with: 0..<300) && times.dropFirst(300).starts(with: 0..<190))
      let count = times.count
      await device.advance(by: .seconds(3))
      #expect(times.count == count)
    }
  }

  @Test("only the times that are asked for")
  func demand() async {
    await withTestDevice { device in
      await device.launchApplication()
      let player = AVPlayer(url: device.song("a", .seconds(3)))
      var times: [Double] = []
      let subscription = player.periodicTimePublisher(
        forInterval: CMTime(value: 1, timescale: 2), queue: .main
      )
      .map(\.seconds).prefix(3).sink { times.append($0) }
      let slow = SlowSubscriber<CMTime>()
      player.periodicTimePublisher(forInterval: CMTime(value: 1, timescale: 2)).subscribe(slow)
      player.play()
      await device.advance(by: .milliseconds(1_200))
      slow.subscription?.request(.max(1))
      #expect(slow.values.isEmpty)
      await device.advance(by: .seconds(3))
      #expect(times.count == 3 && slow.values.map(\.seconds) == [1.5])
      slow.subscription?.cancel()
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("a boundary as often as it is passed; the release of the subscription ends it")
  func boundary() async {
    await withTestDevice { device in
      await device.launchApplication()
      let player = AVPlayer(url: device.song("a", .seconds(5)))
      let marks = [1, 2].map { NSValue(time: CMTime(value: $0, timescale: 1)) }
      var moments: [Duration] = []
      var subscription: AnyCancellable? = player.boundaryTimePublisher(forTimes: marks)
        .sink { moments.append(device.now) }
      player.play()
      await device.advance(by: .milliseconds(2_500))
      #expect(moments.count == 2)
      withExtendedLifetime(subscription) {}
      subscription = nil
      player.seek(to: .zero) { _ in }
      await device.advance(by: .milliseconds(2_500))
      #expect(moments.count == 2)
    }
  }
}
