package import AudioCore
import Foundation
package import MediaTime
import Synchronization

/// The metadata of an asset. A class, so that a loader without metadata stays small: most of up to 100 000
/// loaders have none.
final class AssetMetadata: Sendable {
  /// The items of all formats, in the order of the file.
  let items: [AVMetadataItem]
  /// The chapters, of which the last one may have no end.
  private let chapters: [MediaTag.Chapter]

  init(_ tag: MediaTag) {
    items = tag.fields.map { AVMetadataItem(AVMetadataItem.Content($0)) }
    chapters = tag.chapters
  }

  /// The keys of `AVAsynchronousKeyValueLoading` that concern metadata.
  static let keys: Set<String> = [
    "availableChapterLocales", "availableMetadataFormats", "commonMetadata", "lyrics", "metadata",
  ]

  /// The formats of the items and chapters.
  var formats: [AVMetadataFormat] {
    if items.contains(where: { $0.keySpace == .icy }) { return [.unknown] }
    return items.isEmpty && chapters.isEmpty ? [] : [.id3Metadata]
  }

  /// Returns the items of a format.
  func items(of format: AVMetadataFormat) -> [AVMetadataItem] { formats.contains(format) ? items : [] }

  /// The items with common keys: for each key the first item, but among pictures the front cover.
  var common: [AVMetadataItem] {
    var keys: Set<AVMetadataKey> = []
    let covers = items.filter { $0.content.withLock { $0.isFrontCover } }
    return (covers + items).filter { item in item.commonKey.map { keys.insert($0).inserted } ?? false }
  }

  var lyrics: String? { items.first { $0.identifier == .id3MetadataUnsynchronizedLyric }?.stringValue }

  /// The languages of the chapters' titles: undetermined, because tags do not state them. Empty without
  /// chapters.
  var chapterLocales: [Locale] { chapters.isEmpty ? [] : [Locale(identifier: "und")] }

  /// Returns the chapters of an asset of this duration. Each contains its title and its other items with one
  /// of `keys`; with nil, its items with any common key.
  func chapterGroups(duration: CMTime, keys: [AVMetadataKey]?) -> [AVTimedMetadataGroup] {
    chapters.map { chapter in
      let start = CMTime(value: chapter.start, timescale: 1000)
      let end =
        chapter.end.map { CMTime(value: $0, timescale: 1000) }
        ?? (duration.isNumeric ? max(duration, start) : .indefinite)
      let range = CMTimeRange(start: start, end: end)
      let items = chapter.fields.compactMap { field -> AVMetadataItem? in
        var content = AVMetadataItem.Content(field)
        guard let key = content.commonKey else { return nil }
        guard key == .commonKeyTitle || keys?.contains(key) ?? true else { return nil }
        content.time = range.start
        content.duration = range.duration
        return AVMetadataItem(content)
      }
      return AVTimedMetadataGroup(items: items, timeRange: range)
    }
  }
}

extension AVMetadataItem.Content {
  /// The common keys of ID3 frames and of live streams' fields.
  private static let commonKeys: [String: AVMetadataKey] = [
    "TIT2": .commonKeyTitle, "TPE1": .commonKeyArtist, "TALB": .commonKeyAlbumName, "APIC": .commonKeyArtwork,
    "TCOM": .commonKeyCreator, "TCON": .commonKeyType, "TCOP": .commonKeyCopyrights,
    "TPUB": .commonKeyPublisher, "TLAN": .commonKeyLanguage, "TDRC": .commonKeyCreationDate,
    "TYER": .commonKeyCreationDate, "TEXT": .commonKeyAuthor, "TSSE": .commonKeySoftware,
    "StreamTitle": .commonKeyTitle, "icy-name": .commonKeyTitle, "icy-genre": .commonKeyType,
  ]

  init(_ field: MediaTag.Field) {
    identifier = AVMetadataIdentifier(rawValue: "\(field.space.rawValue)/\(field.key)")
    commonKey = Self.commonKeys[field.key]
    info = field.info
    languageTag = field.language
    isFrontCover = field.pictureType == 3
    let type: String
    switch field.value {
    case .text(let text):
      value = .text(text)
      type = "UTF-8"
    case .data(let data):
      value = .data(Data(data))
      type =
        switch field.mimeType {
        case "image/jpeg": "JPEG"
        case "image/png": "PNG"
        case "image/gif": "GIF"
        default: "raw-data"
        }
    }
    dataType = "com.apple.metadata.datatype.\(type)"
  }
}

extension AVMetadataItem {
  /// Returns the items of a live stream's metadata, which apply from `time` on.
  package static func items(of tag: MediaTag, from time: CMTime) -> [AVMetadataItem] {
    tag.fields.map { field in
      var content = Content(field)
      content.time = time
      return AVMetadataItem(content)
    }
  }
}
