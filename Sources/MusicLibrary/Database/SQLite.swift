internal import CThreads
internal import ControlProtocol
internal import Glibc
internal import MusicFiles

// Everything that calls libsqlite3.

/// libsqlite3's functions, looked up in the library when the first database is opened.
///
/// Not linked: `continuo play` has no database, and is not to pay for loading a library. No header either: these functions
/// have been as they are since SQLite 3.8.7, and its authors keep them so.
private struct SQLiteCalls: Sendable {
  typealias Text = UnsafePointer<CChar>?
  typealias Function =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  let open: @convention(c) @Sendable (Text, UnsafeMutablePointer<OpaquePointer?>?, Int32, Text) -> Int32
  let close: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let busyTimeout: @convention(c) @Sendable (OpaquePointer?, Int32) -> Int32
  let message: @convention(c) @Sendable (OpaquePointer?) -> Text
  let database: @convention(c) @Sendable (OpaquePointer?) -> OpaquePointer?
  let changes: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let lastRow: @convention(c) @Sendable (OpaquePointer?) -> Int64
  let releaseMemory: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let prepare:
    @convention(c) @Sendable (
      OpaquePointer?, Text, Int32, UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<Text>?
    ) -> Int32
  let finalize: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let step: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let reset: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let bindInteger: @convention(c) @Sendable (OpaquePointer?, Int32, Int64) -> Int32
  let bindReal: @convention(c) @Sendable (OpaquePointer?, Int32, Double) -> Int32
  let bindNull: @convention(c) @Sendable (OpaquePointer?, Int32) -> Int32
  /// The last argument is a function's address, or one of SQLite's two marks.
  let bindBytes: @convention(c) @Sendable (OpaquePointer?, Int32, UnsafeRawPointer?, Int32, Int) -> Int32
  let integer: @convention(c) @Sendable (OpaquePointer?, Int32) -> Int64
  let real: @convention(c) @Sendable (OpaquePointer?, Int32) -> Double
  let bytes: @convention(c) @Sendable (OpaquePointer?, Int32) -> UnsafeRawPointer?
  let byteCount: @convention(c) @Sendable (OpaquePointer?, Int32) -> Int32
  let createFunction:
    @convention(c) @Sendable (
      OpaquePointer?, Text, Int32, Int32, UnsafeMutableRawPointer?, Function?, Function?, Function?,
      OpaquePointer?
    ) -> Int32
  let userData: @convention(c) @Sendable (OpaquePointer?) -> UnsafeMutableRawPointer?
  let setProgressHandler:
    @convention(c) @Sendable (
      OpaquePointer?, Int32, (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?, UnsafeMutableRawPointer?
    ) -> Void
  let valueBytes: @convention(c) @Sendable (OpaquePointer?) -> UnsafeRawPointer?
  let valueByteCount: @convention(c) @Sendable (OpaquePointer?) -> Int32
  let valueInteger: @convention(c) @Sendable (OpaquePointer?) -> Int64
  let kept: @convention(c) @Sendable (OpaquePointer?, Int32) -> UnsafeMutableRawPointer?
  let keep:
    @convention(c) @Sendable (
      OpaquePointer?, Int32, UnsafeMutableRawPointer?, (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) -> Void
  let setIntegerResult: @convention(c) @Sendable (OpaquePointer?, Int64) -> Void
  let setResult: @convention(c) @Sendable (OpaquePointer?, UnsafeRawPointer?, Int32, Int) -> Void
  let setErrorResult: @convention(c) @Sendable (OpaquePointer?, Int32) -> Void

  /// Of the whole process: the library stays.
  static let shared = Result { () throws(DatabaseError) in try SQLiteCalls() }

  private init() throws(DatabaseError) {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else {
      throw .unavailable("libsqlite3.so.0 cannot be loaded (Debian's package is libsqlite3-0)")
    }
    func find<Function>(_ name: String) throws(DatabaseError) -> Function {
      guard let address = dlsym(library, "sqlite3_" + name) else {
        throw .unavailable("libsqlite3.so.0 has no sqlite3_\(name)")
      }
      // Each type above is that of the function of this name in SQLite's documentation.
      return unsafeBitCast(address, to: Function.self)
    }
    open = try find("open_v2")
    close = try find("close_v2")
    busyTimeout = try find("busy_timeout")
    message = try find("errmsg")
    database = try find("db_handle")
    changes = try find("changes")
    lastRow = try find("last_insert_rowid")
    releaseMemory = try find("db_release_memory")
    prepare = try find("prepare_v2")
    finalize = try find("finalize")
    step = try find("step")
    reset = try find("reset")
    bindInteger = try find("bind_int64")
    bindReal = try find("bind_double")
    bindNull = try find("bind_null")
    bindBytes = try find("bind_blob")
    integer = try find("column_int64")
    real = try find("column_double")
    bytes = try find("column_blob")
    byteCount = try find("column_bytes")
    createFunction = try find("create_function_v2")
    userData = try find("user_data")
    setProgressHandler = try find("progress_handler")
    valueBytes = try find("value_blob")
    valueByteCount = try find("value_bytes")
    valueInteger = try find("value_int64")
    kept = try find("get_auxdata")
    keep = try find("set_auxdata")
    setIntegerResult = try find("result_int64")
    setResult = try find("result_blob")
    setErrorResult = try find("result_error_code")
  }

  // SQLite's numbers, as far as they matter here.
  static let ok: Int32 = 0
  static let row: Int32 = 100
  static let done: Int32 = 101
  static let interrupted: Int32 = 9
  static let full: Int32 = 13
  static let corrupt: Int32 = 11
  static let notADatabase: Int32 = 26
  /// Read and write, create, and with a lock for each connection (`SQLITE_OPEN_FULLMUTEX`).
  static let openFlags: Int32 = 0x2 | 0x4 | 0x10000
  /// The bytes are copied before the call returns.
  static let copied = -1
  /// UTF-8, and always the same result for the same argument.
  static let functionFlags: Int32 = 1 | 0x800

  func openFile(_ path: MediaPath) throws(DatabaseError) -> OpaquePointer {
    var opened: OpaquePointer?
    let code = path.withCString { open($0, &opened, Self.openFlags, nil) }
    if let opened, code == Self.ok { return opened }
    let problem = problem(code, opened)
    _ = close(opened)
    throw problem ?? .failed(code: code, "no memory")
  }

  /// `nil` if that is no failure.
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

/// What is put into a statement.
package enum DatabaseValue: Hashable, Sendable {
  /// A number.
  case integer(Int64)
  /// A number with a fraction.
  case real(Double)
  /// Bytes: names and texts of any encoding.
  case bytes([UInt8])
  /// Nothing.
  case null
}

/// A connection to a database in a file. Closed when it goes.
///
/// Statements have SQL's language and three functions more: `folded(x)` is `x` with capitals and small letters the same,
/// `holds(x, y)` whether `y` is a part of `x`, ten times as fast as `instr`, and
/// `matches(r, f, x)` whether the regular expression `r` is found in `x`, with `f` capitals and small letters the same.
struct Database: ~Copyable {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer
  /// What is asked at the moment, and why the answer is to end.
  let question: Question

  /// Steps of SQLite's between two looks at whether somebody still waits: some ten for a row, a millisecond in all.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Opens the file, or makes one. Blocks on the disk, as all calls here do.
  init(_ path: MediaPath) throws(DatabaseError) {
    let calls = try SQLiteCalls.shared.get()
    handle = try calls.openFile(path)
    self.calls = calls
    // Readers and the one writer hold each other up only for moments, as when the file is cut after a start.
    _ = calls.busyTimeout(handle, 5000)
    _ = calls.createFunction(handle, "folded", 1, SQLiteCalls.functionFlags, nil, foldArgument, nil, nil, nil)
    _ = calls.createFunction(handle, "holds", 2, SQLiteCalls.functionFlags, nil, findText, nil, nil, nil)
    question = Question()
    // Unretained: the database, which closes the connection, has it.
    let question = Unmanaged.passUnretained(question).toOpaque()
    _ = calls.createFunction(
      handle, "matches", 3, SQLiteCalls.functionFlags, question, matchText, nil, nil, nil)
    calls.setProgressHandler(handle, Self.stepsBetweenLooks, isInterrupted, question)
  }

  deinit { _ = calls.close(handle) }

  /// A statement, to be run once or often.
  func statement(_ text: String) throws(DatabaseError) -> DatabaseStatement {
    var prepared: OpaquePointer?
    let code = calls.prepare(handle, text, -1, &prepared, nil)
    if let problem = calls.problem(code, handle) { throw problem }
    guard let prepared else { throw .failed(code: code, "an empty statement") }
    return DatabaseStatement(calls: calls, handle: prepared, question: question)
  }

  /// Runs a statement once.
  func run(_ text: String, _ values: DatabaseValue...) throws(DatabaseError) {
    try statement(text).run(values)
  }

  /// The first number that a statement has.
  func integer(_ text: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
    var result: Int64?
    try statement(text).forEach(values) { row throws(DatabaseError) in result = result ?? row.integer(0) }
    return result
  }

  /// How many rows the last statement has changed.
  var changes: Int { Int(calls.changes(handle)) }

  /// The number of the row that was added last.
  var lastRow: Int64 { calls.lastRow(handle) }

  /// Gives back the memory of pages that were read.
  func releaseMemory() { _ = calls.releaseMemory(handle) }
}

/// A statement of a database's. Used by one thread at a time.
struct DatabaseStatement: ~Copyable {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer
  /// Held: a statement that outlives its database keeps the connection open.
  private let question: Question

  fileprivate init(calls: SQLiteCalls, handle: OpaquePointer, question: Question) {
    self.calls = calls
    self.handle = handle
    self.question = question
  }

  deinit { _ = calls.finalize(handle) }

  /// Runs it with these values and calls `body` with each row of the result.
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

  /// Runs it with these values.
  func run(_ values: [DatabaseValue]) throws(DatabaseError) { try forEach(values) { _ in } }

  /// The same.
  func run(_ values: DatabaseValue...) throws(DatabaseError) { try run(values) }

  private func bind(_ value: DatabaseValue, _ index: Int32) throws(DatabaseError) {
    let code: Int32
    switch value {
    case .integer(let number): code = calls.bindInteger(handle, index, number)
    case .real(let number): code = calls.bindReal(handle, index, number)
    case .null: code = calls.bindNull(handle, index)
    case .bytes(let bytes):
      code = bytes.withUnsafeBytes { [calls, handle] buffer in
        // Without an address SQLite takes it for nothing and not for an empty text.
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

/// A row of a result, until the next one is asked for. Columns are counted from 0.
struct DatabaseRow {
  private let calls: SQLiteCalls
  private let handle: OpaquePointer

  fileprivate init(calls: SQLiteCalls, handle: OpaquePointer) {
    self.calls = calls
    self.handle = handle
  }

  /// A number; 0 for nothing.
  func integer(_ column: Int32) -> Int64 { calls.integer(handle, column) }

  /// A number with a fraction; 0 for nothing.
  func real(_ column: Int32) -> Double { calls.real(handle, column) }

  /// Bytes, copied; none for nothing.
  func bytes(_ column: Int32) -> [UInt8] {
    let start = calls.bytes(handle, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(calls.byteCount(handle, column))))
  }
}

/// The SQL function `folded`.
private func foldArgument(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .success(let calls) = SQLiteCalls.shared, let argument = arguments?.pointee else { return }
  let start = calls.valueBytes(argument)
  let bytes = UnsafeRawBufferPointer(start: start, count: Int(calls.valueByteCount(argument)))
  let folded = Argument(bytes).foldingCase().bytes
  folded.withUnsafeBytes { calls.setResult(context, $0.baseAddress, Int32($0.count), SQLiteCalls.copied) }
}

/// The SQL function `holds`.
private func findText(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard case .success(let calls) = SQLiteCalls.shared, let arguments else { return }
  let (text, part) = (calls.valueBytes(arguments[0]), calls.valueBytes(arguments[1]))
  let partSize = UInt(calls.valueByteCount(arguments[1]))
  // No bytes have no address, and are in every text.
  let isFound =
    partSize == 0
    || text != nil
      && continuo_memmem(text, UInt(calls.valueByteCount(arguments[0])), part, partSize) != nil
  calls.setIntegerResult(context, isFound ? 1 : 0)
}

/// Called by SQLite from time to time; not 0 ends the statement.
private func isInterrupted(_ question: UnsafeMutableRawPointer?) -> Int32 {
  guard let question else { return 0 }
  return Unmanaged<Question>.fromOpaque(question).takeUnretainedValue().isInterrupted() ? 1 : 0
}

/// The SQL function `matches`. The expression is understood once for each run of a statement.
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
  // Held here: SQLite may let go of what it is given to keep at once.
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

// Unchecked because of the pointer. It never changes and has one owner, since a database cannot be copied; and what it points
// to has a lock of its own, which `SQLiteCalls.openFlags` ask for, so that calls on two threads follow each other.
extension Database: @unchecked Sendable {}
