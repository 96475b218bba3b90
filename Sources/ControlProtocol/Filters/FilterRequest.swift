/// A filter as a client sent it: expressions in parentheses, pairs of a name and a value, or both, all of which have to
/// hold.
package struct FilterRequest: Hashable, Sendable {
  /// As they came.
  package let arguments: [Argument]
  /// What they mean.
  package let expression: FilterExpression

  /// Understands a filter, or refuses it in mpd's words.
  ///
  /// - Parameters:
  ///   - arguments: Those of the filter, as they came.
  ///   - isSearch: Whether a pair looks for a part of the text and not for all of it. In an expression the operator
  ///     says that.
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
    case .file: return .file(test)
    case .base:
      guard value.isPlainRelativePath else { throw Ack(.argument, "Bad URI") }
      return .base(value)
    case .modifiedSince: return .modifiedSince(try TimeStamp.seconds(value))
    case .audioFormat, nil: throw Ack(.argument, "Unknown filter type")
    }
  }
}

/// What a condition can be about.
enum FilterSubject {
  /// `nil` for any.
  case tag(TagType?)
  case file, base, modifiedSince, audioFormat

  /// The subject of this name. Two of the names are known in small letters only, as in mpd.
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
  /// Whether it is names with single slashes between them, none of them `.` or `..`.
  package var isPlainRelativePath: Bool {
    bytes.split(separator: Byte.slash, omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && !$0.isWord(".") && !$0.isWord("..") }
  }
}
