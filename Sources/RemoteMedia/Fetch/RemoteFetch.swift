package import HostTime
import Synchronization
package import Transfer

/// Fetches one version of a medium: lets a `TransferMachine` decide, carries out what it says, and stores what comes.
///
/// Works on a worker of its own. All methods: any thread; they never block on the network. It ends with this object.
package final class RemoteFetch: Sendable {
  /// What a reader has to know.
  struct Snapshot {
    var total: Int64?
    var isSeekable = false
    var isLive = false
    var outcome: TransferMachine.Outcome?
    /// Where the connections of a live stream begin whose bytes are there, the oldest first: no frame goes over such a place.
    var joints: [Int64] = []
  }

  private struct State {
    var snapshot = Snapshot()
    var inputs: [TransferInput] = []
    /// Bytes of bodies among the inputs.
    var waitingBytes = 0
    /// Whether a sink answered that there is no room.
    var isFull = false
    var transfer: TransferID?
    var callbacks: [ObjectIdentifier: @Sendable () -> Void] = [:]
    /// The readers that wait for bytes.
    var waiting: Set<ObjectIdentifier> = []
  }

  /// What only the worker uses.
  private struct Work: ~Copyable {
    var machine: TransferMachine
    var attempt = 0
    var isPaused = false
    var saidMemory = false
    /// Whether bytes came, or something else that a reader waits for: else the call of one would make it read, miss, and
    /// come back at once.
    var hasNews = false
    /// Whether the Info frame was looked for.
    var knowsInfo = false
    var joints: [Int64] = []
  }

  /// Bits a second of a live stream that does not tell.
  private static let usualBitRate = 128_000
  /// Bytes that may wait for the worker: as many as a few reads of a socket.
  private static let room = 256 * 1024

  /// What is there of the medium.
  package let store: MediaStore
  private let transport: any HTTPTransport
  private let clock: any HostClock
  private let onNote: @Sendable (TransferNote) -> Void
  private let state = Mutex(State())
  private let work: Mutex<Work>
  private let worker = Mutex<(any Worker)?>(nil)

  /// Begins to fetch at once.
  ///
  /// - Parameters:
  ///   - seed: for what is random.
  ///   - onNote: called on the worker with what happens, in order. It must be short.
  package init(
    url: WebURL, settings: RequestSettings, transport: any HTTPTransport, clock: any HostClock,
    cache: MediaCache,
    times: TransferTimes = TransferTimes(), seed: UInt64,
    onNote: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) {
    store = MediaStore(cache: cache)
    self.transport = transport
    self.clock = clock
    self.onNote = onNote
    work = Mutex(
      Work(machine: TransferMachine(url: url, settings: settings, times: times, seed: seed, now: clock.now)))
    let body: @Sendable () -> WorkerNext = { [weak self] in self?.step() ?? .whenSignalled }
    worker.withLock { $0 = clock.makeWorker("continuo-fetch", body: body) }
  }

  deinit {
    worker.withLock { $0 }?.cancel()
    if let transfer = state.withLock({ $0.transfer }) { transport.cancel(transfer) }
  }

  /// Tells the machine something.
  package func tell(_ input: TransferInput) {
    state.withLock { $0.inputs.append(input) }
    signal()
  }

  /// How it ended for good; nil while more bytes may come.
  package var outcome: TransferMachine.Outcome? { snapshot.outcome }
  /// The length in bytes, once it is known.
  package var total: Int64? { snapshot.total }
  /// Whether it is a live stream.
  package var isLive: Bool { snapshot.isLive }

  /// Where a decoder of a live stream may begin that follows one which began at `place`: the connection behind that, or,
  /// where there is none, the oldest byte that is there of the last one.
  package func placeToJoin(after place: Int64?) -> Int64 {
    let joints = snapshot.joints
    if let place, let next = joints.first(where: { $0 > place }) { return next }
    let begin = joints.last ?? 0
    return max(begin, store.intervals.ranges.last?.lowerBound ?? begin)
  }

  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  private func signal() { worker.withLock { $0 }?.signal() }

  // MARK: Readers

  func setCallback(of reader: ObjectIdentifier, _ callback: (@Sendable () -> Void)?) {
    state.withLock { state in
      state.callbacks[reader] = callback
      if callback == nil { state.waiting.remove(reader) }
    }
  }

  /// Has the reader's callback called when something changes. What changed before this is to be looked at after it.
  func wait(_ reader: ObjectIdentifier) { state.withLock { _ = $0.waiting.insert(reader) } }

  // MARK: The worker

  private func step() -> WorkerNext {
    let inputs = state.withLock { state in
      defer {
        state.inputs = []
        state.waitingBytes = 0
      }
      return state.inputs
    }
    var notes: [TransferNote] = []
    // Only this worker takes the lock, so it never waits for it; it says so to the compiler.
    let (wake, hasNews) = work.withLock { work in
      work.hasNews = false
      for input in inputs {
        if case .read(let place) = input { store.setPlace(place) }
        carryOut(work.machine.handle(input, at: clock.now, store: store), &work, &notes)
      }
      lookForInfo(&work, &notes)
      carryOut(work.machine.handle(.time, at: clock.now, store: store), &work, &notes)
      if store.isInMemory, !work.saidMemory, !work.machine.isLive {
        work.saidMemory = true
        notes.append(.keptInMemory)
        carryOut(
          work.machine.handle(.readAhead(.memory), at: clock.now, store: store), &work, &notes)
      }
      publish(work.machine, work.joints)
      goOn(isPaused: work.isPaused)
      return (work.machine.wake, work.hasNews)
    }
    for note in notes { onNote(note) }
    let callbacks = state.withLock { state in
      guard hasNews else { return [] as [@Sendable () -> Void] }
      defer { state.waiting = [] }
      return state.waiting.compactMap { state.callbacks[$0] }
    }
    for callback in callbacks { callback() }
    return wake.map { .at($0) } ?? .whenSignalled
  }

  /// Tells the machine the length that the medium itself tells, before any reader sees the end that was announced.
  private func lookForInfo(_ work: inout Work, _ notes: inout [TransferNote]) {
    guard !work.knowsInfo, !work.machine.isLive else { return }
    func bytes(_ count: Int, at offset: Int64) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      let read = bytes.withUnsafeMutableBytes { store.read(into: $0, at: offset) }
      return Array(bytes[..<read])
    }
    let front = bytes(10, at: 0)
    guard front.count == 10 else { return }
    let tag = InfoFrame.tagLength(front)
    let frame = bytes(InfoFrame.length, at: tag)
    guard frame.count == InfoFrame.length else { return }
    work.knowsInfo = true
    guard let count = InfoFrame.byteCount(frame) else { return }
    carryOut(work.machine.handle(.expect(total: tag + count), at: clock.now, store: store), &work, &notes)
  }

  private func publish(_ machine: TransferMachine, _ joints: [Int64]) {
    state.withLock { state in
      state.snapshot = Snapshot(
        total: machine.total, isSeekable: machine.ranges == .working, isLive: machine.isLive,
        outcome: machine.outcome, joints: joints)
    }
  }

  /// Lets a transfer go on that was stopped because inputs waited.
  private func goOn(isPaused: Bool) {
    let transfer = state.withLock { state -> TransferID? in
      guard state.isFull else { return nil }
      state.isFull = false
      return state.transfer
    }
    if let transfer, !isPaused { transport.setPaused(false, transfer) }
  }

  private func carryOut(_ commands: [TransferCommand], _ work: inout Work, _ notes: inout [TransferNote]) {
    for command in commands {
      switch command {
      case .start(let request, let attempt):
        work.attempt = attempt
        work.isPaused = false
        state.withLock { $0.isFull = false }
        let transfer = transport.start(request, sink: AttemptSink(self, attempt))
        state.withLock { $0.transfer = transfer }
      case .cancel(let attempt):
        guard attempt == work.attempt, let transfer = takeTransfer() else { continue }
        transport.cancel(transfer)
      case .setPaused(let isPaused, let attempt):
        guard attempt == work.attempt, let transfer = state.withLock({ $0.transfer }) else { continue }
        work.isPaused = isPaused
        transport.setPaused(isPaused, transfer)
      case .store(let bytes, let offset):
        work.hasNews = true
        store.put(bytes, at: offset)
      case .forget: store.removeAll()
      case .note(let note):
        take(note, &work, &notes)
      }
    }
  }

  private func take(_ note: TransferNote, _ work: inout Work, _ notes: inout [TransferNote]) {
    notes.append(note)
    work.hasNews = true
    switch note {
    case .complete: store.isFinished = true
    case .live(let station):
      store.useMemory()
      work.saidMemory = true
      let enough = Int64(NetworkLimits.liveBuffer * Double(station?.bitRate ?? RemoteFetch.usualBitRate) / 8)
      let ahead = ReadAhead(enough: min(enough, NetworkLimits.memoryAhead), tooFew: enough * 3 / 4)
      carryOut(work.machine.handle(.readAhead(ahead), at: clock.now, store: store), &work, &notes)
    case .rejoined(let place):
      work.joints.append(place)
      // Those whose bytes are gone are no joints any more.
      let first = store.intervals.ranges.first?.lowerBound ?? place
      work.joints.removeAll { $0 < first && $0 != place }
    default: break
    }
  }

  private func takeTransfer() -> TransferID? {
    state.withLock { state in
      defer { state.transfer = nil }
      return state.transfer
    }
  }

  fileprivate func take(_ event: TransferEvent, attempt: Int) -> TransferDemand {
    let demand: TransferDemand = state.withLock { state in
      state.inputs.append(.event(event, attempt: attempt))
      if case .body(let bytes) = event { state.waitingBytes += bytes.count }
      guard state.waitingBytes >= Self.room else { return .more }
      state.isFull = true
      return .pause
    }
    signal()
    return demand
  }
}

/// Takes the events of one attempt.
private final class AttemptSink: TransferSink {
  private struct Owner {
    weak var fetch: RemoteFetch?
  }

  private let owner: Mutex<Owner>
  private let attempt: Int

  init(_ fetch: RemoteFetch, _ attempt: Int) {
    owner = Mutex(Owner(fetch: fetch))
    self.attempt = attempt
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    owner.withLock { $0.fetch }?.take(event, attempt: attempt) ?? .pause
  }
}
