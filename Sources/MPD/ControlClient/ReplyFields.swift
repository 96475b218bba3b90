package import ControlProtocol
internal import TextFormatting

/// The lines of a reply or of one record in a reply.
package struct ReplyFields: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: Argument
  }

  package private(set) var fields: [Field] = []

  /// Collects the name-value pairs of `elements`; binary data and ends of commands are left out.
  package init(_ elements: some Sequence<ReplyParser.Element> = []) {
    for case .pair(let name, let value) in elements { append(name, value) }
  }

  package mutating func append(_ name: String, _ value: Argument) {
    fields.append(Field(name: name, value: value))
  }

  /// The first value with that name; nil if none exists.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value.description }

  /// Returns all values with that name, separated by commas; nil if none exists.
  package func joined(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value.description)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Returns a value in seconds as a duration; nil if it is missing or not a time.
  package func time(_ name: String) -> Duration? { self[name].flatMap { TimeText.parse($0) } }

  /// Returns the lines as records, each of which starts with a line named `first`. Lines before the first
  /// record are left out.
  package func records(from first: String) -> [ReplyFields] {
    var records: [ReplyFields] = []
    for field in fields {
      if field.name == first { records.append(ReplyFields()) }
      if let last = records.indices.last { records[last].fields.append(field) }
    }
    return records
  }
}
