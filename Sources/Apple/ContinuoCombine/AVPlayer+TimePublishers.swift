public import Dispatch
public import Foundation
public import MediaTime
public import OpenCombine
public import QueuePlayer

extension AVPlayer {
  /// Returns a publisher of the times of a periodic time observer. Times without demand are dropped.
  ///
  /// - Parameters:
  ///   - interval: as in `addPeriodicTimeObserver(forInterval:queue:using:)`; above zero.
  ///   - queue: the queue on which subscribers receive the times; nil for the main queue.
  public nonisolated func periodicTimePublisher(
    forInterval interval: CMTime, queue: DispatchQueue? = nil
  ) -> AnyPublisher<CMTime, Never> {
    times { self.addPeriodicTimeObserver(forInterval: interval, queue: queue, using: $0) }
  }

  /// Returns a publisher that sends a value whenever normal playback passes one of `times`. Values without demand are
  /// dropped.
  ///
  /// - Parameters:
  ///   - times: values made by `NSValue(time:)`, at least one.
  ///   - queue: the queue on which subscribers receive the values; nil for the main queue.
  public nonisolated func boundaryTimePublisher(
    forTimes times: [NSValue], queue: DispatchQueue? = nil
  ) -> AnyPublisher<Void, Never> {
    self.times { send in self.addBoundaryTimeObserver(forTimes: times, queue: queue) { send(()) } }
  }

  /// Returns a publisher that adds a time observer with `observe` for each subscriber.
  private nonisolated func times<Time>(
    _ observe: @escaping (@escaping @Sendable (Time) -> Void) -> Any
  ) -> AnyPublisher<Time, Never> {
    TimePublisher { send in
      let token = observe(send)
      return { self.removeTimeObserver(token) }
    }.eraseToAnyPublisher()
  }
}

private struct TimePublisher<Output>: Publisher {
  typealias Failure = Never
  let source: ValueSource<Output>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    ValueSubscription.begin(subscriber, source: source)
  }
}
