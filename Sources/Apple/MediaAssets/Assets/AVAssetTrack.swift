package import AudioCore
public import Foundation
public import MediaTime
package import PlaybackEngine

/// The kind of a track.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the kind, of four characters.
  public let rawValue: String
  /// Creates a kind from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Audio, the only kind that occurs.
  public static let audio = AVMediaType(rawValue: "soun")
  /// Video. Does not occur.
  public static let video = AVMediaType(rawValue: "vide")
  /// Text. Does not occur.
  public static let text = AVMediaType(rawValue: "text")
  /// Subtitles. Does not occur.
  public static let subtitle = AVMediaType(rawValue: "sbtl")
  /// Closed captions. Does not occur.
  public static let closedCaption = AVMediaType(rawValue: "clcp")
  /// Metadata that change with time. Does not occur.
  public static let metadata = AVMediaType(rawValue: "meta")
}

/// The number of a track in its asset.
public typealias CMPersistentTrackID = Int32

/// The number that represents no track: 0.
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

/// The audio track of an asset; each playable asset has one. Any thread; no call blocks.
public final class AVAssetTrack: NSObject, Sendable {
  /// The asset; nil if it was released.
  public weak let asset: AVAsset?
  /// The number of the track in its asset. Always 1.
  public let trackID = AVAssetTrack.onlyID
  /// The number of an asset's only track.
  package static let onlyID: CMPersistentTrackID = 1
  /// The kind of the track. Always audio.
  public let mediaType = AVMediaType.audio
  /// The range from zero to the end of the asset; its duration is indefinite if the end is unknown.
  public let timeRange: CMTimeRange
  /// The mean bit rate, in bits per second, as estimated when the file is opened; 0 if unknown.
  public let estimatedDataRate: Float
  /// The format of the decoded samples.
  package let format: PCMFormat

  package init(asset: AVAsset, info: ItemInfo) {
    self.asset = asset
    timeRange = CMTimeRange(start: .zero, duration: info.duration)
    estimatedDataRate = Float(info.bitRate)
    format = info.format
    super.init()
  }

  /// The timescale in frames per second; 0 if the duration is unknown.
  public var naturalTimeScale: CMTimeScale { timeRange.duration.isNumeric ? timeRange.duration.timescale : 0 }

  /// Whether the track is played by default. Always true.
  public var isEnabled: Bool { true }
  /// Whether the track can be played. Always true.
  public var isPlayable: Bool { true }
  /// Whether all data of the track are in the asset's own file. Always true.
  public var isSelfContained: Bool { true }
  /// The preferred volume. Always 1.
  public var preferredVolume: Float { 1 }
  /// The video frame rate, in frames per second. Always 0.
  public var nominalFrameRate: Float { 0 }
  /// The size of the video, in pixels. Always zero.
  public var naturalSize: CGSize { .zero }
  /// The language. Always nil, for unknown.
  public var languageCode: String? { nil }
  /// The language by BCP 47. Always nil, for unknown.
  public var extendedLanguageTag: String? { nil }

  /// Returns whether the track has `mediaCharacteristic`; true only for `audible`.
  public func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
    mediaCharacteristic == .audible
  }

  /// Returns whether `object` is the same track of the same asset.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAssetTrack, let asset else { return self === object as AnyObject }
    return asset === other.asset && trackID == other.trackID
  }

  /// A hash value that is consistent with `isEqual`.
  public override var hash: Int { asset.map { ObjectIdentifier($0).hashValue } ?? 0 }
}

