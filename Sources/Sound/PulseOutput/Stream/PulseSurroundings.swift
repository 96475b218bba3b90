import AudioCore
import CPulse
import Clocks
import Synchronization

/// Tracks other clients' playback on the server and the sink's volume: queries once, and again after each
/// change reported by the server. No cost in between. Unchecked: `state` has a lock, `hasWaited` is atomic,
/// `connection` and `sink` never change. All other state is accessed only with the main loop's lock held.
final class PulseSurroundings: PulseConnectionUser, PulseUserData, @unchecked Sendable {
  private let connection: PulseConnection
  private let sink: String
  private struct State {
    /// The last complete answer; nil while the server is unavailable.
    var known: OutputSurroundings?
    var told: OutputSurroundings?
    var handler: (@Sendable (OutputSurroundings) -> Void)?
    /// Returns the handler and a new value to report, if any.
    mutating func news() -> (handler: @Sendable (OutputSurroundings) -> Void, value: OutputSurroundings)? {
      guard let known, told != known, let handler else { return nil }
      told = known
      return (handler, known)
    }
  }

  private let state = Mutex(State())
  private let answered = Semaphore()
  /// Whether a call has already waited for the first answer.
  private let hasWaited = Atomic<Bool>(false)

  private var isFollowing = false
  private var context: OpaquePointer?
  private var subscription: OperationHandle?
  private var othersAnswer: OperationHandle?
  private var volumeAnswer: OperationHandle?
  /// Whether a change was reported since the query in progress began.
  private var isStale = false
  private var arriving = OutputSurroundings()

  /// Creates a tracker. `sink`: the sink whose volume counts; nil for the server's default sink.
  init(connection: PulseConnection, sink: String?) {
    self.connection = connection
    self.sink = sink ?? "@DEFAULT_SINK@"
  }

  private var calls: any PulseCalls { connection.calls }

  /// Returns the present surroundings; nil until the server has answered. Connects if necessary. The first
  /// call waits at most `limit` seconds for the answer; later ones return at once. Not on the loop's thread.
  func current(limit: Double) -> OutputSurroundings? {
    if let known = state.withLock({ $0.known }) { return known }
    guard begin() else { return nil }
    let isFirst = !hasWaited.exchange(true, ordering: .acquiringAndReleasing)
    if isFirst { _ = answered.wait(until: connection.clock.now.advanced(bySeconds: limit)) }
    return state.withLock { $0.known }
  }

  /// Sets the handler for the present surroundings and each change. Connects if necessary; does not wait.
  func follow(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    var handler: (@Sendable (OutputSurroundings) -> Void)? = handler
    state.withLock { state in
      swap(&state.handler, &handler)
      state.told = nil
    }
    _ = begin()
    tell()
  }

  /// Joins the connection if necessary. False if the server cannot be reached.
  private func begin() -> Bool {
    connection.withLock {
      guard connection.connect() else { return false }
      if !isFollowing {
        isFollowing = true
        connection.join(self)
      }
      return true
    }
  }

  private func tell() {
    if let news = state.withLock({ $0.news() }) { news.handler(news.value) }
  }

  func end() {
    connection.withLock {
      guard isFollowing else { return }
      forget()
      connection.leave(self)
    }
  }

  // MARK: On the main loop's thread, or with its lock

  func connectionReady(_ context: OpaquePointer) {
    self.context = context
    calls.contextSetSubscribeCallback(context, { PulseSurroundings.from($3)?.changed() }, userdata)
    let mask =
      PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
      | PA_SUBSCRIPTION_MASK_SERVER.rawValue
    subscription = OperationHandle(calls, calls.contextSubscribe(context, pa_subscription_mask_t(mask)))
    ask()
  }

  func connectionLost(_ error: OutputError) {
    // The context is gone, and its callbacks with it.
    context = nil
    forget()
    state.withLock { $0.known = nil }
    answered.post()
  }

  private func forget() {
    if let context { calls.contextSetSubscribeCallback(context, nil, nil) }
    context = nil
    subscription = nil
    othersAnswer = nil
    volumeAnswer = nil
    isStale = false
  }

  private func changed() {
    if othersAnswer != nil || volumeAnswer != nil { isStale = true } else { ask() }
  }

  private func ask() {
    guard let context else { return }
    isStale = false
    arriving = OutputSurroundings()
    othersAnswer = OperationHandle(
      calls,
      calls.contextGetSinkInputs(
        context, { PulseSurroundings.from($3)?.heardOf($1, isLast: $2 != 0) }, userdata))
    volumeAnswer = OperationHandle(
      calls,
      calls.contextGetSink(
        context, name: sink, { PulseSurroundings.from($3)?.heardOf($1, isLast: $2 != 0) }, userdata))
  }

  /// Handles a stream of the list, or its end.
  private func heardOf(_ stream: UnsafePointer<pa_sink_input_info>?, isLast: Bool) {
    if let stream, let context, stream.pointee.corked == 0,
      stream.pointee.client != calls.contextGetIndex(context)
    {
      arriving.isOtherAudioPlaying = true
    }
    guard isLast else { return }
    othersAnswer = nil
    finish()
  }

  /// Handles the sink, or the end of that answer. Without a sink the volume stays at 1.
  private func heardOf(_ sink: UnsafePointer<pa_sink_info>?, isLast: Bool) {
    if let sink {
      var volume = sink.pointee.volume
      arriving.volume = min(1, Float(pa_cvolume_max(&volume)) / Float(PA_VOLUME_NORM))
    }
    guard isLast else { return }
    volumeAnswer = nil
    finish()
  }

  private func finish() {
    guard othersAnswer == nil, volumeAnswer == nil else { return }
    state.withLock { $0.known = arriving }
    answered.post()
    tell()
    if isStale { ask() }
  }
}
