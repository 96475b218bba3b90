public import Foundation

/// What a choice of language is about.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
  /// What is heard.
  case audible = 0
  /// What is read, such as subtitles.
  case legible = 1
}

/// A language that the current item can be had in. Kept in the dictionary, and not shown: the session bus knows no
/// languages. Does not change; any thread.
public final class MPNowPlayingInfoLanguageOption: NSObject, Sendable {
  /// What the choice is about.
  public let languageOptionType: MPNowPlayingInfoLanguageOptionType
  /// The language, as in BCP 47.
  public let languageTag: String?
  /// What distinguishes it, as media characteristics.
  public let languageOptionCharacteristics: [String]?
  /// The name for a listener.
  public let displayName: String?
  /// The application's own name for it.
  public let identifier: String?

  /// A choice.
  public init(
    type: MPNowPlayingInfoLanguageOptionType, languageTag: String, characteristics: [String]?,
    displayName: String, identifier: String
  ) {
    languageOptionType = type
    self.languageTag = languageTag
    languageOptionCharacteristics = characteristics
    self.displayName = displayName
    self.identifier = identifier
    super.init()
  }
}

/// Choices of which one can be made. Does not change; any thread.
public final class MPNowPlayingInfoLanguageOptionGroup: NSObject, Sendable {
  /// The choices.
  public let languageOptions: [MPNowPlayingInfoLanguageOption]
  /// The one that holds when none was made.
  public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
  /// Whether none may be chosen.
  public let allowEmptySelection: Bool

  /// These choices.
  public init(
    languageOptions: [MPNowPlayingInfoLanguageOption],
    defaultLanguageOption: MPNowPlayingInfoLanguageOption?, allowEmptySelection: Bool
  ) {
    self.languageOptions = languageOptions
    self.defaultLanguageOption = defaultLanguageOption
    self.allowEmptySelection = allowEmptySelection
    super.init()
  }
}
