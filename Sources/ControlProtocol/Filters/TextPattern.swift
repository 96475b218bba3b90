internal import Glibc

/// What the regular expressions of one question may cost, over all texts that they are compared with.
///
/// A step is what PCRE2 reports before each item of an expression, some 15 ns. Used by one thread at a time.
package struct PatternBudget: Sendable {
  /// Steps that are left.
  fileprivate var steps: Int
  /// Steps that each text adds: an expression needs some ten for a title, so that a large library can be searched.
  private let stepsOfText: Int
  /// Steps between two looks at whether the question has become pointless.
  private static let stepsBetweenLooks = 1024
  private let interruption: @Sendable () -> String?
  /// Why nothing more is compared.
  package fileprivate(set) var refusal: Ack?

  /// A budget of `steps`, and `stepsOfText` more for each text. The standard lets a question take some 0.2 s, and 3 µs
  /// for each text. `interruption` is asked between steps; where it has a reason, comparing ends.
  package init(
    steps: Int = 10_000_000, stepsOfText: Int = 200, interruption: @escaping @Sendable () -> String? = { nil }
  ) {
    self.steps = steps
    self.stepsOfText = stepsOfText
    self.interruption = interruption
  }

  fileprivate mutating func addText() { steps += stepsOfText }

  /// Takes a step; false if there is none left.
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

extension Ack {
  /// A command that was ended before its time, for this reason.
  package static func interrupted(_ reason: String) -> Ack { Ack(.system, "nothing was done: \(reason)") }
}

/// A regular expression as Perl has them, by PCRE2, which mpd has too. Other than there, characters are those of UTF-8 and
/// not bytes, so that `.` is one `ü` and `Ü` its capital. Text that is not UTF-8 is looked into all the same.
///
/// The library is loaded when the first expression is met. A client's expression can take neither memory nor time beyond
/// limits: PCRE2 bounds what an expression may grow to, and a budget what its comparisons cost. PCRE2's own limit of steps
/// counts anew at each character of each text, and so bounds no question.
package final class TextPattern: Sendable {
  /// Bytes of an expression, and groups in groups: PCRE2 takes 40 ms to understand some of 4000 bytes, on the thread that
  /// answers all clients. People write a tenth of these.
  private static let sizeLimit = 512
  private static let depthLimit: UInt32 = 16
  /// Characters in all ranges such as `[а-я]`: without regard to case PCRE2 looks at each, 15 ms for all of Unicode.
  private static let rangeLimit: UInt32 = 1 << 17
  /// Kilobytes that one comparison may take: groups that repeat over a text of 4000 characters need half of it.
  private static let memoryLimit: UInt32 = 2048

  private let calls: PCRECalls
  // Only read after `init` and until `deinit`, by functions that may be called from any thread.
  private nonisolated(unsafe) let code: OpaquePointer

  /// Understands an expression, or refuses it in mpd's words.
  ///
  /// - Parameters:
  ///   - source: the expression, as PCRE2 reads it.
  ///   - foldsCase: whether capitals and small letters are the same.
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

  /// Whether the expression is found in a text. Throws where the budget does not suffice for an answer, and for every text
  /// after that. Any thread.
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

/// Called by PCRE2 before each item of an expression; not 0 ends the comparison.
private func takeStep(_ block: OpaquePointer?, _ budget: UnsafeMutableRawPointer?) -> Int32 {
  guard let budget, budget.assumingMemoryBound(to: PatternBudget.self).pointee.takeStep() else {
    return PCRECalls.stopped
  }
  return 0
}

/// libpcre2's functions. Not linked: a player whose clients do not look for expressions does without the library.
private struct PCRECalls: Sendable {
  /// What a C function takes for a value of a type that only the library knows.
  typealias Opaque = OpaquePointer?

  typealias Compile =
    @convention(c) @Sendable (
      UnsafePointer<UInt8>?, Int, UInt32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int>?, Opaque
    ) -> Opaque
  typealias Match =
    @convention(c) @Sendable (Opaque, UnsafePointer<UInt8>?, Int, Int, UInt32, Opaque, Opaque) -> Int32
  typealias Free = @convention(c) @Sendable (Opaque) -> Void
  typealias SetLimit = @convention(c) @Sendable (Opaque, UInt32) -> Int32
  typealias Callout = @convention(c) (Opaque, UnsafeMutableRawPointer?) -> Int32

  let compile: Compile
  let free: Free
  let errorText: @convention(c) @Sendable (Int32, UnsafeMutablePointer<UInt8>?, Int) -> Int32
  let makeLimits: @convention(c) @Sendable (Opaque) -> Opaque
  let makeRules: @convention(c) @Sendable (Opaque) -> Opaque
  let setDepthLimit: SetLimit
  let freeRules: Free
  let setMemoryLimit: SetLimit
  let setCallout: @convention(c) @Sendable (Opaque, Callout?, UnsafeMutableRawPointer?) -> Int32
  let freeLimits: Free
  let makeMatch: @convention(c) @Sendable (UInt32, Opaque) -> Opaque
  let match: Match
  let freeMatch: Free

  // Numbers of pcre2.h: UTF, invalid UTF is no error, the dot is a newline too, groups without names are not noted, `\C`, a
  // single byte of a character, is refused, and each item is reported.
  static let standard: UInt32 = 0x0008_0000 | 0x0400_0000 | 0x20 | 0x2000 | 0x0010_0000 | 0x4
  static let caseless: UInt32 = 0x8
  static let noMatch: Int32 = -1
  /// A callout has ended the comparison.
  static let stopped: Int32 = -37

  /// Of the whole process: the library stays. `nil` where the system has none.
  static let shared = PCRECalls()

  private init?() {
    guard let library = dlopen("libpcre2-8.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
    struct Missing: Error {}
    func find<Function>(_ name: String) throws(Missing) -> Function {
      guard let address = dlsym(library, "pcre2_\(name)_8") else { throw Missing() }
      // Each type above is that of the function of this name in pcre2.h.
      return unsafeBitCast(address, to: Function.self)
    }
    do throws(Missing) {
      compile = try find("compile")
      free = try find("code_free")
      errorText = try find("get_error_message")
      makeLimits = try find("match_context_create")
      makeRules = try find("compile_context_create")
      setDepthLimit = try find("set_parens_nest_limit")
      freeRules = try find("compile_context_free")
      setMemoryLimit = try find("set_heap_limit")
      setCallout = try find("set_callout")
      freeLimits = try find("match_context_free")
      makeMatch = try find("match_data_create")
      match = try find("match")
      freeMatch = try find("match_data_free")
    } catch {
      return nil
    }
  }

  /// What the library says of a problem.
  func text(_ problem: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = errorText(problem, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
  }
}
