import AudioCore
import HostTime
import MediaTime
import Synchronization

/// Runs the engine's state machine: owns its lock, its two workers and its delivery lanes.
///
/// - The *conductor* checks what is heard and delivers due steps and notices. Only the conductor calls the
///   output, so commands reach the output in the order in which they were decided.
/// - The *decode worker* opens files and fills the ring buffer.
/// - Callers change the machine under its lock and signal both workers.
final class EngineCore: DecodingHost {
  /// An open output stream with its renderer and serial number.
  private final class Attachment: Sendable {
    let serial: UInt64
    let renderer: Renderer
    let stream: any AudioOutputStream

    init(serial: UInt64, renderer: Renderer, stream: any AudioOutputStream) {
      self.serial = serial
      self.renderer = renderer
      self.stream = stream
    }
  }

  /// The ring's capacity between decoder and output: 1.5 s at 44.1 kHz, so that the decoder wakes about once
  /// a second. A jump discards at most this much decoded sound (3 ms of work).
  static let ringFrames = 65_536
  static let ringChunks = 1024

  let clock: any HostClock
  private let device: any AudioOutputDevice
  private let stretching: (any TimeStretching)?
  private let machine: Mutex<EngineMachine>
  private let attachment = Mutex<Attachment?>(nil)
  private let workers = Mutex<[any Worker]>([])
  let deliveries: DeliveryRouter

  init(
    clock: any HostClock, device: any AudioOutputDevice, stretching: (any TimeStretching)?,
    isQueuePlayer: Bool, deliveries: DeliveryRouter
  ) {
    self.clock = clock
    self.stretching = stretching
    self.device = device
    self.deliveries = deliveries
    machine = Mutex(EngineMachine(isQueuePlayer: isQueuePlayer, isOffline: device.isOffline))
  }

  /// Starts the workers; `onNotice` is called on the main queue.
  func start(onNotice: @escaping @Sendable (EngineNotice) -> Void) {
    let weakly: @Sendable () -> EngineCore? = { [weak self] in self }
    let loop = DecodeLoop(stretching: stretching, host: weakly)
    decodeLoop.withLock { $0 = loop }
    let goOn: @Sendable () -> Void = { weakly()?.signalConductor() }
    deliveries.start(onNotice: onNotice, onDrained: device.isOffline ? goOn : nil)
    let conductor = clock.makeWorker("continuo-time") { weakly()?.conduct() ?? .whenSignalled }
    let decoder = clock.makeWorker("continuo-decode") { loop.run() }
    workers.withLock { $0 = [conductor, decoder] }
    // A worker runs once on creation, perhaps before it is in `workers`; this signal covers changes missed
    // since then.
    signal()
  }

  private let decodeLoop = Mutex<DecodeLoop?>(nil)

  /// Stops the workers and the stream. After the return no delivery begins; only a block already in progress
  /// continues.
  func close() {
    deliveries.close()
    let ended = workers.withLock { workers in
      defer { workers = [] }
      return workers
    }
    for worker in ended { worker.cancel() }
    attachment.withLock { $0.take() }?.stream.close()
  }

  // MARK: Changing the machine

  /// Changes the machine under its lock for an internal finding, and sends out the resulting deliveries.
  @discardableResult
  func mutate<Result: Sendable>(_ body: (inout EngineMachine) -> Result) -> Result {
    mutate(.finding, body)
  }

  private func mutate<Result: Sendable>(
    _ cause: ChangeCause, _ body: (inout EngineMachine) -> Result
  ) -> Result {
    let (result, lanes) = machine.withLock { machine in
      let result = body(&machine)
      guard !machine.deliveries.isEmpty else { return (result, [DeliveryLane]()) }
      let lanes = deliveries.route(machine.deliveries, cause: cause)
      machine.deliveries.removeAll(keepingCapacity: true)
      return (result, lanes)
    }
    for lane in lanes { lane.wake() }
    return result
  }

  /// Calls `mutate` and signals both workers. Calls by the application pass their own `cause`.
  @discardableResult
  func perform<Result: Sendable>(
    _ cause: ChangeCause = .finding, _ body: (inout EngineMachine) -> Result
  ) -> Result {
    let result = mutate(cause, body)
    signal()
    return result
  }

  /// Calls `perform` with the present time and output timing, for a call by the application.
  @discardableResult
  func performNow<Result: Sendable>(
    _ body: (inout EngineMachine, HostTime, OutputTiming?) -> Result
  ) -> Result {
    let now = clock.now
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    return perform(.call) { machine in
      let isOpen = attachment.map { Self.update(&machine, from: $0.renderer.log, of: $0.serial) } ?? false
      return body(&machine, now, isOpen ? timing : nil)
    }
  }

  /// Reads machine state that does not depend on the present time.
  func read<Result: Sendable>(_ body: (borrowing EngineMachine) -> Result) -> Result {
    machine.withLock { body($0) }
  }

  /// Reads the machine with the present time and output timing. The clock is read before the timing: a timing
  /// newer than `now` states where playback was, whereas an older one would be extrapolated past a stop
  /// unknown to it.
  func readTime<Result: Sendable>(
    _ body: (inout EngineMachine, HostTime, OutputTiming?) -> Result
  ) -> Result {
    let now = clock.now
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    return machine.withLock { machine in
      let isOpen = attachment.map { Self.update(&machine, from: $0.renderer.log, of: $0.serial) } ?? false
      return body(&machine, now, isOpen ? timing : nil)
    }
  }

