import Dispatch
import Glibc
import Synchronization

/// Writes lines to a descriptor, in order, without waiting long for a stalled reader.
///
/// If no line is pending, the caller itself writes to a file, and up to 4 KiB to a ready pipe; this wakes no other
/// thread. Otherwise the line waits in a backlog, which a thread of the writer's queue writes
/// when the reader reads. If the backlog is full, callers wait for a slow reader; a stalled reader loses the lines
/// that find no room. The writer exists until its backlog is written.
final class LineWriter: Sendable {
  /// The maximum size of the backlog, in bytes, unless a single line is longer: two minutes of events, at 100
  /// per second and 80 bytes each.
  static let backlogLimit = 1 << 20
  /// The time in seconds in which a reader must take something, or it counts as stalled.
  static let patience = 0.1
  /// The time limit for the whole backlog at the end, in seconds, if the reader is slow but not stalled.
  static let endLimit = 2.0
  /// The number of bytes that a ready pipe takes as one piece (PIPE_BUF).
  private static let pieceSize = 4096

  private struct State {
    var backlog: [UInt8] = []
    /// The drawing that follows the backlog, unless a newer one replaces it.
    var drawing: [UInt8] = []
    var lost = 0
    var hasFailed = false
    /// Whether lines wait for the reader, or are being written by `drain`.
    var isDraining = false
    /// Whether the reader has stalled and has taken nothing since.
    var isStalled = false
    /// A semaphore for each thread that waits for the reader.
    var waiters: [DispatchSemaphore] = []
  }

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// The maximum length, in bytes, of a line that a ready descriptor takes without blocking; 0 for a socket or a
  /// terminal.
  private let lengthAtOnce: Int
  /// Whether the descriptor is a file's, which is always ready.
  private let isFile: Bool
  private let outlivesFullDisk: Bool
  private let patience: Double
  private let onFailure: @Sendable (Int32) -> Void
  private let queue = DispatchQueue(label: "continuo-lines")
  private let state = Mutex(State())

