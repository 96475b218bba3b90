public import Foundation

// The choice between tracks of one medium, by language for example. An MP3 file has one track, so there is nothing to
// choose from. Any thread; nothing blocks.

/// What a track is for.
public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The characteristic of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It can be heard.
  public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
  /// It can be read.
  public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
  /// It can be seen.
  public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
}

/// One of the tracks that can be chosen. Does not occur.
public final class AVMediaSelectionOption: NSObject, Sendable {
  /// What a person calls it.
  public let displayName = ""
  /// Its language, as BCP 47 writes it.
  public var extendedLanguageTag: String? { nil }

  private override init() { super.init() }
}

/// The tracks of one medium of which one can be chosen: none.
public final class AVMediaSelectionGroup: NSObject, Sendable {
  /// The tracks: none.
  public let options: [AVMediaSelectionOption] = []
  /// The track that is chosen by default: nil.
  public var defaultOption: AVMediaSelectionOption? { nil }
  /// Whether none of them may be chosen: true.
  public let allowsEmptySelection = true

  override init() { super.init() }
}

/// What was chosen in the groups of an asset: nothing.
public final class AVMediaSelection: NSObject, Sendable {
  override init() { super.init() }

  /// The track that was chosen in `mediaSelectionGroup`: nil.
  public func selectedMediaOption(in mediaSelectionGroup: AVMediaSelectionGroup) -> AVMediaSelectionOption? {
    nil
  }
}

/// By what a player chooses among tracks.
public final class AVPlayerMediaSelectionCriteria: NSObject, Sendable {
  /// Languages, the best first, as BCP 47 writes them; nil for any.
  public let preferredLanguages: [String]?
  /// Characteristics, the best first; nil for any.
  public let preferredMediaCharacteristics: [AVMediaCharacteristic]?

  /// These criteria.
  public init(preferredLanguages: [String]?, preferredMediaCharacteristics: [AVMediaCharacteristic]?) {
    self.preferredLanguages = preferredLanguages
    self.preferredMediaCharacteristics = preferredMediaCharacteristics
    super.init()
  }
}

extension AVAsset {
  /// The characteristics among whose tracks one can be chosen: none. Opens nothing.
  public var availableMediaCharacteristicsWithMediaSelectionOptions: [AVMediaCharacteristic] { [] }

  /// The tracks with that characteristic of which one can be chosen: a group without tracks. Opens nothing.
  public func mediaSelectionGroup(
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) -> AVMediaSelectionGroup? { AVMediaSelectionGroup() }

  /// `mediaSelectionGroup(forMediaCharacteristic:)`. Opens nothing and throws nothing.
  public func loadMediaSelectionGroup(
    for mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> AVMediaSelectionGroup? {
    mediaSelectionGroup(forMediaCharacteristic: mediaCharacteristic)
  }
}

extension AVPlayerItem {
  /// What is chosen in the item's groups: nothing.
  nonisolated public var currentMediaSelection: AVMediaSelection { AVMediaSelection() }

  /// Chooses a track. No effect: there is none to choose.
  nonisolated public func select(
    _ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup
  ) {}

  /// Chooses by the player's criteria. No effect: there is nothing to choose.
  nonisolated public func selectMediaOptionAutomatically(in mediaSelectionGroup: AVMediaSelectionGroup) {}
}
