import Glibc
import HostTime
import MusicFiles
import Synchronization
import SystemSupport

/// Writes whole lines to a descriptor, in order, without waiting for a stalled reader.
///
/// The caller writes a line at once if the descriptor takes it, which wakes no other thread. A line that a
/// pipe, a socket or a terminal does not take waits in a backlog, which the writer's own thread writes when
/// the reader reads. If the backlog is full, callers wait for a slow reader. A stalled reader loses the lines
/// that find no room.
final class LineWriter: Sendable {
  /// The maximum size of the backlog, in bytes: two minutes of events, at a hundred per second and 80 bytes
  /// each.
  static let backlogLimit = 1 << 20
  /// The time in seconds in which a reader must take something, or it counts as stalled. A reading pipe frees
  /// 4 KiB at a time, so some fifty lines are delayed by at most this time.
  static let patience = 0.1
  /// The time limit for the whole backlog at the end, in seconds, if the reader is slow but not stalled. It
  /// is less than a hanging clean-up gets.
  static let endLimit = 2.0

  private let output: Output
  private let worker: (any Worker)?
  private let clock: SystemClock
  private let ownsDescriptor: Bool

  /// Creates a writer to an open descriptor, which is closed at the end if `owned`. `onFailure` receives the
  /// `errno` that prevents all further writes: at most once, on any thread.
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

  /// Writes `line`, which ends with a line feed. Any thread; lines are written in the order of the calls.
  /// Waits only while the backlog is full, for at most `patience` seconds each time the reader stalls.
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

  /// Writes a drawing that replaces the last one, as a status line does. `change` turns the last drawing into
  /// the new one. A slow reader gets only the newest drawing, as a whole. One thread at a time; never waits.
  func draw(_ whole: @autoclosure () -> [UInt8], change: [UInt8]) {
    if !output.keep(whole) { write(change) }
  }

  /// Waits until every line is written, for at most `endLimit` seconds. Gives up earlier if the reader takes
  /// nothing within `patience` seconds. Returns the number of lines that were lost so far, including those
  /// that still wait.
  @discardableResult
  func finish() -> Int {
    let end = clock.now.advanced(bySeconds: Self.endLimit)
    while let mark = output.backlogMark,
      output.waitForReader(since: mark, until: min(end, clock.now.advanced(bySeconds: Self.patience)))
    {}
    return output.lostLines
  }
}

/// The descriptor with its backlog. The worker shares it, so that a writer may be destroyed while the worker
/// runs.
private final class Output: Sendable {
  enum Kind {
    /// A file or a device, which takes everything promptly.
    case prompt
    /// A pipe, which takes 4 KiB without blocking when it is ready.
    case pipe
    /// A socket or a terminal, which may block even when it is ready.
    case other
  }

  enum Taken {
    case done
    /// The line is in the backlog.
    case waits
    /// The backlog was full after `mark` bytes had been written.
    case full(mark: UInt64)
  }

  private struct State {
    var backlog: [UInt8] = []
    /// The drawing that follows the backlog, unless a newer one replaces it. Empty without a backlog.
    var drawing: [UInt8] = []
    /// The total number of bytes that the worker has written.
    var written: UInt64 = 0
    var lost = 0
    var hasFailed = false
    /// Whether the reader has stalled and has taken nothing since.
    var isStalled = false
    /// The number of threads that wait for the reader.
    var waiters = 0
  }

  /// The number of bytes that a ready pipe takes as one piece (PIPE_BUF).
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
    // A write to a closed descriptor fails promptly.
    guard fstat(descriptor, &status) == 0 else { return .prompt }
    switch status.st_mode & S_IFMT {
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .other
    default: return isatty(descriptor) == 1 ? .other : .prompt
    }
  }

  /// Writes the line, or adds it to the backlog.
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
      // An empty backlog takes a line of any length.
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

  /// Keeps a drawing to follow the backlog, in place of the last one. Returns false without a backlog.
  func keep(_ drawing: () -> [UInt8]) -> Bool {
    state.withLock { state in
      if state.backlog.isEmpty { return false }
      state.drawing = drawing()
      return true
    }
  }

  /// Writes as much as possible without waiting for a reader. Returns nil or the error; `rest` is the
  /// remainder.
  private func writeAtOnce(_ rest: inout ArraySlice<UInt8>) -> Int32? {
    switch kind {
    case .prompt:
      let error = WholeTransfer.write(Array(rest), to: descriptor)
      rest = []
      return error
    case .pipe:
      guard rest.count <= Self.pieceSize, isReady(milliseconds: 0) else { return nil }
      return write(&rest)
    case .other: return nil
    }
  }

  /// Writes once. Returns nil or the error.
  private func write(_ rest: inout ArraySlice<UInt8>) -> Int32? {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
      return nil
    }
    // EAGAIN: another process has made the pipe non-blocking, and it is full since just now.
    return errno == EAGAIN || errno == EINTR ? nil : errno
  }

  private func isReady(milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wait, 1, milliseconds) > 0
  }

  /// Writes the first lines of the backlog, on the worker's thread.
  func writeBacklog() -> WorkerNext {
    guard backlogMark != nil else { return .whenSignalled }
    // The timeout lets the worker be cancelled.
    guard isReady(milliseconds: Self.pollMilliseconds) else { return .again }
    let piece = state.withLock { state in
      let piece = state.backlog.prefix(Self.pieceSize)
      // Takes whole lines, because the process may end after each piece.
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

  /// The number of bytes that the worker has written; nil if the backlog is empty.
  var backlogMark: UInt64? { state.withLock { $0.backlog.isEmpty ? nil : $0.written } }

  /// The number of lines that had no room or still wait.
  var lostLines: Int {
    state.withLock { state in state.lost + state.backlog.count { $0 == UInt8(ascii: "\n") } }
  }

  /// Waits until more than `mark` bytes are written or the backlog is empty. Returns false at the deadline.
  func waitForReader(since mark: UInt64, until deadline: HostTime) -> Bool {
    var hasTime = true
    while true {
      let isDone = state.withLock { state in
        if state.written != mark || state.backlog.isEmpty { return true }
        state.waiters += 1
        return false
      }
      // A waiter that leaves may still be counted. The extra post ends another waiter's wait early, which
      // then checks again.
      if isDone || !hasTime { return isDone }
      hasTime = progress.wait(until: deadline)
    }
  }

  /// Drops lines that have no room, until the reader has taken more than `mark` bytes.
  func noteStall(since mark: UInt64) {
    state.withLock { $0.isStalled = $0.written == mark }
  }
}
