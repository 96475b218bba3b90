import Combine
import Continuo
import ContinuoTesting
import Testing

/// The publishers of observed properties, with the options, the demand and the end of `observe`.
@MainActor
@Suite("Combine: publishers of properties", .timeLimit(.minutes(10)))
struct PropertyPublisherTests {
  @Test("the present value first, then each change, on the path through the current item, until cancelled")
  func changes() async {
    await withTestDevice { device in
      await device.launchApplication()
      let player = AVQueuePlayer(items: ["a", "b"].map { AVPlayerItem(url: device.song($0, .seconds(3))) })
      var states: [AVPlayer.TimeControlStatus] = []
      var ready: [Bool] = []
      var bag: Set<AnyCancellable> = []
      player.publisher(for: \.timeControlStatus).sink { states.append($0) }.store(in: &bag)
      player.publisher(for: \.currentItem?.status).map { $0 == .readyToPlay }.removeDuplicates()
        .sink { ready.append($0) }.store(in: &bag)
      #expect(states == [.paused] && ready == [false])
      player.play()
      await device.advance(by: .seconds(7))
      // Without another item the player waits for one.
      #expect(
        states == [.paused, .waitingToPlayAtSpecifiedRate, .playing, .waitingToPlayAtSpecifiedRate])
      #expect(ready == [false, true, false])
      bag = []
      let count = states.count
      player.insert(AVPlayerItem(url: device.song("c", .seconds(3))), after: nil)
      player.play()
      await device.advance(by: .seconds(1))
      #expect(player.timeControlStatus == .playing && states.count == count)
    }
  }

  @Test("without .initial no present value, with .prior the old value before each change")
  func options() async {
    await withTestDevice { device in
      let player = AVPlayer()
      var volumes: [Float] = []
      let subscriptions = [
        player.publisher(for: \.volume, options: .new).sink { volumes.append($0) },
        player.publisher(for: \.volume, options: .prior).sink { volumes.append(-$0) },
      ]
      #expect(volumes.isEmpty)
      player.volume = 0.5
      await device.advance(by: .zero)
      #expect(volumes == [-1, 0.5, -0.5])
      withExtendedLifetime(subscriptions) {}
    }
  }

  @Test("a subscriber without demand gets the latest value with its next demand, and no other")
  func demand() async {
    await withTestDevice { device in
      let player = AVPlayer()
      let (kept, dropped) = (SlowSubscriber<Float>(), SlowSubscriber<Float>())
      player.publisher(for: \.volume).subscribe(kept)
      player.publisher(for: \.volume, options: .new).subscribe(dropped)
      for volume: Float in [0.1, 0.2, 0.3] {
        player.volume = volume
        await device.advance(by: .zero)
      }
      #expect(kept.values.isEmpty && dropped.values.isEmpty)
      for subscriber in [kept, dropped] {
        subscriber.subscription?.request(.max(1))
        subscriber.subscription?.request(.max(1))
      }
      #expect(kept.values == [0.3] && dropped.values.isEmpty)
      for volume: Float in [0.4, 0.5, 0.6] {
        player.volume = volume
        await device.advance(by: .zero)
      }
      #expect(kept.values == [0.3, 0.4] && dropped.values == [0.4, 0.5])
      kept.subscription?.cancel()
      kept.subscription?.request(.unlimited)
      #expect(kept.values == [0.3, 0.4])
    }
  }

  @Test("a change by the subscriber itself is sent when it has returned, in order")
  func changeByTheSubscriber() async {
    await withTestDevice { device in
      let player = AVPlayer()
      var lines: [String] = []
      let subscription = player.publisher(for: \.volume).sink { volume in
        lines.append("begin \(volume)")
        if volume == 0.5 { player.volume = 0.25 }
        lines.append("end \(volume)")
      }
      player.volume = 0.5
      await device.advance(by: .zero)
      #expect(lines == ["begin 1.0", "end 1.0", "begin 0.5", "end 0.5", "begin 0.25", "end 0.25"])
      subscription.cancel()
    }
  }

  @Test("publishers are equal for the same object, path and options; none keeps its object by a subscription")
  func identity() async {
    await withTestDevice { device in
      weak var released: AVPlayer?
      var subscription: AnyCancellable?
      do {
        let player = AVPlayer()
        released = player
        let publisher = player.publisher(for: \.rate)
        #expect(publisher == player.publisher(for: \.rate))
        #expect(publisher != player.publisher(for: \.rate, options: .new))
        #expect(publisher != AVPlayer().publisher(for: \.rate))
        subscription = publisher.sink { _ in }
      }
      #expect(released == nil)
      withExtendedLifetime(subscription) {}
    }
  }
}

/// A subscriber that asks for nothing by itself.
final class SlowSubscriber<Input>: Subscriber {
  typealias Failure = Never
  var subscription: (any Subscription)?
  var values: [Input] = []

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
