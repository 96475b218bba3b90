import AudioCore
import Foundation

/// Reads a WAV or RF64 file of floats by the letter of the specification, apart from the code that writes it.
struct WAVReader {
  struct Malformed: Error {
    var what: String
  }

  private(set) var format = PCMFormat(sampleRate: 0, channelCount: 0)
  private(set) var samples: [Float] = []
  private(set) var declaredDataBytes: UInt64 = 0

  init(path: String) throws {
    try self.init(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// - Parameter isStream: whether the sizes may be those of a stream of unknown length.
  init(_ data: Data, isStream: Bool = false) throws {
    func text(_ offset: Int) throws -> String {
      guard offset + 4 <= data.count else { throw Malformed(what: "ends at \(data.count)") }
      return String(decoding: data[offset..<offset + 4], as: UTF8.self)
    }
    func number<T: FixedWidthInteger>(_ offset: Int, as: T.Type) throws -> T {
      guard offset + MemoryLayout<T>.size <= data.count else {
        throw Malformed(what: "ends at \(data.count)")
      }
      return T(littleEndian: data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) })
    }
    let isLong = try text(0) == "RF64"
    guard try isLong || text(0) == "RIFF", try text(8) == "WAVE" else { throw Malformed(what: "no WAVE") }
    var riffBytes = UInt64(try number(4, as: UInt32.self))
    var position = 12
    var frames: UInt64?
    while true {
      let name = try text(position)
      var size = UInt64(try number(position + 4, as: UInt32.self))
      position += 8
      switch name {
      case "ds64":
        guard isLong, position == 20 else { throw Malformed(what: "ds64 in the wrong place") }
        riffBytes = try number(position, as: UInt64.self)
        declaredDataBytes = try number(position + 8, as: UInt64.self)
        frames = try number(position + 16, as: UInt64.self)
      case "fmt ":
        guard try number(position, as: UInt16.self) == 3, try number(position + 14, as: UInt16.self) == 32
        else {
          throw Malformed(what: "not float")
        }
        format = PCMFormat(
          sampleRate: Int(try number(position + 4, as: UInt32.self)),
          channelCount: Int(try number(position + 2, as: UInt16.self)))
        guard try Int(number(position + 12, as: UInt16.self)) == format.bytesPerFrame,
          try Int(number(position + 8, as: UInt32.self)) == format.bytesPerFrame * format.sampleRate
        else { throw Malformed(what: "fmt contradicts itself") }
      case "fact":
        if !isLong { frames = UInt64(try number(position, as: UInt32.self)) }
      case "data":
        if isLong { size = declaredDataBytes }
        declaredDataBytes = size
        if isStream { size = UInt64(data.count - position) }
        guard isStream || isLong || riffBytes == UInt64(position) + size - 8 else {
          throw Malformed(what: "RIFF has \(riffBytes) bytes, data \(size)")
        }
        guard isStream || frames == size / UInt64(format.bytesPerFrame) else {
          throw Malformed(what: "fact says \(String(describing: frames)) frames")
        }
        let there = min(Int(size), data.count - position)
        samples = [Float](repeating: 0, count: there / 4)
        _ = samples.withUnsafeMutableBytes {
          data.copyBytes(to: $0, from: position..<position + there / 4 * 4)
        }
        return
      default: break
      }
      position += Int(size) + Int(size % 2)
    }
  }
}
