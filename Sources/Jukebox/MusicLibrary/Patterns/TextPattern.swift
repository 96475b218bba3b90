package import ControlProtocol
internal import SystemSupport

/// The budget for the regular expressions of one query, over all texts. A step is a callout of PCRE2 before
/// an item of an expression, about 15 ns. Used by one thread at a time.
package struct PatternBudget: Sendable {
  fileprivate var steps: Int
  /// The number of steps that each text adds to the budget. An expression needs about ten steps for a title,
  /// so a large library can be searched.
  private let stepsOfText: Int
  /// The number of steps between two checks for an interruption.
  private static let stepsBetweenLooks = 1024
  private let interruption: @Sendable () -> String?
  package fileprivate(set) var refusal: Ack?

  /// Creates a budget of `steps` (about 0.2 s by default), and `stepsOfText` (about 3 µs) more for each text.
  /// Matching ends when `interruption`, called between steps, returns a reason.
  package init(
    steps: Int = 10_000_000, stepsOfText: Int = 200, interruption: @escaping @Sendable () -> String? = { nil }
  ) {
    self.steps = steps
    self.stepsOfText = stepsOfText
    self.interruption = interruption
  }

  fileprivate mutating func addText() { steps += stepsOfText }

  fileprivate mutating func takeStep() -> Bool {
    steps -= 1
    if steps < 0 {
      refusal = refusal ?? Self.tooManySteps
    } else if steps % Self.stepsBetweenLooks == 0, let reason = interruption() {
      refusal = .interrupted(reason)
    }
    return refusal == nil
  }

  fileprivate static let tooManySteps = Ack(
    .argument,
    "the regular expression takes too many steps for this many songs; write a simpler one, without repetitions in repetitions"
  )
}

/// A Perl-compatible regular expression, matched by PCRE2 as in mpd. Unlike in mpd, it matches characters of
/// UTF-8 rather than bytes: `.` matches `ü`, and `ü` matches `Ü` if case is ignored. Text that is not UTF-8
/// can be searched too.
///
/// The size and nesting of an expression and the memory of a match are limited. A `PatternBudget` limits the
/// steps of a query. PCRE2's own step limit does not, because it starts again at each character of a text.
package final class TextPattern: Sendable {
  /// The limits of an expression, in bytes and nested groups. PCRE2 takes 40 ms to compile certain
  /// expressions of 4000 bytes, on the thread that answers all clients. Real expressions have a tenth of the
  /// limit.
  private static let sizeLimit = 512
  private static let depthLimit: UInt32 = 16
  /// The maximum number of characters in all ranges such as `[а-я]`. If case is ignored, PCRE2 checks each of
  /// them, which takes 15 ms for all of Unicode.
  private static let rangeLimit: UInt32 = 1 << 17
  /// The maximum memory of one match in KiB. Repeated groups over a text of 4000 characters need half of it.
  private static let memoryLimit: UInt32 = 2048

  private let calls: PCRECalls
  // The compiled expression is only read between `init` and `deinit`, and only by thread-safe functions.
  private nonisolated(unsafe) let code: OpaquePointer

  /// Compiles an expression in PCRE2's syntax. Throws mpd's error for an invalid one, and other errors for one above the
  /// limits, without libpcre2 or without memory.
  package init(_ source: Argument, foldsCase: Bool) throws(Ack) {
    guard let calls = PCRECalls.shared else {
      throw Ack(.unknown, "regular expressions need libpcre2-8.so.0, which cannot be loaded")
    }
    guard source.bytes.count <= Self.sizeLimit else {
      throw Ack(.argument, "the regular expression is longer than \(Self.sizeLimit) bytes")
    }
    guard PatternRanges.size(in: source) <= Self.rangeLimit else {
      throw Ack(.argument, "the regular expression has ranges of more than \(Self.rangeLimit) characters")
    }
    guard let rules = calls.makeRules(nil) else { throw Ack(.system, "out of memory") }
    defer { calls.freeRules(rules) }
    _ = calls.setDepthLimit(rules, Self.depthLimit)
    self.calls = calls
    var problem: Int32 = 0
    var offset = 0
    let options = PCRECalls.standard | (foldsCase ? PCRECalls.caseless : 0)
    let compiled = source.bytes.withUnsafeBufferPointer {
      calls.compile($0.baseAddress, $0.count, options, &problem, &offset, rules)
    }
    guard let compiled else {
      throw Ack(.argument, "Error in regex at offset \(offset): \(calls.text(problem))")
    }
    code = compiled
  }

  deinit { calls.free(code) }

  /// Whether the expression is found in the text. Throws for this text and all later ones once the budget is exhausted
  /// or interrupted, or a match exceeds the memory limit. Any thread.
  package func matches(
    _ text: UnsafeBufferPointer<UInt8>, _ budget: inout PatternBudget
  ) throws(Ack) -> Bool {
    if let refusal = budget.refusal { throw refusal }
    guard let match = calls.makeMatch(1, nil), let limits = calls.makeLimits(nil) else {
      throw Ack(.system, "out of memory")
    }
    defer {
      calls.freeLimits(limits)
      calls.freeMatch(match)
    }
    budget.addText()
    _ = calls.setMemoryLimit(limits, Self.memoryLimit)
    let result = withUnsafeMutablePointer(to: &budget) { budget in
      _ = calls.setCallout(limits, takeStep, budget)
      return calls.match(code, text.baseAddress, text.count, 0, 0, match, limits)
    }
    if result >= 0 { return true }
    if result == PCRECalls.noMatch { return false }
    let refusal = budget.refusal ?? PatternBudget.tooManySteps
    budget.refusal = refusal
    throw refusal
  }
}

