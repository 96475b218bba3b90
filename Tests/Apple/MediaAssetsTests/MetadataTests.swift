import AudioCore
import Continuo
import Foundation
import MediaTime
import TestSupport
import Testing

@testable import MediaAssets

/// Metadata of assets, in files that are made by hand.
@Suite("Metadata") struct MetadataTests {
  private static func big(_ number: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(number >> ($0 * 8) & 255) }
  }

  private static func frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
    Array(id.utf8) + big(content.count) + [0, 0] + content
  }

  private static func text(_ id: String, _ text: String) -> [UInt8] { frame(id, [3] + Array(text.utf8)) }

  private static func chapter(_ name: String, _ start: Int, _ end: Int, _ frames: [[UInt8]]) -> [UInt8] {
    frame(
      "CHAP",
      Array(name.utf8) + [0] + big(start) + big(end) + [UInt8](repeating: 255, count: 8)
        + frames.flatMap { $0 })
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3]

  private static func picture(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
    frame("APIC", [0] + Array("image/png".utf8) + [0, type] + Array("cover".utf8) + [0] + data)
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A song with this tag before it.
  private func asset(_ frames: [[UInt8]]) throws -> AVURLAsset {
    let body = frames.flatMap { $0 }
    var tagged = Array("ID3".utf8)
    tagged += [3, 0, 0]
    for shift in [21, 14, 7, 0] { tagged.append(UInt8(body.count >> shift & 127)) }
    // The song's own tags are left out.
    let song = Array(try Data(contentsOf: Repository.media("01 Ground in D.mp3")))
    var own = 0
    if song.starts(with: Array("ID3".utf8)) {
      for byte in song[6..<10] { own = own << 7 | Int(byte) }
      own += 10
    }
    let hasOldTag = song.suffix(128).starts(with: Array("TAG".utf8))
    let rest = song.dropFirst(own).dropLast(hasOldTag ? 128 : 0)
    let path = try folder.write(
      "\(UUID().uuidString).mp3", tagged + body + rest)
    return AVURLAsset(url: URL(fileURLWithPath: path))
  }

  @Test("Common items, found as clients find them")
  func common() async throws {
    let asset = try asset([
      Self.text("TIT2", "Ground in D"), Self.text("TPE1", "Purcell"), Self.text("TALB", "Grounds"),
      Self.text("TRCK", "3"), Self.picture(4, [0x89, 0x50, 0x4E, 0x47, 9]), Self.picture(3, Self.png),
      Self.text("TIT2", "Second title"), Self.text("TYER", "1987"),
    ])
    let items = try await asset.load(.commonMetadata)
    #expect(items == asset.commonMetadata)
    #expect(items.filter { $0.commonKey == .commonKeyTitle }.map(\.stringValue) == ["Ground in D"])
    let title = try #require(
      AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .commonIdentifierTitle).first)
    #expect(try await title.load(.stringValue) == "Ground in D")
    #expect(try await title.load(.value) as? String == "Ground in D")
    #expect(title.value as? String == "Ground in D")
    #expect(title.identifier == .id3MetadataTitleDescription && title.keySpace == .id3)
    #expect(title.key as? String == "TIT2")
    #expect(title.dataType == "com.apple.metadata.datatype.UTF-8")
    #expect(!title.time.isValid && !title.duration.isValid)
    #expect(title.copy() as? AVMetadataItem === title)

    // The front cover, whichever comes first in the file.
    let artwork = try #require(
      AVMetadataItem.metadataItems(from: items, withKey: AVMetadataKey.commonKeyArtwork, keySpace: .common)
        .first)
    #expect(artwork.dataValue == Data(Self.png))
    #expect(artwork.value as? Data == Data(Self.png))
    #expect(artwork.dataType == "com.apple.metadata.datatype.PNG")
    #expect(artwork.extraAttributes?[.info] as? String == "cover")
    #expect(artwork.stringValue == nil)

    let all = try await asset.load(.metadata)
    #expect(all.count == 8 && asset.metadata(forFormat: .id3Metadata) == all)
    #expect(try await asset.loadMetadata(for: .id3Metadata) == all)
    #expect(asset.metadata(forFormat: AVMetadataFormat("com.apple.itunes")).isEmpty)
    #expect(try await asset.load(.availableMetadataFormats) == [.id3Metadata])
    #expect(
      AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .id3MetadataAttachedPicture).count == 2)
    #expect(AVMetadataItem.metadataItems(from: all, withKey: "TIT2", keySpace: .id3).count == 2)
    #expect(AVMetadataItem.metadataItems(from: all, withKey: nil, keySpace: .id3).count == 8)
    #expect(AVMetadataItem.metadataItems(from: all, withKey: "TIT2", keySpace: .common).isEmpty)
    let track = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .id3MetadataTrackNumber)
    #expect(track.first?.numberValue == 3)
    let year = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .id3MetadataYear)
    #expect(year.first?.dateValue == Date(timeIntervalSince1970: 536_457_600))
  }

  @Test("Metadata are read apart from the sound, once, and their status is their own")
  func loading() async throws {
    let asset = try asset([Self.text("TIT2", "A"), Self.frame("USLT", [0] + Array("engx\0La la".utf8))])
    #expect(asset.statusOfValue(forKey: "metadata", error: nil) == .unknown)
    let (duration, lyrics) = try await asset.load(.duration, .lyrics)
    #expect(duration.isNumeric && lyrics == "La la")
    for key in ["metadata", "commonMetadata", "duration"] {
      #expect(asset.statusOfValue(forKey: key, error: nil) == .loaded)
    }
    try FileManager.default.removeItem(at: asset.url)
    #expect(asset.commonMetadata.first?.stringValue == "A")
    guard case .loaded(let items) = asset.status(of: .metadata) else {
      Issue.record("not loaded")
      return
    }
    #expect(items.count == 2)

    let other = try self.asset([Self.text("TIT2", "B")])
    _ = try await other.load(.metadata)
    #expect(other.statusOfValue(forKey: "duration", error: nil) == .unknown)
    let keys = ["metadata", "duration"]
    await withCheckedContinuation { continuation in
      other.loadValuesAsynchronously(forKeys: keys) { continuation.resume() }
    }
    for key in keys { #expect(other.statusOfValue(forKey: key, error: nil) == .loaded) }
  }

  @Test("The items of a station are of the format that is said to be there")
  func formats() {
    let station = AssetMetadata(MediaTag(fields: [.init(icy: "icy-name", "Lab")]))
    #expect(station.formats == [.unknown] && station.items(of: .unknown).count == 1)
    #expect(station.items(of: .id3Metadata).isEmpty)
  }

  @Test("Files that are not there, and files without tags")
  func failures() async throws {
    let missing = AVURLAsset(url: URL(fileURLWithPath: "/no/such/file.mp3"))
    let error = await #expect(throws: AVError.self) { try await missing.load(.commonMetadata) }
    #expect(error?.code == .failedToLoadMediaData)
    #expect(missing.metadata.isEmpty && missing.lyrics == nil && missing.availableChapterLocales.isEmpty)
    var reason: NSError?
    #expect(missing.statusOfValue(forKey: "metadata", error: &reason) == .failed && reason != nil)
    let remote = AVURLAsset(url: try #require(URL(string: "ftp://example.org/a.mp3")))
    await #expect(throws: AVError.self) { try await remote.load(.metadata) }

    let plain = try asset([])
    #expect(try await plain.load(.metadata).isEmpty)
    #expect(try await plain.load(.availableMetadataFormats).isEmpty)
    #expect(try await plain.load(.availableChapterLocales).isEmpty)
    #expect(plain.chapterMetadataGroups(bestMatchingPreferredLanguages: ["de"]).isEmpty)
    #expect(try await plain.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["de"]).isEmpty)
  }

  @Test("Chapters with titles and pictures")
  func chapters() async throws {
    let asset = try asset([
      Self.chapter("b", 2000, 2000, [Self.text("TIT2", "Two"), Self.picture(3, Self.png)]),
      Self.chapter("a", 0, 2000, [Self.text("TIT2", "One"), Self.text("TIT3", "not common")]),
    ])
    let locale = try #require(try await asset.load(.availableChapterLocales).first)
    let duration = try await asset.load(.duration)
    let titles = asset.chapterMetadataGroups(withTitleLocale: locale, containingItemsWithCommonKeys: nil)
    #expect(titles.map { $0.items.map(\.stringValue) } == [["One"], ["Two"]])
    #expect(titles.map(\.timeRange.start.seconds) == [0, 2])
    #expect(titles.map(\.timeRange.end) == [CMTime(value: 2, timescale: 1), duration])
    let title = try #require(titles.first?.items.first)
    #expect(title.commonKey == .commonKeyTitle && title.time == .zero && title.duration.seconds == 2)
    let pictures = try await asset.loadChapterMetadataGroups(
      withTitleLocale: locale, containingItemsWithCommonKeys: [.commonKeyArtwork])
    #expect(pictures.last?.items.map(\.commonKey) == [.commonKeyTitle, .commonKeyArtwork])
    let best = try await asset.loadChapterMetadataGroups(
      bestMatchingPreferredLanguages: Locale.preferredLanguages)
    #expect(best.map(\.items.count) == [1, 2])
    #expect(asset.metadata.isEmpty)
  }

  @Test("Dates and numbers of texts")
  func values() throws {
    func item(_ text: String) -> AVMetadataItem {
      let item = AVMutableMetadataItem()
      item.value = NSString(string: text)
      return item
    }
    #expect(item("1970").dateValue == Date(timeIntervalSince1970: 0))
    #expect(item("1970-02").dateValue == Date(timeIntervalSince1970: 31 * 86400))
    #expect(item("1970-01-02T03:04:05").dateValue == Date(timeIntervalSince1970: 86400 + 11045))
    for text in ["", "70", "1970-13", "1970-01-40", "1970-", "soon", "1970-01-01T00:00:00:00", "-970"] {
      #expect(item(text).dateValue == nil, "\(text)")
    }
    #expect(item("7").numberValue == 7 && item("-1.5").numberValue == -1.5)
    #expect(item("3/12").numberValue == nil && item("").numberValue == nil)
    #expect(item("ü").dataValue == Data("ü".utf8))
  }

  @Test("Items that a client makes")
  func mutable() throws {
    let item = AVMutableMetadataItem()
    #expect(item.value == nil && item.identifier == nil && item.key == nil && item.keySpace == nil)
    item.identifier = .commonIdentifierTitle
    item.value = NSNumber(value: 5)
    item.extendedLanguageTag = "de-CH"
    item.time = CMTime(value: 1, timescale: 2)
    #expect(item.stringValue == "5" && item.numberValue == 5 && item.keySpace == .common)
    let copy = try #require(item.copy() as? AVMetadataItem)
    item.value = NSDate(timeIntervalSince1970: 9)
    #expect(copy.numberValue == 5 && !(copy is AVMutableMetadataItem))
    #expect(copy.locale?.identifier.hasPrefix("de") == true)
    #expect((copy.mutableCopy() as? AVMutableMetadataItem)?.time == item.time)
    #expect(item.dateValue == Date(timeIntervalSince1970: 9) && item.stringValue == nil)

    let english = AVMutableMetadataItem()
    english.extendedLanguageTag = "en"
    let none = AVMutableMetadataItem()
    #expect(
      AVMetadataItem.metadataItems(
        from: [none, english, item], filteredAndSortedAccordingToPreferredLanguages: ["de", "fr"]) == [
          item, none,
        ])
    // Each once, although both languages are its own.
    #expect(
      AVMetadataItem.metadataItems(
        from: [none, english, item], filteredAndSortedAccordingToPreferredLanguages: ["en-US", "de", "en-GB"])
        == [english, item, none])
    let british = AVMutableMetadataItem()
    british.extendedLanguageTag = "en-GB"
    #expect(
      AVMetadataItem.metadataItems(
        from: [english, british], filteredAndSortedAccordingToPreferredLanguages: ["en-GB", "en-US"])
        == [english, british])
    #expect(AVMetadataItem.identifier(forKey: "TIT2", keySpace: .id3) == .id3MetadataTitleDescription)
    #expect(AVMetadataItem.keySpace(forIdentifier: .id3MetadataComposer) == .id3)
    #expect(AVMetadataItem.key(forIdentifier: .id3MetadataComposer) as? String == "TCOM")
    let group = AVTimedMetadataGroup(
      items: [item], timeRange: CMTimeRange(start: .zero, duration: .positiveInfinity))
    #expect(group.items == [item])
  }
}
