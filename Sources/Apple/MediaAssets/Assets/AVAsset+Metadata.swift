public import Foundation
import MediaTime

// All metadata are read together when one of these members is first used, and separately from the audio, so
// `duration` does not read them. The synchronous members block the caller's thread to read unread tags. They
// are empty after a failure, and for a remote medium whose metadata no asynchronous member has read yet. `load` and the
// other asynchronous members do not block.

extension AVAsset {
  private var loadedMetadata: AssetMetadata? { try? loader.loadMetadataNow().get() }

  /// The items with common keys, one for each key in the file, such as title and artwork. Blocks.
  public var commonMetadata: [AVMetadataItem] { loadedMetadata?.common ?? [] }

  /// The items of all formats, in the order of the file. Blocks.
  public var metadata: [AVMetadataItem] { loadedMetadata?.items ?? [] }

  /// The formats of the metadata: `id3Metadata`, for a live stream `unknown`, or none. Blocks.
  public var availableMetadataFormats: [AVMetadataFormat] { loadedMetadata?.formats ?? [] }

  /// Returns all items of a format. Blocks.
  public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
    loadedMetadata?.items(of: format) ?? []
  }

  /// The lyrics; nil if the file has none. Blocks.
  public var lyrics: String? { loadedMetadata?.lyrics }

  /// The languages of the chapters' titles: "und" (undetermined), because ID3 does not state them. Empty
  /// without chapters. Blocks.
  public var availableChapterLocales: [Locale] { loadedMetadata?.chapterLocales ?? [] }

  /// Returns the chapters in order of time. Each contains its title and its other items with one of
  /// `commonKeys`. The locale has no effect, because chapters have titles in one language. A last chapter
  /// without an end extends to the end of the file. Blocks.
  public func chapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey]? = nil
  ) -> [AVTimedMetadataGroup] {
    loadedMetadata?.chapterGroups(duration: duration, keys: commonKeys ?? []) ?? []
  }

  /// Returns the chapters in order of time, each with all its items that have a common key. The languages
  /// have no effect, because chapters have titles in one language. Blocks.
  public func chapterMetadataGroups(
    bestMatchingPreferredLanguages preferredLanguages: [String]
  ) -> [AVTimedMetadataGroup] {
    loadedMetadata?.chapterGroups(duration: duration, keys: nil) ?? []
  }

  // MARK: Asynchronous loading

  /// Returns all items of a format. Throws an `AVError` if the file cannot be read.
  public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
    try await loaded(AVAsyncProperty(metadata: { $0 })).items(of: format)
  }

  /// Passes all items of a format, or the error, to the handler: at once if they are known, otherwise later
  /// on any thread.
  public func loadMetadata(
    for format: AVMetadataFormat,
    completionHandler: @escaping @Sendable ([AVMetadataItem]?, (any Error)?) -> Void
  ) {
    loader.loadMetadata { outcome in
      switch outcome {
      case .success(let contents): completionHandler(contents.items(of: format), nil)
      case .failure(let error): completionHandler(nil, error)
      }
    }
  }

  /// Returns `chapterMetadataGroups(withTitleLocale:containingItemsWithCommonKeys:)`, or throws `AVError`.
  public func loadChapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
  ) async throws -> [AVTimedMetadataGroup] {
    try await loadChapterGroups(keys: commonKeys)
  }

  /// Returns `chapterMetadataGroups(bestMatchingPreferredLanguages:)`, or throws an `AVError`.
  public func loadChapterMetadataGroups(
    bestMatchingPreferredLanguages preferredLanguages: [String]
  ) async throws -> [AVTimedMetadataGroup] {
    try await loadChapterGroups(keys: nil)
  }

  private func loadChapterGroups(keys: [AVMetadataKey]?) async throws -> [AVTimedMetadataGroup] {
    let contents = try await loaded(AVAsyncProperty(metadata: { $0 }))
    guard !contents.chapterLocales.isEmpty else { return [] }
    return contents.chapterGroups(duration: try await loaded(.duration), keys: keys)
  }

  /// Returns the value of a property after loading it. Methods of an open class cannot use `load`, whose
  /// signature contains `Self`.
  private func loaded<Value>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
    try await property.prepare(self)
    return try property.value(of: self)
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The items with common keys, one for each key in the file.
  public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> { .init(metadata: \.common) }
  /// The items of all formats, in the order of the file.
  public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { .init(metadata: \.items) }
  /// The formats of the file's metadata.
  public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
    AVAsyncProperty(metadata: \.formats)
  }
  /// The lyrics; nil if the file has none.
  public static var lyrics: AVAsyncProperty<Root, String?> { .init(metadata: \.lyrics) }
  /// The languages of the chapters' titles.
  public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
    AVAsyncProperty(metadata: \.chapterLocales)
  }
}
