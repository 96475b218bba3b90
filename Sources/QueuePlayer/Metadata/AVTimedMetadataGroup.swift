public import Foundation
public import MediaTime

/// Metadata that belong together.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state.

  /// The items.
  public let items: [AVMetadataItem]

  init(_ items: [AVMetadataItem]) {
    self.items = items
    super.init()
  }
}

/// Metadata that hold for a part of an asset, such as a chapter's title. Does not change; any thread.
open class AVTimedMetadataGroup: AVMetadataGroup, @unchecked Sendable {
  // Unchecked as its superclass.

  /// The part.
  public let timeRange: CMTimeRange

  /// These items for this part.
  public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
    self.timeRange = timeRange
    super.init(items)
  }
}
