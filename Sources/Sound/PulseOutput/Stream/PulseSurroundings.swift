import AudioCore
import CPulse
import Clocks
import Synchronization

/// Tracks other clients' playback on the server, its sinks, and the sink's volume: queries once, and again
/// after each change reported by the server. Causes no work in between. Unchecked: `state` has a lock,
/// `hasWaited` is atomic, `connection` never changes. All other state is accessed only with the main loop's
/// lock held.
final class PulseSurroundings: PulseConnectionUser, PulseUserData, @unchecked Sendable {
  private let connection: PulseConnection
  private struct State {
    /// The last complete answer; nil while the server is unavailable.
    var known: OutputSurroundings?
    var handlers = SurroundingsHandlers()
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
  private var sinksAnswer: OperationHandle?
  /// Whether the chosen sink existed at the last answer.
  private var wasSinkThere = true
  /// Whether a change was reported since the query in progress began.
  private var isStale = false
  private var arriving = OutputSurroundings()

  /// The maximum number of sinks that are listed. A person's machine has a handful.
  private static let sinkLimit = 64

  /// Joins the connection; `end()` leaves it. Until the first query this object only waits for a stream that
  /// leaves the chosen sink.
  init(connection: PulseConnection) {
    self.connection = connection
    connection.withLock { connection.join(self) }
  }

  private var calls: any PulseCalls { connection.calls }

  /// Returns the present surroundings; nil until the server has answered. Connects if necessary. The first
  /// call waits at most `limit` seconds for the answer; later ones return at once. Must not be called on the
  /// loop's thread.
  func current(limit: Double) -> OutputSurroundings? {
    if let known = state.withLock({ $0.known }) { return known }
    let isFirst = !hasWaited.exchange(true, ordering: .acquiringAndReleasing)
    // Connections that were lost before this call have posted too.
    while isFirst, answered.wait(until: HostTime(nanoseconds: 0)) {}
    guard begin() else {
      if isFirst { hasWaited.store(false, ordering: .releasing) }
      return nil
    }
    if isFirst, state.withLock({ $0.known == nil }) {
      _ = answered.wait(until: connection.clock.now.advanced(bySeconds: limit))
    }
    return state.withLock { $0.known }
  }

  /// Adds a handler for the present surroundings and each change. Connects if necessary; does not wait.
  func follow(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    state.withLock { $0.handlers.add(handler) }
    _ = begin()
    tell()
  }

  /// Starts to track without a handler, so that streams return to the chosen sink when it exists again.
  func watch() { _ = begin() }

  /// Starts to connect and to subscribe if necessary. Returns false if libpulse refused at once.
  private func begin() -> Bool {
    connection.withLock {
      // Subscribes even if libpulse refuses to connect; the query then follows on a later connection.
      subscribe()
      return connection.connect()
    }
  }

  private func tell() {
    let (known, handlers) = state.withLock { state in
      (state.known, state.known.map { state.handlers.due(for: $0) } ?? [])
    }
    guard let known else { return }
    for handler in handlers { handler(known) }
  }

  func end() {
    connection.withLock {
      forget()
      connection.leave(self)
    }
  }

  // MARK: On the main loop's thread, or with its lock

  func connectionReady(_ context: OpaquePointer) {
    self.context = context
    if isFollowing { ask(isFirst: true) }
  }

  func streamStrayed() { subscribe() }

  /// Begins to follow the server's changes, now or when the connection is ready.
  private func subscribe() {
    guard !isFollowing else { return }
    isFollowing = true
    ask(isFirst: true)
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
    sinksAnswer = nil
    isStale = false
  }

  private var isAsking: Bool { othersAnswer != nil || volumeAnswer != nil || sinksAnswer != nil }

  private func changed() { if isAsking { isStale = true } else { ask() } }

  /// Queries the whole state; the first time also subscribes to changes.
  private func ask(isFirst: Bool = false) {
    guard let context else { return }
    if isFirst {
      calls.contextSetSubscribeCallback(context, { PulseSurroundings.from($3)?.changed() }, userdata)
      let mask =
        PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
        | PA_SUBSCRIPTION_MASK_SERVER.rawValue
      subscription = OperationHandle(calls, calls.contextSubscribe(context, pa_subscription_mask_t(mask)))
    }
    isStale = false
    arriving = OutputSurroundings()
    othersAnswer = OperationHandle(
      calls,
      calls.contextGetSinkInputs(
        context, { PulseSurroundings.from($3)?.heardOf($1, isLast: $2 != 0) }, userdata))
    volumeAnswer = OperationHandle(
      calls,
      calls.contextGetSink(
        context, name: connection.sink ?? "@DEFAULT_SINK@",
        { PulseSurroundings.from($3)?.heardOf($1, isLast: $2 != 0) }, userdata))
    sinksAnswer = OperationHandle(
      calls,
      calls.contextGetSinks(
        context, { PulseSurroundings.from($3)?.heardOf(listed: $1, isLast: $2 != 0) }, userdata))
  }

  /// Handles a stream of the list, or the end of the list.
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

  /// Handles the chosen or default sink, or the end of the answer. Without a sink the volume stays at 1.
  private func heardOf(_ sink: UnsafePointer<pa_sink_info>?, isLast: Bool) {
    if let sink {
      arriving.volume = min(1, Float(continuo_pa_loudest(sink.pointee.volume)) / Float(PA_VOLUME_NORM))
      arriving.destination = sink.pointee.name.map { String(cString: $0) }
    }
    guard isLast else { return }
    volumeAnswer = nil
    finish()
  }

  /// Handles a sink of the list, or the end of the list.
  private func heardOf(listed sink: UnsafePointer<pa_sink_info>?, isLast: Bool) {
    if let name = sink?.pointee.name.map({ String(cString: $0) }),
      arriving.destinations.count < Self.sinkLimit
    {
      let description = sink?.pointee.description.map { String(cString: $0) }
      arriving.destinations.append(OutputDestination(name: name, description: description ?? name))
    }
    guard isLast else { return }
    sinksAnswer = nil
    finish()
  }

  private func finish() {
    guard !isAsking else { return }
    returnStreams()
    state.withLock { $0.known = arriving }
    answered.post()
    tell()
    if isStale { ask() }
  }
  /// Moves streams back to the chosen sink once it exists again. If it existed all the time, a person has
  /// moved the streams, and they stay.
  private func returnStreams() {
    guard let sink = connection.sink else { return }
    let isThere = arriving.destinations.contains { $0.name == sink }
    if isThere, !wasSinkThere { connection.choose(sink: sink) }
    wasSinkThere = isThere
  }
}
