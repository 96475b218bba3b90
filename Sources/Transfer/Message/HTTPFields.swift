/// Header fields in their order.
package struct HTTPFields: Hashable, Sendable {
  /// A field.
  package struct Field: Hashable, Sendable {
    /// The name as it was written.
    package var name: String
    /// The value, without blanks around it.
    package var value: String
  }

  /// All of them.
  package private(set) var all: [Field] = []

  /// No fields.
  package init() {}

  /// Whether this can be the name of a field, or a method: one or more of the characters that RFC 9110, 5.6.2 allows.
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }

  /// Whether a request may have such a field: a name that is a token, a value without line ends and other control
  /// characters.
  package static func allows(_ name: String, _ value: String) -> Bool {
    isToken(name) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Adds a field behind the others.
  package mutating func add(_ name: String, _ value: String) {
    all.append(Field(name: name, value: value.trimmedOfBlanks))
  }

  /// Puts a field in place of those of its name.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    add(name, value)
  }

  /// Takes the fields of a name out.
  package mutating func remove(_ name: String) {
    all.removeAll { Self.isSame($0.name, name) }
  }

  /// Adds a line that goes on with the value of the last field.
  mutating func extend(_ text: String) {
    guard let last = all.indices.last else { return }
    all[last].value += " " + text.trimmedOfBlanks
  }

  /// The first value of a name, in whatever case it was written.
  package subscript(_ name: String) -> String? {
    all.first { Self.isSame($0.name, name) }?.value
  }

  /// Whether two names are the same but for upper and lower case.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 | 0x20 && $0.isLetter) }
  }
}
