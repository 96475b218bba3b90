package import AudioCore

extension MediaTag {
  /// What an ID3v2 tag says that begins with these bytes, as far as they go; empty if none does.
  package init(front bytes: [UInt8]) { self = ID3Fields.tag(version2: bytes) }
}