// A track exists only after its asset was read, so all properties of a track are always known.
extension AVAssetTrack: AVAsynchronousKeyValueLoading {
  /// Returns `loaded` for every key.
  public func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    .loaded
  }

  /// Calls `handler` before returning.
  @preconcurrency
  public func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) { handler?() }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
  /// The range from zero to the end of the asset; its duration is indefinite if the end is unknown.
  public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { .init(known: \.timeRange) }
  /// The timescale in frames per second; 0 if the duration is unknown.
  public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> { .init(known: \.naturalTimeScale) }
  /// The mean bit rate, in bits per second, as estimated when the file is opened; 0 if unknown.
  public static var estimatedDataRate: AVAsyncProperty<Root, Float> { .init(known: \.estimatedDataRate) }
  /// Whether the track is played by default. Always true.
  public static var isEnabled: AVAsyncProperty<Root, Bool> { .init(known: \.isEnabled) }
  /// Whether the track can be played. Always true.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { .init(known: \.isPlayable) }
  /// Whether all data of the track are in the asset's own file. Always true.
  public static var isSelfContained: AVAsyncProperty<Root, Bool> { .init(known: \.isSelfContained) }
  /// The characteristics of the track. Always only `audible`.
  public static var mediaCharacteristics: AVAsyncProperty<Root, [AVMediaCharacteristic]> {
    AVAsyncProperty(known: { _ in [.audible] })
  }
  /// The preferred volume. Always 1.
  public static var preferredVolume: AVAsyncProperty<Root, Float> { .init(known: \.preferredVolume) }
  /// The video frame rate, in frames per second. Always 0.
  public static var nominalFrameRate: AVAsyncProperty<Root, Float> { .init(known: \.nominalFrameRate) }
  /// The size of the video, in pixels. Always zero.
  public static var naturalSize: AVAsyncProperty<Root, CGSize> { .init(known: \.naturalSize) }
  /// The language. Always nil, for unknown.
  public static var languageCode: AVAsyncProperty<Root, String?> { .init(known: \.languageCode) }
  /// The language by BCP 47. Always nil, for unknown.
  public static var extendedLanguageTag: AVAsyncProperty<Root, String?> {
    AVAsyncProperty(known: \.extendedLanguageTag)
  }
}

extension AVAsset {
  /// The tracks: one, or none for an unplayable file or a remote medium that was not read yet. Blocks to read
  /// an unread file; `load(.tracks)` does not block.
  public var tracks: [AVAssetTrack] { (try? loader.loadNow()?.get())?.tracks(of: self) ?? [] }

  /// Returns the track with that number; nil if none exists. Blocks as `tracks` does.
  public func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
    tracks.first { $0.trackID == trackID }
  }

  /// Returns the tracks of that kind. Blocks as `tracks` does.
  public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// Returns the tracks with that characteristic. Blocks as `tracks` does.
  public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
    tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  /// Returns the track with that number, or nil. Reads the file in the background; may throw an `AVError`.
  public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
    try await load(.tracks).first { $0.trackID == trackID }
  }

  /// Returns the tracks of that kind. Reads and throws as `loadTrack(withTrackID:)` does.
  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.mediaType == mediaType }
  }

  /// Passes the tracks of that kind, or the error, to the handler: at once if they are known, otherwise later
  /// on any thread.
  public func loadTracks(
    withMediaType mediaType: AVMediaType,
    completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
  ) {
    loader.loadMedia { [self] outcome in
      switch outcome {
      case .success(let values):
        completionHandler(values.tracks(of: self).filter { $0.mediaType == mediaType }, nil)
      case .failure(let error): completionHandler(nil, error)
      }
    }
  }

  /// Returns the tracks with that characteristic. Reads and throws as `loadTrack(withTrackID:)` does.
  public func loadTracks(
    withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  /// Whether the media are copy-protected. Always false; opens no file.
  public var hasProtectedContent: Bool { false }

  /// Cancels the loading in progress. The keys' status becomes `cancelled`, and waiting requests receive
  /// `AVError.operationCancelled`. Loaded values are kept. A later request loads again. Does not block.
  public func cancelLoading() {
    loader.values.cancel()
    loader.metadata.cancel()
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The tracks: always one. Loading fails if the file contains no audio.
  public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
    AVAsyncProperty(ofMedia: { asset, values in values.tracks(of: asset) })
  }
  /// Whether the media are copy-protected. Always false.
  public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { .init(ofFile: { _ in false }) }
}

extension AssetLoader.Values {
  fileprivate func tracks(of asset: AVAsset) -> [AVAssetTrack] {
    info.map { [AVAssetTrack(asset: asset, info: $0)] } ?? []
  }
}