  /// Updates the machine with the frames taken by stream `serial`. False unless `serial` is the machine's
  /// present stream and that is open.
  private static func update(_ machine: inout EngineMachine, from log: RenderLog, of serial: UInt64) -> Bool {
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

  func replaceOutput() {
    mutate { $0.output.needsReplacing = true }
    signalConductor()
  }

  func prepareOutput() { device.prepare() }

  // MARK: The conductor

  private func conduct() -> WorkerNext {
    // The clock is read before the timing, as in `readTime`.
    let now = clock.now
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    let (next, commands, serial, generation, limit, silentGeneration) = mutate { machine in
      let isOpen = attachment.map { Self.update(&machine, from: $0.renderer.log, of: $0.serial) } ?? false
      let look = machine.conduct(now: now, timing: isOpen ? timing : nil)
      let hasMore =
        isOpen
        && attachment?.renderer.log.settle(
          told: machine.output.timeline.count, awaitsMore: look.whenMoreIsTaken) == true
      let commands = machine.outputCommands(now: now)
      return (
        hasMore ? .again : look.moment, commands, machine.output.serial, machine.generation,
        offlineLimit(machine, timing: timing, renderer: attachment?.renderer),
        machine.silentGeneration
      )
    }
    var present = attachment
    if let attachment, attachment.serial != serial {
      // The machine gave up this stream: it was lost, or the format changed.
      self.attachment.withLock { $0 = nil }
      attachment.stream.close()
      present = nil
    }
    present?.renderer.setGeneration(generation)
    if let limit { present?.renderer.setLimit(limit) }
    for command in commands { execute(command, on: &present) }
    if let present {
      let isSilent = present.renderer.beSilent(upTo: silentGeneration)
      if present.renderer.takesRefusalBack() || isSilent { present.stream.dataAvailable() }
    }
    return next
  }

  /// The last frame up to which a file may be rendered: `offlineLead` ahead of its observers, so that their steps never
  /// coalesce. Nil where nobody observes, or the output has a clock of its own.
  private func offlineLimit(_ machine: EngineMachine, timing: OutputTiming?, renderer: Renderer?) -> Int64? {
    guard device.isOffline, let timing, let renderer else { return nil }
    guard !machine.schedule.isEmpty, let format = machine.format else { return .max }
    // The renderer counts frames, and signals, before the stream does; no signal follows the stream's own
    // update.
    let rendered = max(timing.renderedFrames, renderer.nextFrame)
    return deliveries.backlogSeconds > Self.offlineLeadSeconds
      ? rendered : rendered + Self.offlineLead(format, speed: machine.speed)
  }

  /// Seconds of the item that a file is rendered ahead of its observers. Up to four times that can be undelivered: a
  /// backlog just below the lead, the steps of this look, and two leads that the renderer takes before the next look.
  /// Steps coalesce from one second on.
  private static let offlineLeadSeconds = 0.15

  /// `offlineLeadSeconds` in frames of the output.
  private static func offlineLead(_ format: PCMFormat, speed: Double) -> Int64 {
    max(1, Int64(Double(format.sampleRate) * offlineLeadSeconds / max(1, speed)))
  }

  private func execute(_ command: OutputCommand, on present: inout Attachment?) {
    switch command {
    case .open(let format, let serial, let generation):
      present = open(format, serial: serial, generation: generation)
      signalDecoder()
    case .flush(let serial):
      guard let present else { return }
      present.stream.flush { [weak self, log = present.renderer.log, stream = present.serial] frame in
        self?.perform { machine in
          _ = Self.update(&machine, from: log, of: stream)
          machine.flushed(serial: serial, firstDropped: frame)
        }
      }
    case .start: present?.stream.start()
    case .stop: present?.stream.stop()
    case .setVolume(let volume, let muted): present?.stream.setVolume(volume, muted: muted)
    case .dataAvailable: present?.stream.dataAvailable()
    case .replaceFrames: present?.stream.replaceFrames()
    case .close: present?.stream.close()
    }
  }

  private func open(_ format: PCMFormat, serial: UInt64, generation: UInt64) -> Attachment {
    let ends = RingBuffer.makeEnds(
      format: format, capacityFrames: Self.ringFrames, chunkCapacity: Self.ringChunks)
    let producer = ends.producer
    let consumer = ends.consumer
    let log = RenderLog()
    let renderer = Renderer(
      consumer: consumer, format: format, lowWater: Self.ringFrames / 2, generation: generation,
      log: log,
      reportsEveryPiece: device.isOffline,
      wantsData: { [weak self] in self?.signalDecoder() },
      logChanged: { [weak self] in self?.signalConductor() })
    if device.isOffline { renderer.setLimit(Self.offlineLead(format, speed: read { $0.speed })) }
    decodeLoop.withLock { $0 }?.adopt(producer, renderer: renderer, stream: serial)
    let stream = device.makeStream(format: format, source: renderer) { [weak self] event in
      guard let self else { return }
      let now = self.clock.now
      let generation = self.mutate { machine in
        _ = Self.update(&machine, from: log, of: serial)
        machine.receive(event, serial: serial, now: now)
        return machine.generation
      }
      // Runs before the first `render`: a jump while the stream was opening needs no flush, and the conductor
      // may not have set the renderer's generation yet.
      renderer.setGeneration(generation)
      self.signal()
    }
    let attachment = Attachment(serial: serial, renderer: renderer, stream: stream)
    self.attachment.withLock { $0 = attachment }
    return attachment
  }
}
