/// Separates the metadata blocks of a live stream from its audio.
struct ICYDemuxer: Sendable {
  enum Part {
    case audio(ArraySlice<UInt8>)
    case metadata(ICYMetadata)
    /// A block that is not valid metadata.
    case broken
  }

  private let interval: Int
  private var audioLeft: Int
  /// Bytes of the current block that are still to come; nil before its length byte.
  private var blockLeft: Int?
  private var block: [UInt8] = []

  /// - Parameter interval: the number of audio bytes between two blocks, at least 1.
  init(interval: Int) {
    self.interval = interval
    audioLeft = interval
  }

  /// Removes the next part from the front of `bytes` and returns it; nil once `bytes` is used up.
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
      // An empty block means that the metadata have not changed.
      guard !block.isEmpty else { continue }
      defer { block.removeAll() }
      return ICYMetadata(block: block).map(Part.metadata) ?? .broken
    }
    return nil
  }
}
