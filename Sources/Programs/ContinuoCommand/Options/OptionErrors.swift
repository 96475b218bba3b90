import ArgumentParser

struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message for display, without a full stop.
  let description: String

  init(_ description: String) { self.description = description }
}

extension ValidationError {
  init(contradiction first: String, _ second: String) {
    self.init("\(first) and \(second) contradict each other.")
  }

  static func rejectEmpty(_ options: KeyValuePairs<String, String?>) throws {
    for (name, value) in options where value == "" { throw ValidationError("\(name) has an empty value.") }
  }

  static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ValidationError("\(error).") }
  }
}

extension [String] {
  /// Removes a `--` that ends the options, because the parser leaves it among the remaining words.
  mutating func removeTerminator() { if first == "--" { removeFirst() } }
}
