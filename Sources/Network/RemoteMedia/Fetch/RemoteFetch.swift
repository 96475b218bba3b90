package import AudioCore
package import Clocks
package import MP3Decoding
import NetworkPlaylists
import SoundFileDecoding
import Synchronization
package import Transfer

/// The dependencies that media from the network share.
package struct RemoteEnvironment: Sendable {
  package var transport: any HTTPTransport
  package var clock: any HostClock
  package var cache: MediaCache
  package var times = TransferTimes()
  /// Returns a random seed, a new one for each fetch.
  package var makeSeed: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
  /// Opens bytes as audio. With a stream as the last argument, the bytes are a part of a live stream; with
  /// nil, a whole medium.
  package var makeOpening: @Sendable (any ByteSource, OpeningOptions, MP3Opening.Stream?) -> MediaOpening = {
    MediaOpening(audioIn: $0, options: $1, stream: $2)
  }

  package init(transport: any HTTPTransport, clock: any HostClock, cache: MediaCache) {
    self.transport = transport
    self.clock = clock
    self.cache = cache
  }
}

/// Fetches one version of a medium on a worker of its own: carries out a `TransferMachine`'s commands and
/// stores the bytes. Thread-safe; never blocks on the network. Releasing the object ends the fetch.
package final class RemoteFetch: Sendable {
  struct Snapshot {
    var total: Int64?
    var isSeekable = false
    var isLive = false
    /// Whether the medium has been classified as a live stream or a file.
    var knowsKind = false
    var station: ICYStation?
    /// Whether the newest connection may bring metadata.
    var wantsMetadata = true
    /// The head of the last successful response, its URL and the address of the server.
    var response: (head: ResponseHead, url: WebURL, address: PeerAddress?)?
    /// Whether the server declares the medium to be a web page.
    var isPage = false
    var outcome: TransferMachine.Outcome?
    /// The offsets at which a live stream's stored connections start, except for the first one, in order. No
    /// frame crosses such an offset.
    var joints: [Int64] = []
    var isFull = false
    var throughput = Throughput()
    /// The offset of the next byte of a live stream.
    var end: Int64 = 0
    var place: Int64 = 0
    /// The number of times that all stored bytes of the live stream were discarded.
    var forgets = 0
    /// Metadata of a live stream with the offset of the byte to which they belong, in order.
    var metadata: [(offset: Int64, value: ICYMetadata)] = []
  }

  private struct State {
    var snapshot = Snapshot()
    var callbacks: [ObjectIdentifier: @Sendable () -> Void] = [:]
    /// The readers that wait for bytes.
    var waiting: Set<ObjectIdentifier> = []
    /// Whether each reader of the live stream is paused.
    var holds: [ObjectIdentifier: Bool] = [:]
    /// Whether all readers are paused, so that the live stream is not read.
    var isHeld: Bool { !holds.isEmpty && holds.values.allSatisfy { $0 } }
  }

  private struct Work: ~Copyable {
    var machine: TransferMachine
    var saidMemory = false
    /// Whether an event has arrived for which readers may wait. Without such an event, readers are not
    /// called.
    var hasNews = false
    var knowsInfo = false
    var isAnswered = false
    /// The read-ahead that readers request, and the maximum that fits into the store.
    var wished = ReadAhead.disk
    var most = ReadAhead.disk
    var throughput = Throughput()
    /// Whether the response has neither a length nor a version. If the medium has no Info frame either, it
    /// may be a live stream.
    var isOpenEnded = false
    /// The published state, as far as `machine` does not provide it.
    var told = Snapshot()
    var progress = ProgressMeter()
  }

  /// The assumed bit rate of a live stream without `icy-br`, in bits per second.
  private static let usualBitRate = 128_000
  /// The number of bytes after the tag that are enough to read the byte count in an Info frame.
  private static let infoLength = 256
  /// The maximum number of metadata entries kept: more than the MPEG frames in half a minute of audio.
  private static let metadataLimit = 2_048

  package let store: MediaStore
  private let runner: TransferRunner
  private let clock: any HostClock
  private let onNote: @Sendable (TransferNote) -> Void
  private let state = Mutex(State())
  private let work: WorkerState<Work>

  /// Creates a fetch of the medium at `url`. It starts immediately if `begins` is true, otherwise with
  /// `begin`. `onNote` is called on the worker with each event, in order, and must return quickly.
  init(
    _ url: WebURL, settings: RequestSettings, environment: RemoteEnvironment, begins: Bool = true,
    onNote: @escaping @Sendable (TransferNote) -> Void = { _ in }
  ) {
    store = MediaStore(cache: environment.cache)
    runner = TransferRunner(transport: environment.transport)
    clock = environment.clock
    self.onNote = onNote
    work = WorkerState(
      Work(
        machine: TransferMachine(
          url: url, settings: settings, times: environment.times, seed: environment.makeSeed(), now: clock.now
        )))
    if begins { begin() }
  }

  /// Starts the fetch. To be called once.
  func begin() { runner.begin("continuo-fetch", on: clock) { [weak self] in self?.step() ?? .whenSignalled } }

  deinit { runner.end() }

  package func tell(_ input: TransferInput) { runner.tell(input) }

  package var outcome: TransferMachine.Outcome? { snapshot.outcome }
  package var isLive: Bool { snapshot.isLive }

  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// Returns the newest metadata of a live stream for the byte at `offset` or an earlier one; nil if none
  /// exist.
  func metadata(upTo offset: Int64) -> (offset: Int64, value: ICYMetadata)? {
    state.withLock { $0.snapshot.metadata.last { $0.offset <= offset } }
  }

  func setCallback(of reader: ObjectIdentifier, _ callback: (@Sendable () -> Void)?) {
    let last = state.withLock { state in
      defer { state.callbacks[reader] = callback }
      if callback == nil { state.waiting.remove(reader) }
      return state.callbacks[reader]
    }
    withExtendedLifetime(last) {}
  }

  /// Registers the reader for a call of its callback at the next change. After this call the reader must check
  /// for changes that came before it.
  func wait(_ reader: ObjectIdentifier) { state.withLock { _ = $0.waiting.insert(reader) } }

  /// Records whether a reader of the live stream is paused; nil for a reader that leaves. The stream is paused
  /// while all its readers are.
  func setHeld(_ isHeld: Bool?, by reader: ObjectIdentifier) {
    state.withLock { $0.holds[reader] = isHeld }
    tell(.time)
  }

  private func step() -> WorkerNext {
    var inputs = runner.takeInputs()
    let isHeld = state.withLock { $0.isHeld }
    var notes: [TransferNote] = []
    let (wake, hasNews) = work.use { work in
      work.hasNews = false
      if isHeld != work.machine.isHeld { inputs.append(.hold(isHeld)) }
      work.progress.take(inputs, at: clock.now)
      for input in inputs {
        if case .read(let place) = input { store.setPlace(place) }
        if case .event(.head, _) = input { work.isAnswered = true }
        if case .readAhead(let wish) = input {
          work.wished = wish
          setReadAhead(&work, &notes)
          continue
        }
        carryOut(work.machine.handle(input, at: clock.now, store: store), &work, &notes)
        // Look after each input, because the next input may end the connection.
        lookForInfo(&work, &notes)
      }
      carryOut(work.machine.handle(.time, at: clock.now, store: store), &work, &notes)
      if store.isInMemory, !work.saidMemory, !work.machine.isLive {
        work.saidMemory = true
        notes.append(.keptInMemory)
        work.most = .memory
        setReadAhead(&work, &notes)
      }
      // A live stream has no progress to report.
      if !work.machine.isLive, work.machine.outcome == nil, work.progress.isDue(at: clock.now) {
        notes.append(progress(&work))
      }
      publish(&work)
      runner.goOn()
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

  /// Examines the beginning of the medium once. If the medium itself states a length, passes it to the
  /// machine, before a reader reaches the announced end. Otherwise, may treat the medium as a live stream.
  private func lookForInfo(_ work: inout Work, _ notes: inout [TransferNote]) {
    guard !work.knowsInfo, !work.machine.isLive else { return }
    let front = store.bytes(12)
    guard front.count == 12 else { return }
    let tag = Recognition.tagLength(front) ?? 0
    let beginning = store.bytes(Self.infoLength, at: tag)
    guard beginning.count == Self.infoLength else { return }
    work.knowsInfo = true
    let info = XingFrame(beginning: beginning)
    if work.isOpenEnded, work.machine.total == nil, info == nil,
      SoundFileKind(front) == nil, !isPlaylist(store.bytes(1_024), work)
    {
      return carryOut(work.machine.handle(.treatAsLive, at: clock.now, store: store), &work, &notes)
    }
    guard let count = info?.byteCount else { return }
    carryOut(work.machine.handle(.expect(total: tag + count), at: clock.now, store: store), &work, &notes)
  }

  private func isPlaylist(_ beginning: [UInt8], _ work: borrowing Work) -> Bool {
    guard let response = work.told.response else { return false }
    return NetworkPlaylist.kind(
      contentType: response.head.fields["Content-Type"], url: response.url, beginning: beginning) != nil
  }

  /// Sets the read-ahead to the readers' wish, limited by the available space.
  private func setReadAhead(_ work: inout Work, _ notes: inout [TransferNote]) {
    let readAhead = work.wished.enough < work.most.enough ? work.wished : work.most
    carryOut(work.machine.handle(.readAhead(readAhead), at: clock.now, store: store), &work, &notes)
  }

  private func publish(_ work: inout Work) {
    let machine = work.machine
    let isWanted = work.isAnswered && !machine.isFull && !machine.isHeld && machine.outcome == nil
    work.throughput.setWanted(isWanted, at: clock.now)
    var snapshot = work.told
    snapshot.total = machine.total
    snapshot.place = machine.readingPlace
    snapshot.isSeekable = machine.ranges == .working
    snapshot.isLive = machine.isLive
    snapshot.wantsMetadata = machine.wantsMetadata
    snapshot.outcome = machine.outcome
    snapshot.isFull = machine.isFull
    snapshot.throughput = work.throughput
    snapshot.knowsKind =
      snapshot.knowsKind && !work.isOpenEnded || work.knowsInfo || machine.isLive || machine.total != nil
      || machine.outcome != nil
    state.withLock { $0.snapshot = snapshot }
  }

  /// Returns the supply of bytes stored from `offset` on, up to `limit` if set. Thread-safe.
  func supply(from offset: Int64, upTo limit: Int64?) -> ByteSupply {
    let snapshot = snapshot
    let end = store.end(from: offset)
    let isAtEnd = snapshot.outcome != nil || snapshot.total.map { end >= $0 } ?? false
    return ByteSupply(
      byteCount: max(0, min(end, limit ?? .max) - offset),
      isComplete: isAtEnd || limit.map { end >= $0 } ?? false,
      bytesPerSecond: snapshot.throughput.bytesPerSecond(at: clock.now), isFull: snapshot.isFull)
  }

  private func carryOut(_ commands: [TransferCommand], _ work: inout Work, _ notes: inout [TransferNote]) {
    for command in commands where !runner.carryOut(command) {
      switch command {
      case .start, .cancel, .setPaused: break
      case .store(let bytes, let offset):
        work.hasNews = true
        work.throughput.add(bytes.count, at: clock.now)
        store.put(bytes, at: offset)
        if work.machine.isLive { work.told.end = offset + Int64(bytes.count) }
      case .forget:
        work.hasNews = true
        store.removeAll()
        // The next bytes continue none of the discarded ones.
        work.told.joints = [work.told.end]
        work.told.metadata = []
        work.told.forgets += 1
      case .note(let note): take(note, &work, &notes)
      }
    }
  }

  private func progress(_ work: inout Work) -> TransferNote {
    .progress(work.progress.tell(stored: store.intervals.count, total: work.machine.total, at: clock.now))
  }

  private func take(_ note: TransferNote, _ work: inout Work, _ notes: inout [TransferNote]) {
    switch note {
    case .complete, .changed, .failed: if work.progress.hasNews { notes.append(progress(&work)) }
    default: break
    }
    notes.append(note)
    work.hasNews = true
    switch note {
    case .complete: store.isFinished = true
    case .response(let head, let url, let address, _):
      guard (200..<300).contains(head.status) else { return }
      work.told.response = (head, url, address)
      work.told.knowsKind = true
      work.told.isPage = head.fields["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
      // A live stream has no version, unlike a file whose length the server does not know.
      work.isOpenEnded =
        head.status == 200 && head.contentLength == nil && !head.isEncoded && head.fields["ETag"] == nil
        && head.fields["Last-Modified"] == nil
    case .live(let station):
      work.told.station = station
      work.told.end = store.intervals.ranges.last?.upperBound ?? 0
      store.useMemory()
      work.saidMemory = true
      let enough = Int64(NetworkLimits.liveBuffer * Double(station?.bitRate ?? RemoteFetch.usualBitRate) / 8)
      work.most = ReadAhead(enough: min(enough, NetworkLimits.memoryAhead), tooFew: enough * 3 / 4)
      setReadAhead(&work, &notes)
    case .rejoined(let place):
      // Remove the starts of connections that have no stored bytes.
      let first = store.intervals.ranges.first?.lowerBound ?? place
      work.told.joints.removeAll { $0 < first || $0 == place }
      work.told.joints.append(place)
      // Publish before the first byte after the joint is stored, because no reader must see that byte without
      // the joint.
      publish(&work)
    case .metadata(let value, let place):
      work.told.metadata.append((place, value))
      if work.told.metadata.count > Self.metadataLimit { work.told.metadata.removeFirst() }
      // Publish before the byte to which the metadata belong is stored, because no reader must see that byte
      // without the metadata.
      publish(&work)
    default: break
    }
  }
}
