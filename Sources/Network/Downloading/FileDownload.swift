package import Clocks
import Synchronization
package import Transfer

/// A download of one URL into a file. If the download or its process ends early, a later download resumes it
/// if possible. Methods may be called on any thread and never block, except `end`. Releasing the object may
/// block too: the release ends the download without a record of the last bytes, which a later download
/// fetches again.
package final class FileDownload: Sendable {
  private struct Work: ~Copyable {
    var part: PartFile?
    var machine: DownloadMachine?
    var isEnded = false
  }

  private let url: WebURL
  private let place: DownloadPlace
  private let settings: RequestSettings
  private let policy: DownloadPolicy
  private let clock: any HostClock
  private let seed: UInt64
  private let onEvent: @Sendable (DownloadEvent) -> Void
  private let runner: TransferRunner
  private let wantsStop = Mutex(false)
  private let work = WorkerState(Work())
  private let hasEnded = Atomic(false)

  /// Starts the download immediately, resuming the partial file at `place` if it exists.
  /// `wantsSound` of the settings is ignored. `seed` seeds the retry jitter (±10 %). `onEvent` is called on
  /// the worker with each event, in order; it must return quickly and may call `stop`.
  package init(
    _ url: WebURL, to place: DownloadPlace, settings: RequestSettings,
    policy: DownloadPolicy = DownloadPolicy(),
    transport: any HTTPTransport, clock: any HostClock, seed: UInt64,
    onEvent: @escaping @Sendable (DownloadEvent) -> Void
  ) {
    self.url = url
    self.place = place
    var settings = settings
    settings.wantsSound = false
    self.settings = settings
    self.policy = policy
    self.clock = clock
    self.seed = seed
    self.onEvent = onEvent
    runner = TransferRunner(transport: transport)
    runner.begin("continuo-get", on: clock) { [weak self] in self?.step() ?? .whenSignalled }
  }

  deinit { runner.end() }

  /// Suspends or resumes the download. While suspended, no request is sent, except after a redirect, and no timeout
  /// runs.
  package func setSuspended(_ isSuspended: Bool) { runner.tell(.suspend(isSuspended)) }

  /// Stops the download so that it can be resumed later. The event `stopped` follows once all received bytes
  /// are recorded, unless the download ends before in another way.
  package func stop() {
    wantsStop.withLock { $0 = true }
    runner.signal()
  }

  /// Ends the download without an event, records the written bytes and closes the partial file. Waits for the
  /// worker's current step, unless the worker itself calls this method, and for the disk.
  package func end() {
    runner.end()
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    // The worker has ended, or calls this method, so no other thread uses `work`.
    work.use { work in
      if let record = work.machine?.record, record != work.part?.record { try? work.part?.save(record) }
      work.part = nil
    }
  }

  private func step() -> WorkerNext {
    let inputs = runner.takeInputs()
    let (wake, events) = work.use { work in
      var events: [DownloadEvent] = []
      do throws(FileFailure) {
        try run(inputs, &work, &events)
      } catch {
        // Bytes that could not be written are fetched again. The last record remains correct.
        events.append(.failed(.file(error), work.part?.record ?? DownloadRecord(url: url)))
        work.isEnded = true
      }
      if work.isEnded { close(&work) }
      return (work.machine?.wake, events)
    }
    for event in events { onEvent(event) }
    return wake.map { .at($0) } ?? .whenSignalled
  }

  private func run(
    _ inputs: [TransferInput], _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    guard !work.isEnded else { return }
    if work.machine == nil {
      if !policy.replacesFile { try place.expectNoTarget() }
      let part = try PartFile.open(place, of: url)
      work.machine = DownloadMachine(
        part.record, settings: settings, policy: policy, seed: seed, now: clock.now)
      work.part = consume part
    }
    for input in inputs + [.time] { try tell(input, &work, &events) }
    if wantsStop.withLock({ $0 }) { try carryOut(work.machine?.stop() ?? [], &work, &events) }
    runner.goOn()
  }

  private func tell(
    _ input: TransferInput, _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    guard !work.isEnded, let bytes = work.part?.bytes else { return }
    try carryOut(work.machine?.handle(input, at: clock.now, store: bytes) ?? [], &work, &events)
  }

  private func carryOut(
    _ commands: [DownloadMachine.Command], _ work: inout Work, _ events: inout [DownloadEvent]
  ) throws(FileFailure) {
    for command in commands {
      switch command {
      case .transfer(let command): _ = runner.carryOut(command)
      case .write(let bytes, let offset): try work.part?.write(bytes, at: offset)
      case .save(let record): try work.part?.save(record)
      case .discard: try work.part?.discard()
      case .finish:
        try work.part?.synchronize()
        do throws(FileFailure) {
          try work.part?.finish(replacing: policy.replacesFile)
        } catch {
          // The data is complete and only the rename failed.
          if let record = work.machine?.record { try? work.part?.save(record) }
          throw error
        }
        // Released, so that `close` does not remove files that another download has created by these names.
        work.part = nil
        events.append(.finished(work.machine?.record.length ?? 0))
      case .tell(let event): events.append(event)
      }
    }
    work.isEnded = work.machine?.isEnded ?? true
  }

  /// Closes the partial file, and removes it if no bytes are recorded. The last event is delivered after the
  /// removal.
  private func close(_ work: inout Work) {
    runner.cancelTransfer()
    if let record = work.part?.record, record.length == 0 { work.part?.remove() }
    work.part = nil
    work.machine = nil
  }
}
