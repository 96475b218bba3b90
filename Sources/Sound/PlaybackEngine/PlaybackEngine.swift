package import AudioCore
package import Clocks
import Synchronization

/// A queue of media, played gaplessly on one output, with the heard position and time observers.
///
/// Methods are thread-safe unless stated otherwise, hold a lock only briefly and do not wait for a server. Only
/// `close` may wait for a file.
///
/// Callbacks, except some completions of seeks, run on the queues passed by their registrants, never under a
/// lock. Releasing the last reference stops the engine and frees its resources. If the output calls back
/// under a lock, the owner must close the engine before that.
///
/// Callers change a state machine under its lock and signal two workers. The *conductor* checks the heard
/// position, delivers due steps and notices, and alone opens, starts, stops and flushes streams. The *decode
/// worker* opens files and fills the ring buffer.
package final class PlaybackEngine: Sendable {
  /// The stream in use. A class, so that each read copies only one reference.
  final class Attachment: Sendable {
    let serial: UInt64
    let renderer: Renderer
    let stream: any AudioOutputStream

    init(serial: UInt64, renderer: Renderer, stream: any AudioOutputStream) {
      self.serial = serial
      self.renderer = renderer
      self.stream = stream
    }
  }

  let clock: any HostClock
  let device: any AudioOutputDevice
  let stretching: (any TimeStretching)?
  private let machine: Mutex<EngineMachine>
  let attachment = Mutex<Attachment?>(nil)
  private let workers = Mutex<[any Worker]>([])
  /// Used by the decode worker only.
  private let decodeLoop = WorkerState(DecodeLoop())
  /// The mailbox for a new stream's ring, so that the conductor never waits for a file read in progress.
  let newRing = Mutex<DecodeLoop.Ring?>(nil)
  let deliveries: DeliveryRouter

  /// Creates an idle engine with an empty queue. The engine does nothing before `start`.
  ///
  /// - Parameters:
  ///   - clock: the clock of the engine's workers and deadlines.
  ///   - device: the output.
  ///   - stretching: for rates other than 1; nil if only rate 1 is used.
  ///   - isQueuePlayer: whether ended and failed items leave the queue (AVQueuePlayer) or stay (AVPlayer).
  ///   - mainQueue: the queue of notices.
  ///   - gate: the gate shared by all engines that are suspended together. `suspend` closes and `resume`
  ///     opens it.
  package init(
    clock: any HostClock, device: any AudioOutputDevice, stretching: (any TimeStretching)? = nil,
    isQueuePlayer: Bool = true, mainQueue: any DeliveryQueue, gate: CallGate = CallGate()
  ) {
    self.clock = clock
    self.stretching = stretching
    self.device = device
    deliveries = DeliveryRouter(mainQueue: mainQueue, gate: gate)
    machine = Mutex(EngineMachine(isQueuePlayer: isQueuePlayer, isOffline: device.isOffline))
  }

  deinit { close() }

  /// Starts both workers. Call once, before any other method.
  ///
  /// `onNotice` is called on the main queue with the notices: in a turn of that queue, or inside
  /// `deliverOwn` for changes made by calls. The values of each property arrive in order; superseded ones may
  /// be missing.
  package func start(onNotice: @escaping @Sendable (EngineNotice) -> Void) {
    let goOn: @Sendable () -> Void = { [weak self] in self?.signalConductor() }
    deliveries.start(onNotice: onNotice, onDrained: device.isOffline ? goOn : nil)
    let conduct: @Sendable () -> WorkerNext = { [weak self] in self?.conduct() ?? .whenSignalled }
    // The conductor runs on the main queue's own thread if that queue offers workers. A step then needs no
    // other thread.
    let conductor =
      deliveries.main.queue?.makeWorker("continuo-time", body: conduct)
      ?? clock.makeWorker("continuo-time", body: conduct)
    let decoder = clock.makeWorker("continuo-decode") { [weak self] in
      guard let self else { return .whenSignalled }
      return decodeLoop.use { $0.run(for: self) }
    }
    workers.withLock { $0 = [conductor, decoder] }
    // A worker runs once on creation. Signals sent before `workers` was set have reached no worker.
    signal()
  }

  /// Ends playback and both workers at once; no further delivery begins. Waits for the workers' steps in
  /// progress (a few milliseconds, or a read of a file). Idempotent.
  package func close() {
    deliveries.close()
    var ended: [any Worker] = []
    workers.withLock { swap(&$0, &ended) }
    for worker in ended { worker.cancel() }
    attachment.withLock { $0.take() }?.stream.close()
  }

  /// Changes the machine under its lock and sends out the resulting deliveries.
  @discardableResult
  func mutate<Result: Sendable>(
    _ cause: ChangeCause = .finding, _ body: (inout EngineMachine) -> Result
  ) -> Result {
    send(cause) { machine in
      machine.isSteady = false
      return body(&machine)
    }
  }

  /// Calls `body` with the machine under its lock and sends out the resulting deliveries.
  func send<Result: Sendable>(_ cause: ChangeCause, _ body: (inout EngineMachine) -> Result) -> Result {
    let (result, lanes) = machine.withLock { machine in
      let result = body(&machine)
      guard !machine.deliveries.isEmpty else { return (result, TouchedLanes()) }
      return (result, deliveries.route(&machine.deliveries, cause: cause))
    }
    lanes.wake()
    return result
  }

  /// Calls `mutate` and signals both workers. A call by the application that changes reported properties must
  /// pass `.call` or `.addition`.
  @discardableResult
  func call<Result: Sendable>(
    _ cause: ChangeCause = .finding, _ body: (inout EngineMachine) -> Result
  ) -> Result {
    defer { signal() }
    return mutate(cause, body)
  }

  /// Calls `call` with the present time and output timing, for a call by the application.
  func callTimed<Result: Sendable>(_ body: (inout EngineMachine, HostTime, OutputTiming?) -> Result) -> Result
  {
    defer { signal() }
    return readTime(.call, body)
  }

  /// Reads machine state that does not depend on the present time.
  func read<Result: Sendable>(_ body: (borrowing EngineMachine) -> Result) -> Result {
    machine.withLock { body($0) }
  }

  /// Calls `mutate` with the present time and output timing. The clock is read before the timing, because an
  /// older timing would be extrapolated past a stop that it does not include.
  func readTime<Result: Sendable>(
    _ cause: ChangeCause = .finding, _ body: (inout EngineMachine, HostTime, OutputTiming?) -> Result
  ) -> Result {
    let now = clock.now
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    return mutate(cause) { machine in
      let isOpen = attachment.map { Self.update(&machine, from: $0.renderer.log, of: $0.serial) } ?? false
      return body(&machine, now, isOpen ? timing : nil)
    }
  }

  /// Updates the machine with the frames taken by stream `serial`. Returns false unless `serial` is the
  /// machine's present stream and the stream is open.
  static func update(_ machine: inout EngineMachine, from log: RenderLog, of serial: UInt64) -> Bool {
    guard serial == machine.output.serial, machine.output.phase == .open else { return false }
    log.drain(into: &machine.output.timeline)
    return true
  }

  func signal() {
    for worker in workers.withLock({ $0 }) { worker.signal() }
  }

  func signalConductor() { workers.withLock { $0.first }?.signal() }

  func signalDecoder() { workers.withLock { $0.last }?.signal() }

  func kickOutput() {
    mutate { $0.output.needsKick = true }
    signalConductor()
  }
}
