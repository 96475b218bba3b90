import AudioCore
import CPulse
import HostTime
import Synchronization

/// Follows what others play on the server, and the sink's volume: asks once, and again whenever the server tells of a
/// change. Costs nothing in between.
///
/// Unchecked: `state` has a lock, `connection` and `sink` never change, and everything else is only touched with the main
/// loop's lock held, as that of a stream.
final class PulseSurroundings: PulseConnectionUser, @unchecked Sendable {
  private let connection: PulseConnection
  private let sink: String
  private struct State {
    /// What the server said last; nil while it is not there.
    var known: OutputSurroundings?
    /// What `handler` was told last.
    var told: OutputSurroundings?
    var handler: (@Sendable (OutputSurroundings) -> Void)?
    /// The first question has waited for its answer.
    var hasWaited = false

    /// Whom to tell, if there is news.
    mutating func news() -> (@Sendable (OutputSurroundings) -> Void)? {
      guard known != nil, told != known, let handler else { return nil }
      told = known
      return handler
    }
  }

  private let state = Mutex(State())
  private let answered = Semaphore()

  private var isFollowing = false
  private var context: OpaquePointer?
  private var subscription: OperationHandle?
  private var othersAnswer: OperationHandle?
  private var volumeAnswer: OperationHandle?
  /// Something has changed since the question that is under way.
  private var isStale = false
  /// What the answers say so far.
  private var arriving = OutputSurroundings()

  /// `sink`: the one whose volume counts; nil for the server's default sink.
  init(connection: PulseConnection, sink: String?) {
    self.connection = connection
    self.sink = sink ?? "@DEFAULT_SINK@"
  }

  private var calls: any PulseCalls { connection.calls }
  private var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseSurroundings? {
    userdata.map { Unmanaged<PulseSurroundings>.fromOpaque($0).takeUnretainedValue() }
  }

  /// What is known. Connects if nobody has. The first call waits at most `limit` seconds for the server's answer; later
  /// ones return at once. Nil as long as the server has not answered. Not on the loop's thread.
  func current(limit: Double) -> OutputSurroundings? {
    if let known = state.withLock({ $0.known }) { return known }
    guard begin() else { return nil }
    let isFirst = state.withLock { state in
      defer { state.hasWaited = true }
      return !state.hasWaited
    }
    if isFirst { _ = answered.wait(until: connection.clock.now.advanced(bySeconds: limit)) }
    return state.withLock { $0.known }
  }

  /// Has `handler` told of what is known, and of each change. Connects if nobody has; does not wait.
  func follow(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    var handler: (@Sendable (OutputSurroundings) -> Void)? = handler
    state.withLock { state in
      swap(&state.handler, &handler)
      state.told = nil
    }
    _ = begin()
    tell()
  }

  /// Begins to follow, if nobody has. False if the server cannot be reached.
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
    guard let (handler, known) = state.withLock({ state in state.news().map { ($0, state.known) } }),
      let known
    else { return }
    handler(known)
  }

  /// Leaves the connection. Nothing is followed any more.
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
    calls.contextSetSubscribeCallback(
      context, { PulseSurroundings.from($3)?.changed() }, userdata)
    let mask =
      PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
      | PA_SUBSCRIPTION_MASK_SERVER.rawValue
    subscription = OperationHandle(
      calls, calls.contextSubscribe(context, pa_subscription_mask_t(mask)))
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

  /// One more stream on the server, or the end of the list.
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

  /// The sink, or the end of that answer. Without a sink the volume is the full one.
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
