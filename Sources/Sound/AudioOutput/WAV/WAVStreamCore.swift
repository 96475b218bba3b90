import AudioCore
import Clocks
import Synchronization

final class WAVStreamCore: OrderedStreamCore {
  private struct Board {
    var isOver = false
    var orders: [StreamOrder] = []
    var heardFrames: Int64 = 0
    var renderedFrames: Int64 = 0
  }

  /// The worker's private state, in a `WorkerState` because Swift cannot prove exclusive access.
  private struct Work {
    var isOpen = false
    var isStarted = false
    /// Whether the last render returned fewer frames than requested, without new data or a flush since.
    var isDry = false
    /// Whether the last render returned fewer frames than requested because the source was at its end.
    var isAtEnd = false
    var gain: Float = 1
    var block: WAVBlock
    var openingLimit: HostTime
  }

  /// The timeout for a pipe's reader and the interval between attempts, in seconds.
  private static let readerLimit = 10.0
  private static let readerInterval = 0.05
  /// The retry interval for a full pipe in seconds. A pipe holds 64 KiB, so up to 32 MB/s are still possible.
  private static let pipeInterval = 0.002

  private let device: WAVOutput
  private let clock: any HostClock
  private let format: PCMFormat
  private let source: any RenderSource
  private let events: @Sendable (OutputEvent) -> Void
  private let board = Mutex(Board())
  private let work: WorkerState<Work>

  init(
    device: WAVOutput, clock: any HostClock, format: PCMFormat, source: any RenderSource,
    events: @escaping @Sendable (OutputEvent) -> Void
  ) {
    self.device = device
    self.clock = clock
    self.format = format
    self.source = source
    self.events = events
    work = WorkerState(
      Work(
        block: WAVBlock(format: format), openingLimit: clock.now.advanced(bySeconds: Self.readerLimit)))
  }

  // MARK: - Any thread

  func accept(_ order: StreamOrder) -> Bool {
    board.withLock { board in
      if !board.isOver { board.orders.append(order) }
      return !board.isOver
    }
  }

  func timing() -> OutputTiming {
    let now = clock.now
    return board.withLock { board in
      OutputTiming(
        heardFrame: Double(board.heardFrames), hostTime: now, frameRate: 0,
        renderedFrames: board.renderedFrames)
    }
  }

  func close() {
    board.withLock { board in
      board.isOver = true
      board.orders = []
    }
  }

  /// Updates the header after the last write. An error is ignored, because the samples are already written.
  func finish() { try? device.withFile { file throws(OutputError) in try file.settle() } }

  // MARK: - Worker

  /// The worker's body. Runs one step and returns the time of the next, so that in virtual time other workers run
  /// between two blocks.
  func run() -> WorkerNext {
    work.use { work in
      do throws(OutputError) {
        guard !board.withLock({ $0.isOver }) else { return .whenSignalled }
        if !work.isOpen, !(try open(&work)) { return .at(clock.now.advanced(bySeconds: Self.readerInterval)) }
        while let order = board.withLock({ $0.orders.isEmpty ? nil : $0.orders.removeFirst() }) {
          execute(order, &work)
        }
        guard work.isStarted else { return .whenSignalled }
        // At the end an empty block is written too, because that completes the header.
        if work.block.isFull || (work.isDry && work.isAtEnd) || work.block.isTorn {
          guard try write(&work) else { return .at(clock.now.advanced(bySeconds: Self.pipeInterval)) }
        }
        if work.isDry { return .whenSignalled }
        render(&work)
        return .again
      } catch {
        fail(error)
        return .whenSignalled
      }
    }
  }

  private func open(_ work: inout Work) throws(OutputError) -> Bool {
    guard try device.withFile({ file throws(OutputError) in try file.open(for: format) }) else {
      if clock.now < work.openingLimit { return false }
      throw OutputError("nobody reads the pipe \(device.path)", isRecoverable: false)
    }
    work.isOpen = true
    events(.opened(route: device.path))
    return true
  }

  private func execute(_ order: StreamOrder, _ work: inout Work) {
    switch order {
    case .start: work.isStarted = true
    case .stop: work.isStarted = false
    case .volume(let volume, let muted): work.gain = muted ? 0 : min(1, max(0, volume))
    case .data: work.isDry = false
    case .replace: break
    case .flush(let completion):
      let dropped = work.block.drop()
      work.isDry = false
      let (first, jumped) = board.withLock { board in
        let jumped = board.heardFrames != board.renderedFrames
        board.heardFrames = board.renderedFrames
        return (board.renderedFrames - Int64(dropped), jumped)
      }
      completion(first)
      if jumped { events(.timingChanged) }
    }
  }

  private func render(_ work: inout Work) {
    let first = board.withLock { $0.renderedFrames }
    let room = work.block.roomFrames
    let frames = work.block.fill(gain: work.gain) { source.render(into: $0, firstFrame: first) }
    board.withLock { $0.renderedFrames += Int64(frames) }
    work.isDry = frames < room
    work.isAtEnd = work.isDry && source.isAtEnd
  }

  /// Writes the block. Returns false if a pipe is full.
  private func write(_ work: inout Work) throws(OutputError) -> Bool {
    var failure: OutputError?
    do throws(OutputError) {
      try device.withFile { file throws(OutputError) in
        try work.block.write(to: &file)
        if work.isDry && work.isAtEnd && work.block.isEmpty { try file.settle() }
      }
    } catch {
      failure = error
    }
    let left = Int64(work.block.frames)
    let moved = board.withLock { board in
      let heard = max(board.heardFrames, board.renderedFrames - left)
      defer { board.heardFrames = heard }
      return heard != board.heardFrames
    }
    if let failure { throw failure }
    if moved { events(.timingChanged) }
    return work.block.isEmpty
  }

  private func fail(_ error: OutputError) {
    close()
    finish()
    events(.failed(error, heardFrame: board.withLock { $0.heardFrames }))
  }
}
