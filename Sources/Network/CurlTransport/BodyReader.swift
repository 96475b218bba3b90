import Dispatch
import Glibc
import Synchronization
import SystemSupport
import Transfer

/// Reads a request body while it is sent. A queue reads files ahead, so that the network thread never waits
/// for a disk.
final class BodyReader: Sendable {
  /// Reads from a file like `pread`, with its results and `errno`. May block.
  typealias Read =
    @Sendable (_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int

  enum Piece: Equatable {
    case bytes(Int)
    /// No bytes are available yet. `onReady` is called once some are, or once the reading has failed.
    case notYet
    /// The file cannot be read or was truncated.
    case failed
  }

  private struct State {
    var position: Int64 = 0
    var ahead: ArraySlice<UInt8> = []
    var isReading = false
    /// Whether the last `read` returned `notYet`, so that `onReady` must be called.
    var isAwaited = false
    var hasFailed = false
  }

  private final class File: Sendable {
    let descriptor: Int32
    init(_ path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    deinit { if descriptor >= 0 { close(descriptor) } }
  }

  private static let pieceSize = 64 * 1024
  private static let room = 256 * 1024

  private let body: TransferBody
  private let read: Read
  private let onReady: @Sendable () -> Void
  private let queue = DispatchQueue(label: "continuo-body")
  private let file = Mutex<File?>(nil)
  private let state = Mutex(State())

  /// Creates a reader at the start of the body. `onReady` is called on a thread of the queue.
  init(_ body: TransferBody, read: @escaping Read, onReady: @escaping @Sendable () -> Void) {
    self.body = body
    self.read = read
    self.onReady = onReady
  }

  /// The offset of the next byte to send. Setting it seeks.
  var position: Int64 {
    get { state.withLock { $0.position } }
    set {
      state.withLock { state in
        state.position = newValue
        state.ahead = []
        state.hasFailed = false
      }
    }
  }

  /// Copies the next bytes into `target` and returns their number, 0 at the end of the body. Does not wait for the
  /// disk.
  func read(_ target: UnsafeMutableRawBufferPointer) -> Piece {
    let (piece, mustRead) = state.withLock { state -> (Piece, Bool) in
      let count = Int(min(Int64(target.count), body.count - state.position))
      guard count > 0 else { return (.bytes(0), false) }
      if case .bytes(let bytes) = body {
        target.copyBytes(from: bytes[Int(state.position)..<Int(state.position) + count])
        state.position += Int64(count)
        return (.bytes(count), false)
      }
      guard !state.hasFailed || !state.ahead.isEmpty else { return (.failed, false) }
      let taken = state.ahead.prefix(count)
      target.copyBytes(from: taken)
      state.ahead = state.ahead.dropFirst(taken.count)
      state.position += Int64(taken.count)
      state.isAwaited = taken.isEmpty
      let mustRead = !state.isReading && state.ahead.count <= Self.room / 2 && !state.hasFailed
      if mustRead { state.isReading = true }
      return (taken.isEmpty ? .notYet : .bytes(taken.count), mustRead)
    }
    if mustRead { queue.async { self.readAhead() } }
    return piece
  }

  private func readAhead() {
    while let (offset, count) = next() {
      let bytes = load(count, at: offset)
      let isAwaited = state.withLock { state in
        // Bytes that were read for the position before a seek are discarded.
        guard state.position + Int64(state.ahead.count) == offset else { return false }
        if let bytes { state.ahead = state.ahead + bytes } else { state.hasFailed = true }
        defer { state.isAwaited = false }
        return state.isAwaited
      }
      if isAwaited { onReady() }
    }
  }

  /// Returns the next range to read; nil if the buffer is full, no bytes are left or the reading has failed.
  private func next() -> (offset: Int64, count: Int)? {
    state.withLock { state in
      let offset = state.position + Int64(state.ahead.count)
      let count = Int(min(Int64(Self.pieceSize), body.count - offset))
      guard count > 0, !state.hasFailed, state.ahead.count < Self.room else {
        state.isReading = false
        return nil
      }
      return (offset, count)
    }
  }

  private func load(_ count: Int, at offset: Int64) -> [UInt8]? {
    guard let file = opened() else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let done = bytes.withUnsafeMutableBytes {
      WholeTransfer.read(into: $0) { read(file.descriptor, $0, offset + Int64($1)) }
    }
    return done == count ? bytes : nil
  }

  private func opened() -> File? {
    if let file = file.withLock({ $0 }) { return file }
    guard case .file(let path, let count) = body else { return nil }
    let made = File(path)
    var status = stat()
    // A file that is already too short is not sent at all.
    guard made.descriptor >= 0, fstat(made.descriptor, &status) == 0, Int64(status.st_size) >= count else {
      return nil
    }
    file.withLock { $0 = made }
    return made
  }
}
