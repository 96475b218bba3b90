/// What a song has to be for a client to find it: the meaning of a filter, in whichever form it was written.
///
/// At most `ProtocolLimits.filterDepth` deep.
package indirect enum FilterExpression: Hashable, Sendable {
  /// A value of this tag passes; of any tag if it is `nil`. Where a song does not have the tag, the first of
  /// `TagType.substitutes` that it has stands for it, and else the empty text.
  case tag(TagType?, TextTest)
  /// The file's name passes.
  case file(TextTest)
  /// The file is this one or lies below this folder; every file lies below the empty name. Letters are never folded.
  case base(Argument)
  /// The file was changed then or later, in seconds since 1970.
  case modifiedSince(Int64)
  /// The sound is of such a format.
  case audioFormat(AudioFormatMask)
  /// The other one does not hold.
  case not(FilterExpression)
  /// Every one of them holds.
  case all([FilterExpression])

  /// How many conditions there are in it.
  var conditions: Int {
    switch self {
    case .tag, .file, .base, .modifiedSince, .audioFormat: 1
    case .not(let other): other.conditions
    case .all(let parts): parts.reduce(0) { $0 + $1.conditions }
    }
  }
}

/// What is asked of a text. Whether capitals and small letters are the same is the command's business.
package enum TextTest: Hashable, Sendable {
  /// It is this one.
  case equals(Argument)
  /// This one is in it.
  case contains(Argument)
  /// This regular expression, which was understood once, is found in it: see `TextPattern`. A song without the tag has
  /// only the empty expression.
  case matches(Argument)
}

extension TagType {
  /// The tags that stand for this one in a song that does not have it, the first choice first.
  package var substitutes: [TagType] {
    switch self {
    case .albumArtist, .artistSort: [.artist]
    case .albumSort: [.album]
    case .albumArtistSort: [.albumArtist, .artist]
    default: []
    }
  }
}
