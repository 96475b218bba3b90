import Glibc
import HostTime
import MusicFiles
import Synchronization

/// Writes lines to a descriptor, whole and in order, without waiting for a reader that has stalled.
///
/// A line that the descriptor takes is written at once by the caller, which costs no other thread a wake-up. What a pipe,
/// a socket or a terminal does not take waits in a backlog, and a thread of the writer's own writes it as soon as the
/// reader reads. A reader that is only slow is waited for when the backlog is full; one that has stalled loses the lines
/// for which there is no room.
final class LineWriter: Sendable {
  /// Bytes in the backlog at most: two minutes of events, of which there are a hundred a second of 80 bytes.
  static let backlogLimit = 1 << 20
  /// Seconds in which a reader has to take something, or it has stalled. A reading pipe frees 4 KiB at a time, so this is
  /// also the most that some fifty lines are held up.
  static let patience = 0.1
  /// Seconds for the whole backlog at the end, where the reader is slow and has not stalled. Less than what a hanging
  /// clean-up is given.
  static let endLimit = 2.0

  private let output: Output
  private let worker: (any Worker)?
  private let clock: SystemClock
  private let ownsDescriptor: Bool

  /// A writer to an open descriptor, which is closed at the end if `owned`. `onFailure` gets the error that prevents all
  /// further writing, at most once, on whatever thread it happens.
  init(descriptor: Int32, owned: Bool, onFailure: @escaping @Sendable (Int32) -> Void) {
    let clock = SystemClock.shared
    let output = Output(descriptor: descriptor, onFailure: onFailure)
    self.clock = clock
    self.output = output
    ownsDescriptor = owned
    worker = output.kind == .prompt ? nil : clock.makeWorker("continuo-lines") { output.writeBacklog() }
  }

  /// Waits for the reader as `finish` does.
  deinit {
    finish()
    worker?.cancel()
    if ownsDescriptor { close(output.descriptor) }
  }

  /// Writes `line`, which ends with a line feed. Any thread; lines are written in the order of the calls. Waits only while
  /// the backlog is full, at most `patience` seconds each time the reader stalls.
  func write(_ line: [UInt8]) {
    while true {
      switch output.take(line) {
      case .done: return
      case .waits:
        worker?.signal()
        return
      case .full(let mark):
        if !output.waitForReader(since: mark, until: clock.now.advanced(bySeconds: Self.patience)) {
          output.noteStall(since: mark)
        }
      }
    }
  }

  /// Writes what takes the place of what was drawn before, as a status line does: `change` makes it of the last drawing.
  /// A reader that is behind gets only the newest, as a whole. One thread at a time; never waits.
  func draw(_ whole: @autoclosure () -> [UInt8], change: [UInt8]) {
    if !output.keep(whole) { write(change) }
  }

  /// Waits until every line is written, as long as the reader takes something within `patience` seconds and for at most
  /// `endLimit`. Returns the number of lines that were lost until now, those that still wait included.
  @discardableResult
  func finish() -> Int {
    let end = clock.now.advanced(bySeconds: Self.endLimit)
    while let mark = output.backlogMark,
      output.waitForReader(since: mark, until: min(end, clock.now.advanced(bySeconds: Self.patience)))
    {}
    return output.lostLines
  }
}

/// The descriptor and what waits for it. The worker holds it too, so that a writer may go while the worker runs.
private final class Output: Sendable {
  enum Kind {
    /// A file or a device: takes everything promptly.
    case prompt
    /// Takes 4 KiB without blocking when it says that it is ready.
    case pipe
    /// May block even when it says that it is ready.
    case other
  }

  enum Taken {
    case done
    /// The line is in the backlog.
    case waits
    /// There was no room when so many bytes had been written.
    case full(mark: UInt64)
  }

  private struct State {
    var backlog: [UInt8] = []
    /// What follows the backlog unless something newer takes its place. Empty without a backlog.
    var drawing: [UInt8] = []
    /// Bytes that the worker has written, ever.
    var written: UInt64 = 0
    var lost = 0
    var hasFailed = false
    /// The reader has taken nothing for too long, and nothing since.
    var isStalled = false
    /// Threads that wait for the reader.
    var waiters = 0
  }

  /// What a pipe that is ready takes as one piece, in bytes (PIPE_BUF).
  private static let pieceSize = 4096
  private static let pollMilliseconds: Int32 = 100

  let descriptor: Int32
  let kind: Kind
  private let onFailure: @Sendable (Int32) -> Void
  private let state = Mutex(State())
  private let progress = Semaphore()

