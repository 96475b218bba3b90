public import Foundation
public import MediaAssets

/// The criteria by which a player selects tracks.
public final class AVPlayerMediaSelectionCriteria: NSObject, Sendable {
  /// The preferred languages by BCP 47, the best first; nil for any.
  public let preferredLanguages: [String]?
  /// The preferred characteristics, the best first; nil for any.
  public let preferredMediaCharacteristics: [AVMediaCharacteristic]?

  /// Creates criteria from languages and characteristics.
  public init(preferredLanguages: [String]?, preferredMediaCharacteristics: [AVMediaCharacteristic]?) {
    self.preferredLanguages = preferredLanguages
    self.preferredMediaCharacteristics = preferredMediaCharacteristics
    super.init()
  }
}
