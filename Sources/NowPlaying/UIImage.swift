public import Foundation

/// A picture as it lies in a file, such as a cover. Linux has no UIKit: this is as much of its class as covers need. The
/// picture is kept encoded and never decoded. Does not change; any thread.
public final class UIImage: NSObject, Sendable {
  /// The picture file: PNG or JPEG; empty for an image without a picture.
  public let data: Data
  /// Width and height in pixels.
  public let size: CGSize
  /// Pixels in a unit of `size`: always 1.
  public let scale: CGFloat = 1

  /// An image without a picture, of no size. Nothing is shown for it.
  public override init() {
    data = Data()
    size = .zero
    super.init()
  }

  /// The picture in a PNG or JPEG file's bytes; nil if they are neither, or are cut off before the size.
  public init?(data: Data) {
    guard let size = PictureHeader.size(Array(data.prefix(PictureHeader.limit))) else { return nil }
    self.data = data
    self.size = CGSize(width: size.width, height: size.height)
    super.init()
  }

  /// The picture in a file; nil if there is none. Blocks on the file.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data)
  }

  /// The picture of that name among the resources of the main bundle, with its ending or without (`png`, `jpg`,
  /// `jpeg`); nil if there is none. Blocks on the file.
  public convenience init?(named name: String) {
    for ending in [nil, "png", "jpg", "jpeg"] {
      if let path = Bundle.main.path(forResource: name, ofType: ending) {
        self.init(contentsOfFile: path)
        return
      }
    }
    return nil
  }

  /// The picture as a PNG file; nil if it is a JPEG, since it is not encoded anew.
  public func pngData() -> Data? { data.first == 0x89 ? data : nil }

  /// The picture as a JPEG file; nil if it is a PNG, since it is not encoded anew. The quality has no effect.
  public func jpegData(compressionQuality: CGFloat) -> Data? { data.first == 0xFF ? data : nil }
}

/// Finds the size of a picture.
enum PictureHeader {
  /// How much of a file is looked at. Before its size a JPEG may have profiles and small pictures of 64 KiB each.
  static let limit = 1 << 20

  /// Width and height in pixels; nil if these are not the beginning of a PNG or a JPEG.
  static func size(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return sizeOfPNG(bytes) }
    if bytes.starts(with: [0xFF, 0xD8]) { return sizeOfJPEG(bytes) }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func sizeOfPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count >= 24 else { return nil }
    return (number(bytes[16..<20]), number(bytes[20..<24]))
  }

  private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    var place = 2
    while place + 9 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      switch marker {
      // Filler, and markers without content.
      case 0xFF: place += 1
      case 0x01, 0xD0...0xD7: place += 2
      // Frame headers but for tables and arithmetic conditioning, which share their range.
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        return (number(bytes[(place + 7)..<(place + 9)]), number(bytes[(place + 5)..<(place + 7)]))
      // The picture itself, or its end, before any frame header.
      case 0xD9, 0xDA: return nil
      default:
        let length = number(bytes[(place + 2)..<(place + 4)])
        guard length >= 2 else { return nil }
        place += 2 + length
      }
    }
    return nil
  }
}
