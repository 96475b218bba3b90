import AudioCore
import AudioOutput
import MediaTime
import Synchronization

/// What holds the machine: its lock, its two workers, its lanes.
///
/// - The *conductor* looks at what is heard, delivers what is due, and is the only one that calls the output, so
///   commands reach it in the order in which they were decided.
/// - The *decode worker* opens files and fills the ring.
/// - Callers change the machine under its lock and signal the two.
final class EngineCore: Sendable {
  /// A stream with what belongs to it.
  private final class Attachment: Sendable {
    let serial: UInt64
    let renderer: Renderer
    let timeline: RenderedTimeline
    let stream: any AudioOutputStream

    init(serial: UInt64, renderer: Renderer, timeline: RenderedTimeline, stream: any AudioOutputStream) {
      self.serial = serial
      self.renderer = renderer
      self.timeline = timeline
      self.stream = stream
    }
  }

  /// Room between decoder and output: 1.5 s at 44.1 kHz, so that the decoder wakes about once a second; a jump
  /// throws at most this much work away (3 ms).
  static let ringFrames = 65_536
  static let ringChunks = 1024

  let clock: any HostClock
  private let device: any AudioOutputDevice
  private let machine: Mutex<EngineMachine>
  private let attachment = Mutex<Attachment?>(nil)
  private let workers = Mutex<[any Worker]>([])
  let deliveries: DeliveryRouter
  /// A file waits for its observers.
  private let isThrottled = Atomic<Bool>(false)

  init(
    clock: any HostClock, device: any AudioOutputDevice, isQueuePlayer: Bool, deliveries: DeliveryRouter
  ) {
    self.clock = clock
    self.device = device
    self.deliveries = deliveries
    machine = Mutex(EngineMachine(isQueuePlayer: isQueuePlayer, isOffline: device.isOffline))
  }

  func start() {
    let weakly: @Sendable () -> EngineCore? = { [weak self] in self }
    let loop = DecodeLoop(core: weakly)
    decodeLoop.withLock { $0 = loop }
    let conductor = clock.makeWorker("continuo-time") { weakly()?.conduct() ?? .whenSignalled }
    let decoder = clock.makeWorker("continuo-decode") { loop.run() }
    workers.withLock { $0 = [conductor, decoder] }
    // Both ran once before they could be signalled; nothing that happened in between is missed.
    signal()
    guard device.isOffline else { return }
    deliveries.whenDrained {
      if let core = weakly(), core.isThrottled.exchange(false, ordering: .sequentiallyConsistent) {
        core.signalConductor()
      }
    }
  }

  private let decodeLoop = Mutex<DecodeLoop?>(nil)

  /// Ends everything; nothing runs and nothing is delivered after the return, but for a block that is running.
  func close() {
    let ended = workers.withLock { workers in
      defer { workers = [] }
      return workers
    }
    for worker in ended { worker.cancel() }
    attachment.withLock { $0.take() }?.stream.close()
  }

  // MARK: Changing the machine

  /// Changes the machine under its lock and sends out what that made due.
  @discardableResult
  func mutate<Result: Sendable>(_ body: (inout EngineMachine) -> Result) -> Result {
    let (result, lanes) = machine.withLock { machine in
      let result = body(&machine)
      guard !machine.emissions.isEmpty else { return (result, [DeliveryLane]()) }
      let lanes = deliveries.route(machine.emissions, schedule: machine.schedule)
      machine.emissions.removeAll(keepingCapacity: true)
      return (result, lanes)
    }
    for lane in lanes { lane.wake() }
    return result
  }

  /// `mutate` for a caller's wish: the workers are told.
  @discardableResult
  func perform<Result: Sendable>(_ body: (inout EngineMachine) -> Result) -> Result {
    let result = mutate(body)
    signal()
    return result
  }

  /// Reads the machine with the present timing.
  func read<Result: Sendable>(
    _ body: (inout EngineMachine, HostTime, OutputTiming?, RenderedTimeline?) -> Result
  ) -> Result {
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    let now = clock.now
    return machine.withLock { machine in
      let isPresent = attachment?.serial == machine.output.serial && machine.output.phase == .open
      return body(&machine, now, isPresent ? timing : nil, isPresent ? attachment?.timeline : nil)
    }
  }

