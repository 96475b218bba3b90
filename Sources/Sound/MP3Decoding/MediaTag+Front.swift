package import AudioCore

extension MediaTag {
  /// Creates the tag from the beginning of a file, as far as the bytes reach; empty if they do not begin with
  /// an ID3v2 tag.
  package init(front bytes: [UInt8]) { self = ID3Fields.tag(version2: bytes) }
}
