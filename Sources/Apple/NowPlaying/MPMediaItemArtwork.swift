public import Foundation

/// The artwork of an item, for `MPMediaItemPropertyArtwork`.
///
/// ```swift
/// if let image = UIImage(data: cover) {
///   info[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(boundsSize: image.size) { _ in image }
/// }
/// ```
///
/// On the session bus the artwork is a file readable only by this user. The file is removed when other
/// artwork replaces it, or when the program exits.
public final class MPMediaItemArtwork: NSObject, @unchecked Sendable {
  // Unchecked because NSObject and the handler are not Sendable. Both properties are constants. The session
  // bus calls the handler on the main queue. Other threads call it only through `image(at:)`.

  /// The full size of the artwork.
  public let bounds: CGRect
  private let requestHandler: (CGSize) -> UIImage

  /// Creates artwork whose picture `requestHandler` supplies in the requested size or another one. The
  /// handler is called on the main queue with `boundsSize`, after the dictionary with this artwork was set.
  public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
    bounds = CGRect(x: 0, y: 0, width: boundsSize.width, height: boundsSize.height)
    self.requestHandler = requestHandler
    super.init()
  }

  /// Creates artwork from a picture of fixed size.
  public convenience init(image: UIImage) { self.init(boundsSize: image.size) { _ in image } }

  /// Returns the artwork in approximately the given size. Calls the handler on the caller's thread.
  public func image(at size: CGSize) -> UIImage? { requestHandler(size) }
}
