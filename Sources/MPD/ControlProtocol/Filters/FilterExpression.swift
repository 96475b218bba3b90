/// The meaning of a filter that songs must match, independent of the syntax in which it was written.
///
/// Read from at most `ProtocolLimits.filterDepth` levels of parentheses, so its depth is limited.
package indirect enum FilterExpression: Hashable, Sendable {
  /// A value of the tag, or of any tag if nil, passes the test. In a song without the given tag, the first of
  /// `TagType.substitutes` that the song has is tested. Without a substitute, the song passes only a test
  /// whose text or expression is empty.
  case tag(TagType?, TextTest)
  case file(TextTest)
  /// The file has this name or is inside the folder of this name; the empty name contains every file. Case is
  /// always significant.
  case base(Argument)
  /// The file was changed at this time or later, in seconds since 1970.
  case modifiedSince(Int64)
  case audioFormat(AudioFormatMask)
  case not(FilterExpression)
  case all([FilterExpression])

  /// Returns a condition on a file's name. Also accepts the name that is not UTF-8 and that replies show as `name`.
  static func named(_ name: Argument, _ condition: (Argument) -> FilterExpression) -> FilterExpression {
    guard let original = name.original else { return condition(name) }
    return .not(.all([.not(condition(name)), .not(condition(original))]))
  }

  /// Returns a test of a file's name. A whole name is also accepted as replies show it.
  static func file(named test: TextTest) -> FilterExpression {
    guard case .equals(let name) = test else { return .file(test) }
    return named(name) { .file(.equals($0)) }
  }

  var conditions: Int {
    switch self {
    case .tag, .file, .base, .modifiedSince, .audioFormat: 1
    case .not(let other): other.conditions
    case .all(let parts): parts.reduce(0) { $0 + $1.conditions }
    }
  }

  /// The regular expressions in the filter. Their syntax is not checked yet.
  package var patterns: [Argument] {
    switch self {
    case .tag(_, .matches(let source)), .file(.matches(let source)): [source]
    case .tag, .file, .base, .modifiedSince, .audioFormat: []
    case .not(let other): other.patterns
    case .all(let parts): parts.flatMap(\.patterns)
    }
  }
}

/// A test of a text. The command determines whether case is ignored.
package enum TextTest: Hashable, Sendable {
  case equals(Argument)
  case contains(Argument)
  /// The regular expression matches a part of the text. Its syntax is checked when the command is performed.
  /// In a song without the tag and its substitutes, only the empty expression matches.
  case matches(Argument)
}

extension TagType {
  /// The tags that replace this tag in a song without it, in order of preference.
  package var substitutes: [TagType] {
    switch self {
    case .albumArtist, .artistSort: [.artist]
    case .albumSort: [.album]
    case .albumArtistSort: [.albumArtist, .artist]
    default: []
    }
  }
}
