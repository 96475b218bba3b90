package struct HTTPFields: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    package var name: String
    /// The value, without blanks around it.
    package var value: String
  }

  package private(set) var all: [Field] = []

  package init() {}

  /// Returns whether a text is a valid field name or method (RFC 9110, 5.6.2).
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }

  /// Returns whether a request may have this field, whose name must be a token, and whose value must not
  /// contain control characters except tabs.
  package static func allows(_ name: String, _ value: String) -> Bool {
    isToken(name) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  package mutating func add(_ name: String, _ value: String) {
    all.append(Field(name: name, value: value.trimmedOfBlanks))
  }

  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    add(name, value)
  }

  package mutating func remove(_ name: String) {
    all.removeAll { Self.isSame($0.name, name) }
  }

  /// Appends a continuation line to the value of the last field.
  mutating func extend(_ text: String) {
    guard let last = all.indices.last else { return }
    all[last].value += " " + text.trimmedOfBlanks
  }

  /// The first value of the field with this name, compared without case.
  package subscript(_ name: String) -> String? {
    all.first { Self.isSame($0.name, name) }?.value
  }

  /// Returns whether two names are equal except for case.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 | 0x20 && $0.isLetter) }
  }
}