  init(descriptor: Int32, onFailure: @escaping @Sendable (Int32) -> Void) {
    self.descriptor = descriptor
    self.onFailure = onFailure
    kind = Self.kind(of: descriptor)
  }

  private static func kind(of descriptor: Int32) -> Kind {
    var status = stat()
    // What is not open fails promptly.
    guard fstat(descriptor, &status) == 0 else { return .prompt }
    switch status.st_mode & S_IFMT {
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .other
    default: return isatty(descriptor) == 1 ? .other : .prompt
    }
  }

  /// Writes the line, or keeps it for the worker.
  func take(_ line: [UInt8]) -> Taken {
    var failure: Int32?
    let taken: Taken = state.withLock { state in
      if state.hasFailed { return .done }
      var rest = line[...]
      if state.backlog.isEmpty {
        failure = writeAtOnce(&rest)
        state.hasFailed = failure != nil
        if failure != nil || rest.isEmpty { return .done }
      }
      // A line always has room in an empty backlog.
      if !state.backlog.isEmpty, state.backlog.count + rest.count > LineWriter.backlogLimit {
        guard state.isStalled else { return .full(mark: state.written) }
        state.lost += 1
        return .done
      }
      state.backlog += state.drawing + rest
      state.drawing = []
      return .waits
    }
    if let failure { onFailure(failure) }
    return taken
  }

  /// Keeps a drawing, in place of the last one, for when the backlog is written; false if there is no backlog.
  func keep(_ drawing: () -> [UInt8]) -> Bool {
    state.withLock { state in
      if state.backlog.isEmpty { return false }
      state.drawing = drawing()
      return true
    }
  }

  /// Writes what can be written without waiting for a reader; nil, or the error. What is left is in `rest`.
  private func writeAtOnce(_ rest: inout ArraySlice<UInt8>) -> Int32? {
    switch kind {
    case .prompt:
      let error = WholeWrite.write(Array(rest), to: descriptor)
      rest = []
      return error
    case .pipe:
      guard rest.count <= Self.pieceSize, isReady(milliseconds: 0) else { return nil }
      return write(&rest)
    case .other: return nil
    }
  }

  /// Writes once; nil, or the error.
  private func write(_ rest: inout ArraySlice<UInt8>) -> Int32? {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
      return nil
    }
    // EAGAIN: somebody else has made the pipe non-blocking, and filled it just now.
    return errno == EAGAIN || errno == EINTR ? nil : errno
  }

  private func isReady(milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wait, 1, milliseconds) > 0
  }

  /// Writes the first lines of the backlog. Worker's thread.
  func writeBacklog() -> WorkerNext {
    guard backlogMark != nil else { return .whenSignalled }
    // With a limit, so that the worker can be cancelled.
    guard isReady(milliseconds: Self.pollMilliseconds) else { return .again }
    let piece = state.withLock { state in
      let piece = state.backlog.prefix(Self.pieceSize)
      // Whole lines: the process may end behind each piece.
      let end = piece.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
      return Array(piece[..<(end ?? piece.endIndex)])
    }
    var rest = piece[...]
    let failure = write(&rest)
    let waiters = state.withLock { state in
      let count = piece.count - rest.count
      state.backlog.removeFirst(count)
      state.written += UInt64(count)
      if state.backlog.isEmpty { swap(&state.backlog, &state.drawing) }
      if count > 0 { state.isStalled = false }
      if failure != nil {
        state.hasFailed = true
        state.backlog = []
      }
      defer { state.waiters = 0 }
      return state.waiters
    }
    for _ in 0..<waiters { progress.post() }
    if let failure { onFailure(failure) }
    return .again
  }

  /// How many bytes the worker has written; nil if nothing is left to write.
  var backlogMark: UInt64? { state.withLock { $0.backlog.isEmpty ? nil : $0.written } }

  /// Lines that had no room, or still wait.
  var lostLines: Int {
    state.withLock { state in state.lost + state.backlog.count { $0 == UInt8(ascii: "\n") } }
  }

  /// Waits until more than `mark` bytes are written or nothing is left to write; false if the time was over before.
  func waitForReader(since mark: UInt64, until deadline: HostTime) -> Bool {
    var hasTime = true
    while true {
      let isDone = state.withLock { state in
        if state.written != mark || state.backlog.isEmpty { return true }
        state.waiters += 1
        return false
      }
      // A waiter that leaves may be counted once more than it waits: that ends another's wait early, who looks again.
      if isDone || !hasTime { return isDone }
      hasTime = progress.wait(until: deadline)
    }
  }

  /// Loses lines from now on, until the reader has taken more than `mark` bytes.
  func noteStall(since mark: UInt64) {
    state.withLock { $0.isStalled = $0.written == mark }
  }
}
