public import Foundation

/// The picture of an item, for `MPMediaItemPropertyArtwork`.
///
/// ```swift
/// if let image = UIImage(data: cover) {
///   info[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(boundsSize: image.size) { _ in image }
/// }
/// ```
///
/// On the session bus it is shown as a file that only this user may read, and that is removed when another picture
/// takes its place or the program exits.
public final class MPMediaItemArtwork: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable, and because of the handler. Both properties are constants. The session bus
  // asks the handler on the main queue; on another thread it is called only by who calls `image(at:)` there.

  /// The full size of the picture.
  public let bounds: CGRect
  private let requestHandler: (CGSize) -> UIImage

  /// A picture that `requestHandler` gives in the size that it is asked for, or in another one. It is asked
  /// on the main queue, for `boundsSize`, after the dictionary with this artwork was set.
  public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
    bounds = CGRect(x: 0, y: 0, width: boundsSize.width, height: boundsSize.height)
    self.requestHandler = requestHandler
    super.init()
  }

  /// This picture.
  public convenience init(image: UIImage) { self.init(boundsSize: image.size) { _ in image } }

  /// The picture in about this size. Calls the handler, on the caller's thread.
  public func image(at size: CGSize) -> UIImage? { requestHandler(size) }
}
