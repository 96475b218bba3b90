package import AudioCore
import Clocks
import SoundFileDecoding
import Synchronization
package import Transfer

/// Fetches the tag at the front of a medium with its pictures. Releasing the object ends the fetch.
package final class TagFetch: Sendable {
  /// The longest tag in bytes that is fetched: the same limit as for local files.
  package static let limit: Int64 = 16 << 20
  /// The timeout in seconds.
  package static let timeLimit = 15.0

  private struct State {
    var onEnd: (@Sendable (MediaTag?) -> Void)?
    /// The number of bytes needed, as far as known. Initially the number that distinguishes the formats.
    var length = TagFetch.headerLength
  }

  private let fetch: RemoteFetch
  private let clock: any HostClock
  private let deadline: HostTime
  private let state: Mutex<State>
  private let worker = LazyWorker()

  /// The number of bytes that distinguish the formats.
  private static let headerLength: Int64 = 12

  /// Starts to fetch the tag of the medium at `url`. `onEnd` is called once, on a worker, unless the object is
  /// released before. It gets nil if no tag of at most `limit` bytes arrives within `timeLimit`, for example from a
  /// live stream or after a failure.
  package init(
    _ url: WebURL, settings: RequestSettings, environment: RemoteEnvironment,
    onEnd: @escaping @Sendable (MediaTag?) -> Void
  ) {
    clock = environment.clock
    deadline = clock.now.advanced(bySeconds: Self.timeLimit)
    state = Mutex(State(onEnd: onEnd))
    fetch = RemoteFetch(url, settings: settings, environment: environment)
    read(ahead: NetworkLimits.goodConnection)
    // Set before the first step, which may already wait for bytes.
    fetch.setCallback(of: ObjectIdentifier(fetch)) { [weak self] in self?.signal() }
    signal()
  }

  deinit { worker.cancel() }

  private func signal() {
    worker.signal { clock.makeWorker("continuo-tag") { [weak self] in self?.step() ?? .whenSignalled } }
  }

  private func read(ahead count: Int64) {
    fetch.tell(.readAhead(ReadAhead(enough: count, tooFew: count - 1)))
  }

  private func step() -> WorkerNext {
    // Register before looking, so that later bytes signal the worker.
    fetch.wait(ObjectIdentifier(fetch))
    guard state.withLock({ $0.onEnd != nil }) else { return .whenSignalled }
    let snapshot = fetch.snapshot
    let there = fetch.store.intervals.end(from: 0)
    let isOver =
      snapshot.outcome != nil || snapshot.isLive || snapshot.total.map { there >= $0 } ?? false
      || clock.now >= deadline
    var length = state.withLock { $0.length }
    while there >= length {
      let bytes = fetch.store.bytes(Int(length))
      guard bytes.count == length, let needed = MediaTag.length(beginning: bytes), needed <= Self.limit else {
        return end(nil)
      }
      if needed <= length { return end(MediaTag(beginning: bytes)) }
      length = Int64(needed)
      state.withLock { $0.length = length }
      read(ahead: length)
    }
    return isOver ? end(nil) : .at(deadline)
  }

  private func end(_ tag: MediaTag?) -> WorkerNext {
    state.withLock { $0.onEnd.take() }?(tag)
    return .whenSignalled
  }
}