/// The callout of PCRE2 before each item of an expression. A result other than 0 ends the match.
private func takeStep(_ block: OpaquePointer?, _ budget: UnsafeMutableRawPointer?) -> Int32 {
  let mayContinue = budget?.assumingMemoryBound(to: PatternBudget.self).pointee.takeStep()
  return mayContinue == true ? 0 : PCRECalls.stopped
}

/// The functions of libpcre2, loaded for the first expression.
private struct PCRECalls: Sendable {
  /// A pointer to a type of the library.
  typealias Opaque = OpaquePointer?
  typealias Free = @convention(c) @Sendable (Opaque) -> Void
  typealias SetLimit = @convention(c) @Sendable (Opaque, UInt32) -> Int32
  typealias Callout = @convention(c) (Opaque, UnsafeMutableRawPointer?) -> Int32

  let compile:
    @convention(c) @Sendable (
      UnsafePointer<UInt8>?, Int, UInt32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int>?, Opaque
    ) -> Opaque
  let errorText: @convention(c) @Sendable (Int32, UnsafeMutablePointer<UInt8>?, Int) -> Int32
  let makeLimits, makeRules: @convention(c) @Sendable (Opaque) -> Opaque
  let setDepthLimit, setMemoryLimit: SetLimit
  let setCallout: @convention(c) @Sendable (Opaque, Callout?, UnsafeMutableRawPointer?) -> Int32
  let makeMatch: @convention(c) @Sendable (UInt32, Opaque) -> Opaque
  let match:
    @convention(c) @Sendable (Opaque, UnsafePointer<UInt8>?, Int, Int, UInt32, Opaque, Opaque) -> Int32
  let free, freeRules, freeLimits, freeMatch: Free

  // Options of pcre2.h: UTF; invalid UTF is not an error; the dot matches newlines; unnamed groups are not
  // captured; `\C`, a single byte, is refused; callouts before each item.
  static let standard: UInt32 = 0x0008_0000 | 0x0400_0000 | 0x20 | 0x2000 | 0x0010_0000 | 0x4
  static let caseless: UInt32 = 0x8
  static let noMatch: Int32 = -1
  /// The match was ended by a callout.
  static let stopped: Int32 = -37

  /// The functions for the whole process; nil if the system has no libpcre2. The library stays loaded.
  static let shared = try? PCRECalls()

  private init() throws(DynamicLibrary.Problem) {
    let library = try DynamicLibrary(["libpcre2-8.so.0"], prefix: "pcre2_", suffix: "_8")
    compile = try library.find("compile")
    free = try library.find("code_free")
    errorText = try library.find("get_error_message")
    makeLimits = try library.find("match_context_create")
    makeRules = try library.find("compile_context_create")
    setDepthLimit = try library.find("set_parens_nest_limit")
    freeRules = try library.find("compile_context_free")
    setMemoryLimit = try library.find("set_heap_limit")
    setCallout = try library.find("set_callout")
    freeLimits = try library.find("match_context_free")
    makeMatch = try library.find("match_data_create")
    match = try library.find("match")
    freeMatch = try library.find("match_data_free")
  }

  func text(_ problem: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = errorText(problem, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
  }
}
