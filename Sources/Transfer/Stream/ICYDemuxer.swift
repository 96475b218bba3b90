/// Takes the metadata blocks out of a live stream.
struct ICYDemuxer: Sendable {
  /// A part of the stream.
  enum Part {
    /// Sound.
    case audio(ArraySlice<UInt8>)
    /// A block that says something.
    case metadata(ICYMetadata)
    /// A block that is no text.
    case broken
  }

  private let interval: Int
  private var audioLeft: Int
  /// Bytes of the present block that are still to come; nil before its length byte.
  private var blockLeft: Int?
  private var block: [UInt8] = []

  /// - Parameter interval: audio bytes between two blocks, at least 1.
  init(interval: Int) {
    self.interval = interval
    audioLeft = interval
  }

  /// The next part of `bytes`, which it takes from the front; nil when all are used up.
  mutating func next(_ bytes: inout ArraySlice<UInt8>) -> Part? {
    while let first = bytes.first {
      if audioLeft > 0 {
        let audio = bytes.prefix(audioLeft)
        audioLeft -= audio.count
        bytes = bytes[audio.endIndex...]
        return .audio(audio)
      }
      if let left = blockLeft {
        let piece = bytes.prefix(left)
        block += piece
        bytes = bytes[piece.endIndex...]
        blockLeft = left - piece.count
      } else {
        blockLeft = Int(first) * 16
        bytes = bytes.dropFirst()
      }
      guard blockLeft == 0 else { continue }
      blockLeft = nil
      audioLeft = interval
      // An empty one says that nothing has changed.
      guard !block.isEmpty else { continue }
      defer { block.removeAll() }
      return ICYMetadata(block: block).map(Part.metadata) ?? .broken
    }
    return nil
  }
}
