import AudioCore

/// The seek table in a Xing or Info frame: 100 positions at equal intervals of time, each in 256ths of the
/// audio's bytes.
struct XingTable: Equatable {
  /// The offset of the Xing or Info frame, from which the positions count.
  var start: Int64
  /// The number of bytes from `start` to the end of the audio.
  var byteCount: Int64
  var places: [UInt8]

  /// The number of bytes examined before the first frame: the size of the longest possible frame.
  static let window: Int64 = 2_881

  /// Returns the offset at the fraction `part` (0…1) of the playing time.
  func offset(ofPart part: Double) -> Int64 {
    let place = min(max(0, part), 1) * 100
    let index = min(Int(place), 99)
    let low = Double(places[index])
    let high = index < 99 ? Double(places[index + 1]) : 256
    let value = low + (high - low) * (place - Double(index))
    return start + Int64(value / 256 * Double(byteCount))
  }

  /// Returns the fraction of the playing time (0…1) at an offset.
  func part(ofOffset offset: Int64) -> Double {
    let value = Double(offset - start) / Double(byteCount) * 256
    guard value > 0 else { return 0 }
    let index = max(0, (places.firstIndex { Double($0) > value } ?? 100) - 1)
    let low = Double(places[index])
    let high = index < 99 ? Double(places[index + 1]) : 256
    return min(1, (Double(index) + (high > low ? min(1, (value - low) / (high - low)) : 0)) / 100)
  }

  /// Creates the table of a source whose first frame is at `audioStart`; nil if missing or not available yet.
  init?(_ source: any ByteSource, audioStart: Int64) {
    let first = max(0, audioStart - Self.window)
    guard let bytes = try? source.peek(Int(audioStart - first), at: first) else { return nil }
    self.init(bytes, at: first)
  }

  /// Creates the table of the last Xing or Info frame in `bytes`, which begin at `offset` of the source; nil
  /// if they contain no valid table.
  init?(_ bytes: [UInt8], at offset: Int64) {
    let tags = bytes.indices.dropLast(7).reversed().filter {
      bytes[$0..<$0 + 4].elementsEqual("Xing".utf8) || bytes[$0..<$0 + 4].elementsEqual("Info".utf8)
    }
    // The mark follows the header and the side information, whose length depends on version and channels.
    for tag in tags {
      for length in [36, 21, 13] where tag >= length {
        let header = tag - length
        guard bytes[header] == 0xFF, bytes[header + 1] & 0xE6 == 0xE2 else { continue }
        func number(at place: Int) -> Int64 { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
        let flags = number(at: tag + 4)
        // Flag 1: the number of frames comes first. Flag 2: the number of bytes. Flag 4: the table.
        let count = tag + (flags & 1 == 0 ? 8 : 12)
        guard flags & 6 == 6, bytes.count >= count + 104 else { continue }
        let byteCount = number(at: count)
        let places = Array(bytes[count + 4..<count + 104])
        guard byteCount > 0, zip(places, places.dropFirst()).allSatisfy({ $0 <= $1 }) else { continue }
        (start, self.byteCount, self.places) = (offset + Int64(header), byteCount, places)
        return
      }
    }
    return nil
  }
}
