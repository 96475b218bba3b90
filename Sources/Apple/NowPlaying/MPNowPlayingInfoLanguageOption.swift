public import Foundation

/// The kind of content to which a language option applies.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
  /// Spoken or sung content.
  case audible = 0
  /// Text such as subtitles.
  case legible = 1
}

/// A language available for the current item. Stored in the dictionary and not published: MPRIS has no
/// languages. Immutable; any thread.
public final class MPNowPlayingInfoLanguageOption: NSObject, Sendable {
  /// The kind of content to which the option applies.
  public let languageOptionType: MPNowPlayingInfoLanguageOptionType
  /// The language as a BCP 47 tag.
  public let languageTag: String?
  /// The media characteristics that distinguish the option.
  public let languageOptionCharacteristics: [String]?
  /// The name shown to users.
  public let displayName: String?
  /// The application's identifier of the option.
  public let identifier: String?

  /// Creates a language option.
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

/// A group of language options of which one can be selected. Immutable; any thread.
public final class MPNowPlayingInfoLanguageOptionGroup: NSObject, Sendable {
  /// The options of the group.
  public let languageOptions: [MPNowPlayingInfoLanguageOption]
  /// The option used if none was selected.
  public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
  /// Whether the user may select no option.
  public let allowEmptySelection: Bool

  /// Creates a group of the given options.
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
