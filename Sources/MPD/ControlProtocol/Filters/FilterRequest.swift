/// A filter as a client sent it: expressions in parentheses, pairs of a name and a value, or both. A song
/// must match all of them.
package struct FilterRequest: Hashable, Sendable {
  package let arguments: [Argument]
  package let expression: FilterExpression

  /// Parses the arguments of a filter. Throws mpd's errors, and one for more conditions than
  /// `ProtocolLimits.filterConditions`. `isSearch`: whether the value of a pair may match a part of the text;
  /// in expressions the operator determines that.
  package init(_ arguments: [Argument], isSearch: Bool) throws(Ack) {
    var rest = arguments[...]
    var parts: [FilterExpression] = []
    repeat {
      if rest.first?.bytes.first == Byte.openingParenthesis, let argument = rest.popFirst() {
        parts.append(try FilterParser.expression(argument))
      } else if let name = rest.popFirst(), let value = rest.popFirst() {
        parts.append(try Self.pair(name, value, isSearch: isSearch))
      } else {
        throw Ack(.argument, "Incorrect number of filter arguments")
      }
    } while !rest.isEmpty
    self.arguments = arguments
    expression = parts.count == 1 ? parts[0] : .all(parts)
    guard expression.conditions <= ProtocolLimits.filterConditions else {
      throw Ack(.argument, "Too many conditions")
    }
  }

  private static func pair(
    _ name: Argument, _ value: Argument, isSearch: Bool
  ) throws(Ack) -> FilterExpression {
    let test = isSearch ? TextTest.contains(value) : .equals(value)
    switch FilterSubject(name) {
    case .tag(let type): return .tag(type, test)
    case .file: return .file(named: test)
    case .base:
      guard value.isPlainRelativePath else { throw Ack(.argument, "Bad URI") }
      return .named(value) { .base($0) }
    case .modifiedSince: return .modifiedSince(try TimeStamp.seconds(value))
    case .audioFormat, nil: throw Ack(.argument, "Unknown filter type")
    }
  }
}

enum FilterSubject {
  /// A tag; nil for any tag.
  case tag(TagType?)
  case file, base, modifiedSince, audioFormat

  /// Creates the subject of this name. As in mpd, `base` and `modified-since` must be lowercase.
  init?(_ name: Argument) {
    switch name {
    case "base": self = .base
    case "modified-since": self = .modifiedSince
    default:
      switch name.bytes.map(\.lowercased) {
      case Array("any".utf8): self = .tag(nil)
      case Array("file".utf8), Array("filename".utf8): self = .file
      case Array("audioformat".utf8): self = .audioFormat
      default:
        guard let type = TagType(name: name) else { return nil }
        self = .tag(type)
      }
    }
  }
}

extension Argument {
  /// Whether the path consists of names separated by single slashes, without `.` and `..`.
  package var isPlainRelativePath: Bool {
    bytes.split(separator: Byte.slash, omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && !$0.isWord(".") && !$0.isWord("..") }
  }
}
