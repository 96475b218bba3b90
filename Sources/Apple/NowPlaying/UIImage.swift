public import Foundation

/// An encoded picture, such as cover art. Linux has no UIKit, so this class provides only the members that
/// cover art needs. The picture is never decoded. Immutable; any thread.
public final class UIImage: NSObject, Sendable {
  /// The PNG or JPEG file; empty for an image without a picture.
  public let data: Data
  /// The width and height in pixels.
  public let size: CGSize
  /// The number of pixels per unit of `size`. Always 1.
  public let scale: CGFloat = 1

  /// Creates an empty image of size zero, which is not published.
  public override init() {
    data = Data()
    size = .zero
    super.init()
  }

  /// Creates an image from the bytes of a PNG or JPEG file; nil for other formats, and if the first MiB does
  /// not contain the size.
  public init?(data: Data) {
    guard let size = PictureHeader.size(Array(data.prefix(PictureHeader.limit))) else { return nil }
    self.data = data
    self.size = CGSize(width: size.width, height: size.height)
    super.init()
  }

  /// Creates an image from a PNG or JPEG file; nil if it cannot be read or has another format. Blocks on the
  /// file.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data)
  }

  /// Creates an image from a resource of the main bundle. `name` may omit the extension `png`, `jpg` or `jpeg`.
  /// Returns nil if no resource is found, or if it is not a PNG or JPEG file. Blocks on the file.
  public convenience init?(named name: String) {
    for ending in [nil, "png", "jpg", "jpeg"] {
      if let path = Bundle.main.path(forResource: name, ofType: ending) {
        self.init(contentsOfFile: path)
        return
      }
    }
    return nil
  }

  /// Returns the picture if it is a PNG file; otherwise nil, since pictures are not re-encoded.
  public func pngData() -> Data? { data.first == 0x89 ? data : nil }

  /// Returns the picture if it is a JPEG file; otherwise nil, since pictures are not re-encoded. The quality
  /// is ignored.
  public func jpegData(compressionQuality: CGFloat) -> Data? { data.first == 0xFF ? data : nil }
}

/// The artwork of an item, for `MPMediaItemPropertyArtwork`.
///
/// ```swift
/// if let image = UIImage(data: cover) {
///   info[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(boundsSize: image.size) { _ in image }
/// }
/// ```
///
/// On the session bus the artwork is a file readable only by this user. The file is removed when the artwork is
/// replaced or no longer set, or when the program exits normally.
public final class MPMediaItemArtwork: NSObject, @unchecked Sendable {
  // Unchecked because the handler is not Sendable. Both properties are constants. The session bus calls the
  // handler on the main queue. Other threads call it only through `image(at:)`.

  /// The full size of the artwork.
  public let bounds: CGRect
  private let requestHandler: (CGSize) -> UIImage

  /// Creates artwork whose picture `requestHandler` supplies in the requested size or another one. The
  /// handler is called on the main queue with `boundsSize` at each publication while the dictionary contains this
  /// artwork, and by `image(at:)`.
  public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
    bounds = CGRect(x: 0, y: 0, width: boundsSize.width, height: boundsSize.height)
    self.requestHandler = requestHandler
    super.init()
  }

  /// Creates artwork from a picture of fixed size.
  public convenience init(image: UIImage) { self.init(boundsSize: image.size) { _ in image } }

  /// Returns the picture that the handler supplies for the given size. Calls the handler on the caller's thread.
  public func image(at size: CGSize) -> UIImage? { requestHandler(size) }
}

enum PictureHeader {
  /// The maximum number of bytes that are searched for the size. A JPEG may contain profiles and thumbnails
  /// of 64 KiB each before its size.
  static let limit = 1 << 20

  /// Returns the size in pixels; nil if the bytes do not begin a PNG or JPEG file, or end before its size.
  static func size(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return bytes.count >= 24 ? (number(bytes[16..<20]), number(bytes[20..<24])) : nil
    }
    return bytes.starts(with: [0xFF, 0xD8]) ? sizeOfJPEG(bytes) : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    var place = 2
    while place + 9 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      switch marker {
      // Fill bytes, and markers without content.
      case 0xFF: place += 1
      case 0x01, 0xD0...0xD7: place += 2
      // Frame headers. Huffman tables (C4), arithmetic conditioning (CC) and the reserved C8 are in the same
      // range.
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        return (number(bytes[(place + 7)..<(place + 9)]), number(bytes[(place + 5)..<(place + 7)]))
      // The image data (DA) or the end of the image (D9), before any frame header.
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
