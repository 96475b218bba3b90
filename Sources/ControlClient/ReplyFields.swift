package import ControlProtocol
internal import TextFormatting

/// The lines of a reply, or of one record in it.
package struct ReplyFields: Hashable, Sendable {
  /// A line.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: Argument
  }

  /// The lines, in their order.
  package private(set) var fields: [Field] = []

  /// What is in these elements; binary data and ends of commands are left out.
  package init(_ elements: some Sequence<ReplyParser.Element> = []) {
    for case .pair(let name, let value) in elements { append(name, value) }
  }

  package mutating func append(_ name: String, _ value: Argument) {
    fields.append(Field(name: name, value: value))
  }

  /// The first value of that name; nil if there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value.description }

  /// All values of that name, with commas; nil if there is none.
  package func joined(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value.description)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// A decimal number of seconds; nil if it is none.
  package func time(_ name: String) -> Duration? { self[name].flatMap { TimeText.parse($0) } }

  /// What lies between lines of that name, each with the one that it begins with. What comes before is left out.
  package func records(from first: String) -> [ReplyFields] {
    var records: [ReplyFields] = []
    for field in fields {
      if field.name == first { records.append(ReplyFields()) }
      if let last = records.indices.last { records[last].fields.append(field) }
    }
    return records
  }
}
