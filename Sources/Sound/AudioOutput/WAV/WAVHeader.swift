package import AudioCore

/// The header of a WAV file with 32-bit float samples.
///
/// The chunks are RIFF, JUNK (a placeholder for `ds64`), `fmt ` (WAVE_FORMAT_IEEE_FLOAT with its empty
/// extension), `fact` and the head of `data`. Beyond 4 GiB the header becomes RF64 (EBU Tech 3306) in place.
/// The 32-bit sizes become all ones, and JUNK becomes `ds64` with the 64-bit sizes; no later byte moves.
package struct WAVHeader {
  package static let size = 94

  package private(set) var bytes: [UInt8] = []

  /// Creates the header for `dataBytes` bytes of samples. Nil means an unknown length, for which the header
  /// has the largest possible sizes, as usual in pipes.
  package init(format: PCMFormat, dataBytes: UInt64?) {
    bytes.reserveCapacity(Self.size)
    let frames = dataBytes.map { $0 / UInt64(format.bytesPerFrame) }
    let riffBytes = dataBytes.map { $0 + UInt64(Self.size) - 8 }
    let isLong = riffBytes.map { $0 > UInt64(UInt32.max) } ?? false

    put(isLong ? "RF64" : "RIFF")
    put(riffBytes.flatMap(UInt32.init(exactly:)) ?? .max)
    put("WAVE")

    put(isLong ? "ds64" : "JUNK")
    put(UInt32(28))
    put(isLong ? riffBytes ?? 0 : 0)
    put(isLong ? dataBytes ?? 0 : 0)
    put(isLong ? frames ?? 0 : 0)
    put(UInt32(0))  // Length of the table of further 64-bit chunk sizes: none.

    put("fmt ")
    put(UInt32(18))
    put(UInt16(3))  // WAVE_FORMAT_IEEE_FLOAT
    put(UInt16(format.channelCount))
    put(UInt32(format.sampleRate))
    put(UInt32(format.sampleRate * format.bytesPerFrame))
    put(UInt16(format.bytesPerFrame))
    put(UInt16(32))
    put(UInt16(0))  // Length of the extension, required for every format but PCM.

    put("fact")
    put(UInt32(4))
    put(isLong ? UInt32.max : frames.flatMap(UInt32.init(exactly:)) ?? .max)

    put("data")
    put(isLong ? UInt32.max : dataBytes.flatMap(UInt32.init(exactly:)) ?? .max)
  }

  private mutating func put(_ name: StaticString) { name.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  private mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