  func signal() {
    for worker in workers.withLock({ $0 }) { worker.signal() }
  }

  func signalConductor() { workers.withLock { $0.first }?.signal() }

  private func signalDecoder() { workers.withLock { $0.last }?.signal() }

  /// The output waits for data and there is some, or the end was reached.
  func kickOutput() {
    mutate { $0.output.needsKick = true }
    signalConductor()
  }

  func prepareOutput() { device.prepare() }

  // MARK: The conductor

  private func conduct() -> WorkerNext {
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    let now = clock.now
    let (next, commands, serial, generation, limit) = mutate { machine in
      let isPresent = attachment?.serial == machine.output.serial && machine.output.phase == .open
      let next = machine.conduct(
        now: now, timing: isPresent ? timing : nil, timeline: isPresent ? attachment?.timeline : nil)
      let limit = offlineLimit(machine, timing: timing)
      if let limit, let timing, limit > timing.renderedFrames, attachment?.renderer.isWaitingForLimit == true
      {
        machine.output.needsKick = true
      }
      let commands = machine.outputCommands(now: now)
      return (next, commands, machine.output.serial, machine.generation, limit)
    }
    var present = attachment
    if let attachment, attachment.serial != serial {
      // The machine is done with it: lost, or to be opened in another format.
      self.attachment.withLock { $0 = nil }
      attachment.stream.close()
      present = nil
    }
    present?.renderer.setGeneration(generation)
    if let limit { present?.renderer.setLimit(limit) }
    for command in commands { execute(command, on: &present) }
    return next
  }

  /// How far a file may be rendered ahead of its observers: a quarter of a second, below the second after which
  /// their steps would coalesce. Nil where nobody observes, or the output has a clock of its own.
  private func offlineLimit(_ machine: EngineMachine, timing: OutputTiming?) -> Int64? {
    guard device.isOffline, let timing else { return nil }
    guard !machine.schedule.isEmpty, let format = machine.format else { return .max }
    let rendered = timing.renderedFrames
    // The mark comes before the look: a lane that is drained in between then finds it.
    isThrottled.store(true, ordering: .sequentiallyConsistent)
    if deliveries.backlogSeconds(machine.schedule) > 0.25 { return rendered }
    isThrottled.store(false, ordering: .sequentiallyConsistent)
    return rendered + Int64(format.sampleRate / 4)
  }

  private func execute(_ command: OutputCommand, on present: inout Attachment?) {
    switch command {
    case .open(let format, let serial):
      present = open(format, serial: serial)
      signalDecoder()
    case .flush(let serial):
      guard let timeline = present?.timeline else { return }
      present?.stream.flush { [weak self] frame in
        self?.perform { $0.flushed(serial: serial, firstDropped: frame, timeline: timeline) }
      }
    case .start: present?.stream.start()
    case .stop: present?.stream.stop()
    case .setVolume(let volume, let muted): present?.stream.setVolume(volume, muted: muted)
    case .dataAvailable: present?.stream.dataAvailable()
    case .close: present?.stream.close()
    }
  }

  private func open(_ format: PCMFormat, serial: UInt64) -> Attachment {
    let ends = RingBuffer.makeEnds(
      format: format, capacityFrames: Self.ringFrames, chunkCapacity: Self.ringChunks)
    let producer = ends.producer
    let consumer = ends.consumer
    let timeline = RenderedTimeline()
    let renderer = Renderer(
      consumer: consumer, format: format, lowWater: Self.ringFrames / 2, generation: 0, timeline: timeline,
      reportsEveryPiece: device.isOffline,
      wantsData: { [weak self] in self?.signalDecoder() },
      timelineChanged: { [weak self] in self?.signalConductor() })
    if device.isOffline { renderer.setLimit(Int64(format.sampleRate / 4)) }
    decodeLoop.withLock { $0 }?.adopt(producer, renderer: renderer)
    let stream = device.makeStream(format: format, source: renderer) { [weak self] event in
      guard let self else { return }
      let now = self.clock.now
      self.mutate { $0.receive(event, serial: serial, now: now, timeline: timeline) }
      self.signal()
    }
    let attachment = Attachment(serial: serial, renderer: renderer, timeline: timeline, stream: stream)
    self.attachment.withLock { $0 = attachment }
    return attachment
  }
}
