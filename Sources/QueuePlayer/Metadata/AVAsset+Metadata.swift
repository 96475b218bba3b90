public import Foundation
import MediaTime

// All metadata are read together when the first of these is requested, apart from the sound: `duration` does not read
// them. The synchronous members block to read the tags on the caller's thread if they were not read before, and are
// empty after a failure; `load` and its siblings do not block.

extension AVAsset {
  private var loadedMetadata: AssetMetadata? { try? loader.loadMetadataNow().get() }

  /// One item for each common key that the file has: title, artist, album, artwork and so on. Blocks.
  public var commonMetadata: [AVMetadataItem] { loadedMetadata?.common ?? [] }

  /// All items of all formats, in the order of the file. Blocks.
  public var metadata: [AVMetadataItem] { loadedMetadata?.items ?? [] }

  /// The formats of metadata in the file: `id3Metadata` or none. Blocks.
  public var availableMetadataFormats: [AVMetadataFormat] { loadedMetadata?.formats ?? [] }

  /// All items of a format. Blocks.
  public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
    format == .id3Metadata ? metadata : []
  }

  /// The words of a song; nil if the file has none. Blocks.
  public var lyrics: String? { loadedMetadata?.lyrics }

  /// The languages of the chapters' titles: an undetermined one if there are chapters, since ID3 does not say. Blocks.
  public var availableChapterLocales: [Locale] { loadedMetadata?.chapterLocales ?? [] }

  /// The chapters in the order of time, each with its title and, of its other items, those that have one of these keys.
  /// The locale has no effect, since chapters have titles in one language. A last chapter without an end goes to the end of the
  /// file. Blocks.
  public func chapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey]? = nil
  ) -> [AVTimedMetadataGroup] {
    loadedMetadata?.chapterGroups(duration: duration, keys: commonKeys ?? []) ?? []
  }

  /// The chapters in the order of time, each with all its items that have a common key. The languages have no effect,
  /// since chapters have titles in one language. Blocks.
  public func chapterMetadataGroups(
    bestMatchingPreferredLanguages preferredLanguages: [String]
  ) -> [AVTimedMetadataGroup] {
    loadedMetadata?.chapterGroups(duration: duration, keys: nil) ?? []
  }

  // MARK: Without blocking

  /// All items of a format.
  ///
  /// - Throws: `AVError` if the file cannot be read.
  public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
    let items = try await loaded(.metadata)
    return format == .id3Metadata ? items : []
  }

  /// All items of a format, or why there are none; before the return if that is known. Reads the file off the caller's
  /// thread.
  public func loadMetadata(
    for format: AVMetadataFormat,
    completionHandler: @escaping @Sendable ([AVMetadataItem]?, (any Error)?) -> Void
  ) {
    loader.loadMetadata { outcome in
      switch outcome {
      case .success(let contents): completionHandler(format == .id3Metadata ? contents.items : [], nil)
      case .failure(let error): completionHandler(nil, error)
      }
    }
  }

  /// The chapters, as `chapterMetadataGroups(withTitleLocale:containingItemsWithCommonKeys:)` has them.
  ///
  /// - Throws: `AVError` if the file cannot be read.
  public func loadChapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
  ) async throws -> [AVTimedMetadataGroup] {
    try await loadChapterGroups(keys: commonKeys)
  }

  /// The chapters, as `chapterMetadataGroups(bestMatchingPreferredLanguages:)` has them.
  ///
  /// - Throws: `AVError` if the file cannot be read.
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

  /// As `load`, which an open class's own methods cannot use: it is about `Self`.
  private func loaded<Value>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
    try await property.prepare(self)
    return try property.value(of: self)
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// One item for each common key that the file has.
  public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
    AVAsyncProperty(metadata: { $0.common })
  }
  /// All items of all formats.
  public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
    AVAsyncProperty(metadata: { $0.items })
  }
  /// The formats of metadata in the file.
  public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
    AVAsyncProperty(metadata: { $0.formats })
  }
  /// The words of a song; nil if the file has none.
  public static var lyrics: AVAsyncProperty<Root, String?> { AVAsyncProperty(metadata: { $0.lyrics }) }
  /// The languages of the chapters' titles.
  public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
    AVAsyncProperty(metadata: { $0.chapterLocales })
  }
}
