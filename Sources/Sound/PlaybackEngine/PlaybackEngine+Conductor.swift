import AudioCore
import Clocks
import Synchronization

/// The conductor, which checks the heard position and alone opens, starts, stops and flushes streams.
extension PlaybackEngine {
  /// The capacity of the ring between decoder and output, in frames: 1.5 s at 44.1 kHz, so that the decoder wakes
  /// about once a second. A jump discards the ring's contents (at most 3 ms of work).
  static let ringFrames = 65_536
  static let ringChunks = 1024

  func conduct() -> WorkerNext {
    // The clock is read before the timing, as in `readTime`.
    let now = clock.now
    let attachment = attachment.withLock { $0 }
    let timing = attachment?.stream.timing()
    if let attachment, let timing, let next = advance(attachment, now: now, timing: timing) { return next }
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
        offlineLimit(
          isObserved: !machine.schedule.isEmpty, format: machine.format, speed: machine.speed, timing: timing,
          renderer: attachment?.renderer),
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

  /// Delivers what is due while sound plays on. Returns nil if a whole check is needed.
  private func advance(_ attachment: Attachment, now: HostTime, timing: OutputTiming) -> WorkerNext? {
    send(.finding) { machine in
      attachment.renderer.log.hasNewRun ? nil : machine.advance(now: now, timing: timing)
    }
  }

  /// Returns the frame up to which an offline output may render, so that observers' steps do not coalesce. The
  /// limit is `offlineLead` frames after the rendered ones; while deliveries are late, no further frame. Returns
  /// `.max` without observers or format. Nil if the output plays in real time, or without a stream.
  private func offlineLimit(
    isObserved: Bool, format: PCMFormat?, speed: Double, timing: OutputTiming?, renderer: Renderer?
  ) -> Int64? {
    guard device.isOffline, let timing, let renderer else { return nil }
    guard isObserved, let format else { return .max }
    // The renderer counts the frames and then signals, both before the stream counts them; no signal follows
    // the stream's own count.
    let rendered = max(timing.renderedFrames, renderer.nextFrame)
    let isLate = deliveries.backlogSeconds > Self.offlineLeadSeconds
    return isLate ? rendered : rendered + Self.offlineLead(format, speed: speed)
  }

  /// The seconds of the item by which a file is rendered ahead of its observers. Up to four times as many
  /// seconds can be undelivered: a backlog just below this lead, the steps of one check, and two leads that
  /// are rendered before the next check. The sum must stay below the one second at which steps coalesce.
  private static let offlineLeadSeconds = 0.15

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
        self?.call { machine in
          _ = Self.update(&machine, from: log, of: stream)
          machine.flushed(serial: serial, firstDropped: frame)
        }
      }
    case .start: present?.stream.start()
    case .stop: present?.stream.stop()
    case .setVolume(let volume, let muted): present?.stream.setVolume(volume, muted: muted)
    case .dataAvailable: present?.stream.dataAvailable()
    case .replaceFrames: present?.stream.replaceFrames()
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
      log: log, reportsEveryPiece: device.isOffline,
      wantsData: { [weak self] in self?.signalDecoder() },
      logChanged: { [weak self] in self?.signalConductor() })
    if device.isOffline { renderer.setLimit(Self.offlineLead(format, speed: read { $0.speed })) }
    var ring: DecodeLoop.Ring? = DecodeLoop.Ring(producer: producer, renderer: renderer, stream: serial)
    // A ring that the decode worker never took is released here, outside the lock.
    newRing.withLock { swap(&$0, &ring) }
    let stream = device.makeStream(format: format, source: renderer) { [weak self] event in
      guard let self else { return }
      let now = self.clock.now
      let generation = self.mutate { machine in
        _ = Self.update(&machine, from: log, of: serial)
        machine.receive(event, serial: serial, now: now)
        return machine.generation
      }
      // Set before the first `render`, because a jump while the stream was opening needs no flush, and the
      // conductor may not have set the renderer's generation yet.
      renderer.setGeneration(generation)
      self.signal()
    }
    let attachment = Attachment(serial: serial, renderer: renderer, stream: stream)
    self.attachment.withLock { $0 = attachment }
    return attachment
  }
}
