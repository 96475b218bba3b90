internal import Glibc

/// A regular expression as Perl has them, by PCRE2, which mpd has too. Other than there, characters are those of UTF-8 and
/// not bytes, so that `.` is one `ü` and `Ü` its capital. Text that is not UTF-8 is looked into all the same.
///
/// The library is loaded when the first expression is met. A client's expression can take neither memory nor time beyond
/// limits: PCRE2 bounds what an expression may grow to, and what one comparison costs is bounded here.
package final class TextPattern: Sendable {
  /// Steps of one comparison: far more than an expression needs that somebody meant. What needs more does not match.
  private static let stepLimit: UInt32 = 20_000
  /// Kilobytes that one comparison may take.
  private static let memoryLimit: UInt32 = 512

  private let calls: PCRECalls
  // Both are only read after `init` and until `deinit`, by functions that may be called from any thread.
  private nonisolated(unsafe) let code: OpaquePointer
  private nonisolated(unsafe) let limits: OpaquePointer?

  /// Understands an expression, or refuses it in mpd's words.
  ///
  /// - Parameters:
  ///   - source: the expression, as PCRE2 reads it.
  ///   - foldsCase: whether capitals and small letters are the same.
  package init(_ source: Argument, foldsCase: Bool) throws(Ack) {
    guard let calls = PCRECalls.shared else {
      throw Ack(.unknown, "regular expressions need libpcre2-8.so.0, which cannot be loaded")
    }
    self.calls = calls
    var problem: Int32 = 0
    var offset = 0
    let options = PCRECalls.standard | (foldsCase ? PCRECalls.caseless : 0)
    let compiled = source.bytes.withUnsafeBufferPointer {
      calls.compile($0.baseAddress, $0.count, options, &problem, &offset, nil)
    }
    guard let compiled else {
      throw Ack(.argument, "Error in regex at offset \(offset): \(calls.text(problem))")
    }
    code = compiled
    limits = calls.makeLimits(nil)
    _ = calls.setStepLimit(limits, Self.stepLimit)
    _ = calls.setMemoryLimit(limits, Self.memoryLimit)
  }

  deinit {
    calls.freeLimits(limits)
    calls.free(code)
  }

  /// Whether it is found in a text. Any thread.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let match = calls.makeMatch(1, nil) else { return false }
    defer { calls.freeMatch(match) }
    return calls.match(code, text.baseAddress, text.count, 0, 0, match, limits) >= 0
  }
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

  let compile: Compile
  let free: Free
  let errorText: @convention(c) @Sendable (Int32, UnsafeMutablePointer<UInt8>?, Int) -> Int32
  let makeLimits: @convention(c) @Sendable (Opaque) -> Opaque
  let setStepLimit: SetLimit
  let setMemoryLimit: SetLimit
  let freeLimits: Free
  let makeMatch: @convention(c) @Sendable (UInt32, Opaque) -> Opaque
  let match: Match
  let freeMatch: Free

  // Numbers of pcre2.h: UTF, invalid UTF is no error, the dot is a newline too, groups without names are not noted, and
  // `\C`, a single byte of a character, is refused.
  static let standard: UInt32 = 0x0008_0000 | 0x0400_0000 | 0x20 | 0x2000 | 0x0010_0000
  static let caseless: UInt32 = 0x8

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
      setStepLimit = try find("set_match_limit")
      setMemoryLimit = try find("set_heap_limit")
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
