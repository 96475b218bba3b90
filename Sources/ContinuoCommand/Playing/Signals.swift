import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP end the player in order; a second one, or a player that does not get it done, ends the
/// process at once.
final class Signals {
  /// A clean end is promised within 300 ms; what takes longer hangs.
  private static let limit = DispatchTimeInterval.milliseconds(250)

  private let sources: [any DispatchSourceSignal]
  private let queue = DispatchQueue(label: "continuo.signals")

  /// `end` is called on the main queue with the status to end with: 128 and the signal's number, as shells have it.
  init(end: @escaping @Sendable (Int32) -> Void) {
    var sources: [any DispatchSourceSignal] = []
    let count = Counter()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [queue] in
        let status = 128 + number
        if count.increment() > 1 { CleanUp.exit(status) }
        DispatchQueue.main.async { end(status) }
        queue.asyncAfter(deadline: .now() + Self.limit) { CleanUp.exit(status) }
      }
      source.resume()
      sources.append(source)
    }
    self.sources = sources
    signal(SIGPIPE, SIG_IGN)
  }
}
