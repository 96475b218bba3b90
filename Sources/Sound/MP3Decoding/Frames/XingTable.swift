import AudioCore

/// The seek table in a Xing or Info frame: 100 positions at equal intervals of time, each in 256ths of the
/// audio's bytes.
struct XingTable: Equatable {
  /// The offset of the Xing or Info frame, from which the positions count.
  var start: Int64
  /// The number of bytes from `start` to the end of the audio.
  var byteCount: Int64
  var places: [UInt8]

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

  /// Creates the table of a source whose first frame is at `audioStart`; nil if missing, invalid or not
  /// available yet.
  init?(_ source: any ByteSource, audioStart: Int64) {
    guard let (frame, offset) = try? XingFrame.find(in: source, before: audioStart),
      let byteCount = frame.byteCount, let places = frame.places
    else { return nil }
    (start, self.byteCount, self.places) = (offset, byteCount, places)
  }
}
