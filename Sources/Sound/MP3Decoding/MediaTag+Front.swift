package import AudioCore

extension MediaTag {
  /// Creates the tag from the beginning of a file, as far as it reaches; empty without an ID3v2 tag there.
  package init(front bytes: [UInt8]) { self = ID3Fields.tag(version2: bytes) }
}
