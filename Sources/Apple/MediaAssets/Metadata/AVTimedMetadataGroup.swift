public import Foundation
public import MediaTime

/// A group of related metadata items.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the object is immutable.

  /// The items of the group.
  public let items: [AVMetadataItem]

  init(_ items: [AVMetadataItem]) {
    self.items = items
    super.init()
  }
}

/// A group of metadata that apply to a part of an asset, such as a chapter's title. Immutable; any thread.
open class AVTimedMetadataGroup: AVMetadataGroup, @unchecked Sendable {
  // Unchecked as the superclass.

  /// The part of the asset to which the items apply.
  public let timeRange: CMTimeRange

  /// Creates a group of items that apply to `timeRange`.
  public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
    self.timeRange = timeRange
    super.init(items)
  }
}
