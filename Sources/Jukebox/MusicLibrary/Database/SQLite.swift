internal import CThreads
internal import ControlProtocol
internal import Glibc
internal import MusicFiles
internal import SystemSupport

/// The functions of libsqlite3, looked up when the first database is opened. The library is not linked, so
/// that `continuo play` does not load it. SQLite has kept these functions stable since version 3.8.7.
private struct SQLiteCalls: Sendable {
  typealias Text = UnsafePointer<CChar>?
  typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// A pointer to one of SQLite's types: a database, a statement, the context of a function, or a value.
  typealias Handle = OpaquePointer?
  typealias Action = @convention(c) @Sendable (Handle) -> Int32
  typealias IndexedAction = @convention(c) @Sendable (Handle, Int32) -> Int32
  typealias Number = @convention(c) @Sendable (Handle) -> Int64

  let open: @convention(c) @Sendable (Text, UnsafeMutablePointer<Handle>?, Int32, Text) -> Int32
  let close, changes, releaseMemory, finalize, step, reset, valueByteCount: Action
  let busyTimeout, bindNull, byteCount: IndexedAction
  let lastRow, valueInteger: Number
  let message: @convention(c) @Sendable (Handle) -> Text
  let database: @convention(c) @Sendable (Handle) -> Handle
  let prepare:
    @convention(c) @Sendable (
      Handle, Text, Int32, UnsafeMutablePointer<Handle>?, UnsafeMutablePointer<Text>?
    ) -> Int32
  let bindInteger: @convention(c) @Sendable (Handle, Int32, Int64) -> Int32
  let bindReal: @convention(c) @Sendable (Handle, Int32, Double) -> Int32
  /// The last argument is a destructor, or one of the constants `SQLITE_STATIC` and `SQLITE_TRANSIENT`.
  let bindBytes: @convention(c) @Sendable (Handle, Int32, UnsafeRawPointer?, Int32, Int) -> Int32
  let integer: @convention(c) @Sendable (Handle, Int32) -> Int64
  let real: @convention(c) @Sendable (Handle, Int32) -> Double
  let bytes: @convention(c) @Sendable (Handle, Int32) -> UnsafeRawPointer?
  let createFunction:
    @convention(c) @Sendable (
      Handle, Text, Int32, Int32, UnsafeMutableRawPointer?, Function?, Function?, Function?, Handle
    ) -> Int32
  let userData: @convention(c) @Sendable (Handle) -> UnsafeMutableRawPointer?
  let setProgressHandler:
    @convention(c) @Sendable (
      Handle, Int32, (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?, UnsafeMutableRawPointer?
    ) -> Void
  let valueBytes: @convention(c) @Sendable (Handle) -> UnsafeRawPointer?
  let kept: @convention(c) @Sendable (Handle, Int32) -> UnsafeMutableRawPointer?
  let keep:
    @convention(c) @Sendable (
      Handle, Int32, UnsafeMutableRawPointer?, (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) -> Void
  let setIntegerResult: @convention(c) @Sendable (Handle, Int64) -> Void
  let setResult: @convention(c) @Sendable (Handle, UnsafeRawPointer?, Int32, Int) -> Void
  let setErrorResult: @convention(c) @Sendable (Handle, Int32) -> Void

  /// The functions for the whole process. The library is never unloaded.
  static let shared = Result { () throws(DatabaseError) in try SQLiteCalls() }

  private init() throws(DatabaseError) {
    do throws(DynamicLibrary.Problem) {
      try self.init(DynamicLibrary(["libsqlite3.so.0"], prefix: "sqlite3_"))
    } catch {
      throw .unavailable(
        error.function.map { "libsqlite3.so.0 has no \($0)" }
          ?? "libsqlite3.so.0 cannot be loaded (Debian's package is libsqlite3-0)")
    }
  }

  private init(_ library: DynamicLibrary) throws(DynamicLibrary.Problem) {
    open = try library.find("open_v2")
    close = try library.find("close_v2")
    busyTimeout = try library.find("busy_timeout")
    message = try library.find("errmsg")
    database = try library.find("db_handle")
    changes = try library.find("changes")
    lastRow = try library.find("last_insert_rowid")
    releaseMemory = try library.find("db_release_memory")
    prepare = try library.find("prepare_v2")
    finalize = try library.find("finalize")
    step = try library.find("step")
    reset = try library.find("reset")
    bindInteger = try library.find("bind_int64")
    bindReal = try library.find("bind_double")
    bindNull = try library.find("bind_null")
    bindBytes = try library.find("bind_blob")
    integer = try library.find("column_int64")
    real = try library.find("column_double")
    bytes = try library.find("column_blob")
    byteCount = try library.find("column_bytes")
    createFunction = try library.find("create_function_v2")
    userData = try library.find("user_data")
    setProgressHandler = try library.find("progress_handler")
    valueBytes = try library.find("value_blob")
    valueByteCount = try library.find("value_bytes")
    valueInteger = try library.find("value_int64")
    kept = try library.find("get_auxdata")
    keep = try library.find("set_auxdata")
    setIntegerResult = try library.find("result_int64")
    setResult = try library.find("result_blob")
    setErrorResult = try library.find("result_error_code")
  }

  // SQLite's result codes, as far as they are used here.
  static let (ok, row, done) = (Int32(0), Int32(100), Int32(101))
  static let (interrupted, corrupt, full, notADatabase) = (Int32(9), Int32(11), Int32(13), Int32(26))
  /// Read and write, create, and a lock for each connection (`SQLITE_OPEN_FULLMUTEX`).
  static let openFlags: Int32 = 0x2 | 0x4 | 0x10000
  /// `SQLITE_TRANSIENT`: the bytes are copied before the call returns.
  static let copied = -1
  /// `SQLITE_UTF8` and `SQLITE_DETERMINISTIC`: the same argument always gives the same result.
  static let functionFlags: Int32 = 1 | 0x800

  func openFile(_ path: MediaPath) throws(DatabaseError) -> OpaquePointer {
    var opened: OpaquePointer?
    let code = path.withCString { open($0, &opened, Self.openFlags, nil) }
    if let opened, code == Self.ok { return opened }
    let problem = problem(code, opened)
    _ = close(opened)
    throw problem ?? .failed(code: code, "no memory")
  }

  func problem(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError? {
    switch code & 0xFF {
    case Self.ok, Self.row, Self.done: nil
    case Self.full: .full
    case Self.corrupt, Self.notADatabase: .damaged(text(handle))
    default: .failed(code: code, text(handle))
    }
  }

  private func text(_ handle: OpaquePointer?) -> String {
    message(handle).map { String(cString: $0) } ?? "no memory"
  }
}

package enum DatabaseValue: Hashable, Sendable {
  case integer(Int64)
  case real(Double)
  /// Names and texts in any encoding, and encoded metadata.
  case bytes([UInt8])
  case null
}

/// A connection to a database file. Statements may use three functions in addition to SQL's:
/// - `folded(x)` folds case.
/// - `holds(x, y)` tests whether `x` contains `y`, ten times as fast as `instr`.
/// - `matches(r, f, x)` tests whether the regular expression `r` is found in `x`. If `f` is not 0, case is
///   ignored.
struct Database: ~Copyable {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer
  let question: Question

  /// The number of SQLite's virtual machine instructions between two checks for an interruption. A row takes
  /// some ten of them, and 10,000 take about a millisecond.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Opens or creates the file. Blocks on the disk, as running a statement does.
  init(_ path: MediaPath) throws(DatabaseError) {
    let calls = try SQLiteCalls.shared.get()
    handle = try calls.openFile(path)
    self.calls = calls
    // Readers and the writer block each other only briefly, for example when a file is truncated after
    // startup.
    _ = calls.busyTimeout(handle, 5000)
    _ = calls.createFunction(handle, "folded", 1, SQLiteCalls.functionFlags, nil, foldArgument, nil, nil, nil)
    _ = calls.createFunction(handle, "holds", 2, SQLiteCalls.functionFlags, nil, findText, nil, nil, nil)
    question = Question()
    // Unretained: the database owns the question and closes the connection.
    let question = Unmanaged.passUnretained(question).toOpaque()
    _ = calls.createFunction(
      handle, "matches", 3, SQLiteCalls.functionFlags, question, matchText, nil, nil, nil)
    calls.setProgressHandler(handle, Self.stepsBetweenLooks, isInterrupted, question)
  }

  deinit { _ = calls.close(handle) }

  func statement(_ text: String) throws(DatabaseError) -> DatabaseStatement {
    var prepared: OpaquePointer?
    let code = calls.prepare(handle, text, -1, &prepared, nil)
    if let problem = calls.problem(code, handle) { throw problem }
    guard let prepared else { throw .failed(code: code, "an empty statement") }
    return DatabaseStatement(calls: calls, handle: prepared, question: question)
  }

  func run(_ text: String, _ values: DatabaseValue...) throws(DatabaseError) {
    try statement(text).forEach(values) { _ in }
  }

  func integer(_ text: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
    try rows(text, values) { $0.integer(0) }.first
  }

  /// Runs a statement once. Returns the value that `body` makes of each row.
  func rows<Value>(
    _ text: String, _ values: [DatabaseValue] = [], _ body: (DatabaseRow) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> [Value] {
    try statement(text).rows(values, body)
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE has changed.
  var changes: Int { Int(calls.changes(handle)) }

  var lastRow: Int64 { calls.lastRow(handle) }

  /// Releases the memory of cached pages.
  func releaseMemory() { _ = calls.releaseMemory(handle) }
}

/// A prepared statement. Used by one thread at a time.
struct DatabaseStatement: ~Copyable {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer
  /// Retained, since a statement that outlives its database keeps the connection open.
  private let question: Question

  fileprivate init(calls: SQLiteCalls, handle: OpaquePointer, question: Question) {
    self.calls = calls
    self.handle = handle
    self.question = question
  }

  deinit { _ = calls.finalize(handle) }

  /// Runs the statement with these values and calls `body` with each row of the result.
  func forEach(
    _ values: [DatabaseValue], _ body: (DatabaseRow) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    for (index, value) in values.enumerated() { try bind(value, Int32(index + 1)) }
    defer { _ = calls.reset(handle) }
    while true {
      let code = calls.step(handle)
      if code == SQLiteCalls.interrupted, let refusal = question.refusal { throw .refused(refusal) }
      if let problem = calls.problem(code, calls.database(handle)) { throw problem }
      guard code == SQLiteCalls.row else { return }
      try body(DatabaseRow(calls: calls, handle: handle))
    }
  }

  /// Runs the statement. Returns the value that `body` makes of each row.
  func rows<Value>(
    _ values: [DatabaseValue], _ body: (DatabaseRow) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> [Value] {
    var rows: [Value] = []
    try forEach(values) { row throws(DatabaseError) in rows.append(try body(row)) }
    return rows
  }

  func run(_ values: DatabaseValue...) throws(DatabaseError) { try forEach(values) { _ in } }

  private func bind(_ value: DatabaseValue, _ index: Int32) throws(DatabaseError) {
    let code: Int32
    switch value {
    case .integer(let number): code = calls.bindInteger(handle, index, number)
    case .real(let number): code = calls.bindReal(handle, index, number)
    case .null: code = calls.bindNull(handle, index)
    case .bytes(let bytes):
      code = bytes.withUnsafeBytes { [calls, handle] buffer in
        // SQLite would take a null address for NULL and not for an empty value.
        withUnsafeBytes(of: 0) { other in
          calls.bindBytes(
            handle, index, buffer.baseAddress ?? other.baseAddress, Int32(clamping: buffer.count),
            SQLiteCalls.copied)
        }
      }
    }
    if let problem = calls.problem(code, calls.database(handle)) { throw problem }
  }
}

/// A row of a result, valid until the next row is requested. Columns count from 0.
struct DatabaseRow {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer

  fileprivate init(calls: SQLiteCalls, handle: OpaquePointer) {
    self.calls = calls
    self.handle = handle
  }

  func integer(_ column: Int32) -> Int64 { calls.integer(handle, column) }

  /// Returns the floating-point number in a column; 0 for NULL.
  func real(_ column: Int32) -> Double { calls.real(handle, column) }

  /// Returns a copy of the bytes in a column; empty for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    let start = calls.bytes(handle, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(calls.byteCount(handle, column))))
  }
}

private func foldArgument(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .success(let calls) = SQLiteCalls.shared, let argument = arguments?.pointee else { return }
  let start = calls.valueBytes(argument)
  let bytes = UnsafeRawBufferPointer(start: start, count: Int(calls.valueByteCount(argument)))
  let folded = Argument(bytes).foldingCase().bytes
  folded.withUnsafeBytes { calls.setResult(context, $0.baseAddress, Int32($0.count), SQLiteCalls.copied) }
}

private func findText(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .success(let calls) = SQLiteCalls.shared, let arguments else { return }
  let (text, part) = (calls.valueBytes(arguments[0]), calls.valueBytes(arguments[1]))
  let partSize = UInt(calls.valueByteCount(arguments[1]))
  // An empty value has no address, and every text contains it.
  let isFound =
    partSize == 0
    || text != nil && continuo_memmem(text, UInt(calls.valueByteCount(arguments[0])), part, partSize) != nil
  calls.setIntegerResult(context, isFound ? 1 : 0)
}

/// Handles SQLite's progress callback. A result other than 0 interrupts the statement.
private func isInterrupted(_ question: UnsafeMutableRawPointer?) -> Int32 {
  guard let question else { return 0 }
  return Unmanaged<Question>.fromOpaque(question).takeUnretainedValue().isInterrupted() ? 1 : 0
}

/// The SQL function `matches`. Asks SQLite to keep the compiled expression until the statement has run.
private func matchText(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .success(let calls) = SQLiteCalls.shared, let arguments, let data = calls.userData(context)
  else { return }
  let question = Unmanaged<Question>.fromOpaque(data).takeUnretainedValue()
  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = calls.valueBytes(arguments[index])?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: Int(calls.valueByteCount(arguments[index])))
  }
  // Retained here, since SQLite may release auxiliary data immediately.
  let pattern: TextPattern
  if let known = calls.kept(context, 0) {
    pattern = Unmanaged<TextPattern>.fromOpaque(known).takeUnretainedValue()
  } else {
    let isFolded = calls.valueInteger(arguments[1]) != 0
    guard let made = try? TextPattern(Argument(bytes(0)), foldsCase: isFolded) else { return }
    pattern = made
    calls.keep(context, 0, Unmanaged.passRetained(made).toOpaque()) { kept in
      if let kept { Unmanaged<TextPattern>.fromOpaque(kept).release() }
    }
  }
  guard let isFound = question.matches(pattern, bytes(2)) else {
    return calls.setErrorResult(context, SQLiteCalls.interrupted)
  }
  calls.setIntegerResult(context, isFound ? 1 : 0)
}

// Unchecked because of the pointer, which never changes and has one owner: a database cannot be copied.
// `SQLiteCalls.openFlags` request a lock for each connection, which serializes calls on two threads.
extension Database: @unchecked Sendable {}
