import Dispatch
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP end the player in order; a second one, or a player that does not get it done, ends the
/// process at once.
final class Signals {
  /// A clean end is promised within 300 ms; what takes longer hangs.
  private static let limit = DispatchTimeInterval.milliseconds(200)

  /// Whether the next signal asks for an end in order.
  private final class Order: Sendable {
    let isPossible = Atomic<Bool>(false)
  }

  private let sources: [any DispatchSourceSignal]
  private let queue = DispatchQueue(label: "continuo.signals")
  private let order = Order()

  /// `end` is called on the main queue with the status to end with: 128 and the signal's number, as shells have it.
  /// Until `mainQueueRuns` there is nothing to end in order, and nobody to do it.
  init(end: @escaping @Sendable (Int32) -> Void) {
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [queue, order] in
        let status = 128 + number
        guard order.isPossible.exchange(false, ordering: .relaxed) else { CleanUp.exit(status) }
        DispatchQueue.main.async { end(status) }
        queue.asyncAfter(deadline: .now() + Self.limit) { CleanUp.exit(status) }
      }
      source.resume()
      sources.append(source)
    }
    self.sources = sources
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error for whoever writes it, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// From now on the main queue gets to what it is given, but for what blocks it.
  func mainQueueRuns() { order.isPossible.store(true, ordering: .relaxed) }
}
