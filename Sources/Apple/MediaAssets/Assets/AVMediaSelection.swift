public import Foundation

// The selection between alternative tracks of one medium, for example by language. Playable media have one
// track, so every selection is empty. Any thread; no call blocks.

/// A characteristic of a track.
public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the characteristic.
  public let rawValue: String
  /// Creates a characteristic from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The content can be heard.
  public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
  /// The content can be read.
  public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
  /// The content can be seen.
  public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
}

/// An alternative track that can be selected. Does not occur.
public final class AVMediaSelectionOption: NSObject, Sendable {
  /// The name to display to the user.
  public let displayName = ""
  /// The track's language by BCP 47.
  public var extendedLanguageTag: String? { nil }

  private override init() { super.init() }
}

/// A group of alternative tracks of one medium. Always empty.
public final class AVMediaSelectionGroup: NSObject, Sendable {
  /// The alternative tracks. Always empty.
  public let options: [AVMediaSelectionOption] = []
  /// The default track. Always nil.
  public var defaultOption: AVMediaSelectionOption? { nil }
  /// Whether the selection may be empty. Always true.
  public let allowsEmptySelection = true

  override init() { super.init() }
}

/// The selected tracks of an asset. Always empty.
public final class AVMediaSelection: NSObject, Sendable {
  package override init() { super.init() }

  /// Returns the selected track in `mediaSelectionGroup`. Always nil.
  public func selectedMediaOption(in mediaSelectionGroup: AVMediaSelectionGroup) -> AVMediaSelectionOption? {
    nil
  }
}

extension AVAsset {
  /// The characteristics with alternative tracks. Always empty; opens no file.
  public var availableMediaCharacteristicsWithMediaSelectionOptions: [AVMediaCharacteristic] { [] }

  /// Returns the group of alternative tracks with that characteristic. Always an empty group; opens no file.
  public func mediaSelectionGroup(
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) -> AVMediaSelectionGroup? { AVMediaSelectionGroup() }

  /// Returns the group of `mediaSelectionGroup(forMediaCharacteristic:)`. Opens no file and never throws.
  public func loadMediaSelectionGroup(
    for mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> AVMediaSelectionGroup? { AVMediaSelectionGroup() }
}