  /// Creates a writer to an open descriptor, which is closed with the writer if `owned`. `patience`
  /// is in seconds. With `outlivesFullDisk`, a file on a full disk loses only the lines that find no room, as
  /// if its reader had stalled. `onFailure` receives the `errno` that prevents all further writes: at most once, on any
  /// thread.
  init(
    descriptor: Int32, owned: Bool, outlivesFullDisk: Bool = false, patience: Double = patience,
    onFailure: @escaping @Sendable (Int32) -> Void
  ) {
    self.descriptor = descriptor
    ownsDescriptor = owned
    self.outlivesFullDisk = outlivesFullDisk
    self.patience = patience
    self.onFailure = onFailure
    var status = stat()
    // A write to a closed descriptor fails without blocking.
    let type = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
    let mayBlock = type == S_IFSOCK || isatty(descriptor) == 1
    isFile = type == S_IFREG
    lengthAtOnce = mayBlock ? 0 : type == S_IFIFO ? Self.pieceSize : .max
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Writes `line`, which ends with a line feed unless it is a drawing. Any thread; lines are written in the
  /// order of the calls. Blocks on a file's disk. While the backlog is full, waits as long as the reader
  /// takes something every `patience` seconds.
  func write(_ line: [UInt8]) { while !add(line) { waitForReader(until: .now() + patience) } }

  /// Writes a drawing that replaces the last one, as a status line does. `change` turns the last drawing into
  /// the new one. A slow reader gets only the newest drawing, as a whole. One thread at a time; does not wait
  /// for the reader.
  func draw(_ whole: @autoclosure () -> [UInt8], change: [UInt8]) {
    let isKept = state.withLock { state in
      if state.isDraining { state.drawing = whole() }
      return state.isDraining
    }
    if !isKept { write(change) }
  }

  /// Waits until every line is written, at most until `deadline` or for `patience` seconds, whichever ends later. Gives up
  /// earlier if the reader takes nothing within `patience` seconds. The remaining lines are lost. Returns the number of
  /// lines that a stalled or slow reader, or a full disk, has lost so far.
  @discardableResult
  func finish(until deadline: DispatchTime = .now() + endLimit) -> Int {
    let end = max(deadline, .now() + patience)
    while waitForReader(until: min(end, .now() + patience)) {}
    return state.withLock { state in
      state.lost += state.backlog.count { $0 == UInt8(ascii: "\n") }
      state.backlog = []
      state.drawing = []
      return state.lost
    }
  }

  /// Writes the line or adds it to the backlog. Drops it after a failure, and if the reader has stalled and
  /// the backlog is full. Returns false if the backlog is full and the reader has not stalled.
  private func add(_ line: [UInt8]) -> Bool {
    var failure: Int32?
    var beginsDraining = false
    let isTaken = state.withLock { state -> Bool in
      if state.hasFailed { return true }
      var rest = line[...]
      if !state.isDraining {
        if rest.count <= lengthAtOnce, isFile || isReady(milliseconds: 0) { failure = write(&rest) }
        if let error = failure { failure = drop(&rest, &state, after: error) }
        if failure != nil || rest.isEmpty { return true }
      }
      // An empty backlog takes a line of any length.
      if !state.backlog.isEmpty, state.backlog.count + rest.count > Self.backlogLimit {
        if state.isStalled { state.lost += 1 }
        return state.isStalled
      }
      state.backlog += state.drawing + rest
      state.drawing = []
      beginsDraining = !state.isDraining
      state.isDraining = true
      return true
    }
    if let failure { onFailure(failure) }
    if beginsDraining { queue.async { self.drain() } }
    return isTaken
  }

  /// Writes once. Returns nil or the error; `rest` is the remainder.
  private func write(_ rest: inout ArraySlice<UInt8>) -> Int32? {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { rest = rest.dropFirst(count) }
    // EAGAIN: another process has made the pipe non-blocking, and the pipe has just become full.
    return count >= 0 || errno == EAGAIN || errno == EINTR ? nil : errno
  }

  /// Drops and counts what a full disk has refused. Returns nil, or the error if it prevents all further writes.
  private func drop(_ rest: inout ArraySlice<UInt8>, _ state: inout State, after error: Int32) -> Int32? {
    guard outlivesFullDisk, isFile, error == ENOSPC || error == EDQUOT else {
      state.hasFailed = true
      return error
    }
    state.lost += rest.count { $0 == UInt8(ascii: "\n") }
    rest = []
    return nil
  }

  /// Returns whether the descriptor takes bytes or has an error. Waits for at most `milliseconds`; -1 waits
  /// without limit.
  private func isReady(milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wait, 1, milliseconds) > 0
  }

  /// Writes the backlog until it is empty or a write fails. Runs on `queue`.
  private func drain() {
    var isDraining = true
    while isDraining {
      guard isReady(milliseconds: -1) else { continue }
      let piece = state.withLock { state in
        // Takes whole lines unless one is longer than a piece, because the process may end after each piece.
        let lineFeed = state.backlog.prefix(Self.pieceSize).lastIndex(of: UInt8(ascii: "\n"))
        let piece = Array(state.backlog.prefix(lineFeed.map { $0 + 1 } ?? Self.pieceSize))
        state.backlog.removeFirst(piece.count)
        return piece
      }
      var rest = piece[...]
      var failure = piece.isEmpty ? nil : write(&rest)
      let waiters = state.withLock { state -> [DispatchSemaphore] in
        if let error = failure { failure = drop(&rest, &state, after: error) }
        state.backlog.insert(contentsOf: rest, at: 0)
        if state.backlog.isEmpty { swap(&state.backlog, &state.drawing) }
        if failure != nil { state.backlog = [] }
        isDraining = !state.backlog.isEmpty
        state.isDraining = isDraining
        guard rest.count < piece.count || !isDraining else { return [] }
        state.isStalled = false
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.signal() }
      if let failure { onFailure(failure) }
    }
  }

  /// Waits until some of the backlog is written. Returns false without a backlog, or at the deadline, when
  /// the reader counts as stalled.
  @discardableResult
  private func waitForReader(until deadline: DispatchTime) -> Bool {
    let progress = DispatchSemaphore(value: 0)
    let isDraining = state.withLock { state in
      if state.isDraining { state.waiters.append(progress) }
      return state.isDraining
    }
    guard isDraining else { return false }
    if progress.wait(timeout: deadline) == .success { return true }
    return state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === progress }) else { return true }
      state.waiters.remove(at: index)
      state.isStalled = true
      return false
    }
  }
}
