package import HostTime
import Synchronization
package import Transfer

/// A download of one URL into a file, which a later one goes on with if this one, or its process, ends before.
///
/// Works on a worker of its own, that waits for the disk; the network is waited for on a transport's thread. All methods:
/// any thread; they never block. It ends with this object: what was not recorded then is fetched again.
package final class FileDownload: Sendable {
  private struct Work: ~Copyable {
    var part: PartFile?
    var machine: DownloadMachine?
    var isEnded = false
  }

  /// The URL, as events and errors may name it.
  package let url: WebURL
  /// Where its files are.
  package let place: DownloadPlace
  private let settings: RequestSettings
  private let policy: DownloadPolicy
  private let clock: any HostClock
  private let seed: UInt64
  private let onEvent: @Sendable (DownloadEvent) -> Void
  private let runner: TransferRunner
  private let wantsStop = Mutex(false)
  private let work = WorkerState(Work())
  private let hasEnded = Atomic(false)

  /// Begins at once: goes on with the part at `place` if there is one.
  ///
  /// - Parameters:
  ///   - settings: what requests say. That the URL is no sound is nothing to be set here.
  ///   - seed: for what is random: delays differ by a tenth.
  ///   - onEvent: called on the worker with what happens, in order. It must be short, and may call `stop`.
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

  /// Has it stand still, or go on: nothing is asked for meanwhile, and no limit of time counts.
  package func setSuspended(_ isSuspended: Bool) { runner.tell(.suspend(isSuspended)) }

  /// Ends it, to be gone on with later; `stopped` is told when all that came is recorded. Does nothing if it has ended.
  package func stop() {
    wantsStop.withLock { $0 = true }
    runner.signal()
  }

  /// Ends it at once, and lets others have the part: what was not recorded is fetched again. Waits for a step of the worker,
  /// unless called by it.
  package func end() {
    runner.end()
    // Its worker has ended, so nobody else uses this.
    if !hasEnded.exchange(true, ordering: .relaxed) { work.use { $0.part = nil } }
  }

  // MARK: The worker

  private func step() -> WorkerNext {
    let inputs = runner.takeInputs()
    let (wake, events) = work.use { work in
      var events: [DownloadEvent] = []
      do throws(FileFailure) {
        try run(inputs, &work, &events)
      } catch {
        // What could not be written is fetched again: what is recorded is right as it is.
        events.append(.failed(.file(error), work.part?.record ?? DownloadRecord(url: url)))
        work.isEnded = true
      }
      if work.isEnded { close(&work) }
      return (work.machine?.wake, events)
    }
    for event in events { onEvent(event) }
    return wake.map { .at($0) } ?? .whenSignalled
  }

  private func run(_ inputs: [TransferInput], _ work: inout Work, _ events: inout [DownloadEvent])
    throws(FileFailure)
  {
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

  private func tell(_ input: TransferInput, _ work: inout Work, _ events: inout [DownloadEvent])
    throws(FileFailure)
  {
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
        do throws(FileFailure) {
          try work.part?.finish(replacing: policy.replacesFile)
        } catch {
          // All of it is there: what is missing is a name for it.
          if let record = work.machine?.record { try? work.part?.save(record) }
          throw error
        }
        events.append(.finished(work.machine?.record.length ?? 0))
      case .tell(let event): events.append(event)
      }
    }
    work.isEnded = work.machine?.isEnded ?? true
  }

  /// Lets others have the part, or takes it away if there is nothing in it. The last event is told after that.
  private func close(_ work: inout Work) {
    runner.cancelTransfer()
    if let record = work.part?.record, record.length == 0 { work.part?.remove() }
    work.part = nil
    work.machine = nil
  }
}
