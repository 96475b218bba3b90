public import MediaAssets
public import NowPlaying

extension AVMediaSelectionOption {
  /// Returns the option for the now-playing information. Always nil, because media have no alternative
  /// tracks.
  public func makeNowPlayingInfoLanguageOption() -> MPNowPlayingInfoLanguageOption? { nil }
}

extension AVMediaSelectionGroup {
  /// Returns the group for the now-playing information. Always an empty group.
  public func makeNowPlayingInfoLanguageOptionGroup() -> MPNowPlayingInfoLanguageOptionGroup {
    MPNowPlayingInfoLanguageOptionGroup(
      languageOptions: [], defaultLanguageOption: nil, allowEmptySelection: allowsEmptySelection)
  }
}
