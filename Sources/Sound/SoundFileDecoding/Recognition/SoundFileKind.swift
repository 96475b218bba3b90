import AudioCore

/// The containers that are decoded with libsndfile, recognized by their first bytes.
package enum SoundFileKind: Hashable {
  case flac, ogg, wav, wave64, aiff, caf

  var name: String {
    switch self {
    case .flac: "FLAC"
    case .ogg: "Ogg"
    case .wav: "WAV"
    case .wave64: "Wave64"
    case .aiff: "AIFF"
    case .caf: "CAF"
    }
  }

  /// Creates the kind of a file with these first bytes; nil for other files.
  package init?(_ bytes: some Collection<UInt8>) {
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    if has("fLaC") {
      self = .flac
    } else if has("OggS") {
      self = .ogg
    } else if has("RIFF") || has("RIFX") || has("RF64"), has("WAVE", at: 8) {
      self = .wav
    } else if has("riff"), bytes.dropFirst(4).starts(with: [0x2E, 0x91, 0xCF, 0x11]) {
      self = .wave64
    } else if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) {
      self = .aiff
    } else if has("caff") {
      self = .caf
    } else {
      return nil
    }
  }

  /// Returns whether the chunks of a WAV or AIFF file with these first bytes have big-endian sizes.
  static func hasBigEndianChunks(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: "RIFX".utf8) || bytes.starts(with: "FORM".utf8)
  }
}
