package import AudioCore
public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// The kind of a track.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// Apple's name: four characters.
  public let rawValue: String
  /// The kind of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sound: the only kind that occurs.
  public static let audio = AVMediaType(rawValue: "soun")
  /// Pictures.
  public static let video = AVMediaType(rawValue: "vide")
  /// Text.
  public static let text = AVMediaType(rawValue: "text")
  /// Subtitles.
  public static let subtitle = AVMediaType(rawValue: "sbtl")
  /// Closed captions.
  public static let closedCaption = AVMediaType(rawValue: "clcp")
  /// Metadata that changes with time.
  public static let metadata = AVMediaType(rawValue: "meta")
}

/// The number of a track in its asset.
public typealias CMPersistentTrackID = Int32

/// The number of no track: 0.
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

/// The track of sound of an asset: an MP3 file has one. Any thread; nothing blocks.
public final class AVAssetTrack: NSObject, Sendable {
  private struct Asset {
    weak let value: AVAsset?
  }

  private let owner: Asset
  /// The number: 1.
  public let trackID = AVAssetTrack.onlyID
  /// The number of an asset's only track.
  static let onlyID: CMPersistentTrackID = 1
  /// The kind: sound.
  public let mediaType = AVMediaType.audio
  /// From zero to the asset's end; of indefinite duration if that is not known.
  public let timeRange: CMTimeRange
  /// Bits per second: the mean, as far as it is known when the file is opened; 0 if it is not known.
  public let estimatedDataRate: Float
  /// What it is decoded to.
  package let format: PCMFormat

  init(asset: AVAsset, info: ItemInfo) {
    owner = Asset(value: asset)
    timeRange = CMTimeRange(start: .zero, duration: info.duration)
    estimatedDataRate = Float(info.bitRate)
    format = info.format
    super.init()
  }

  /// The asset; nil if it was released.
  public var asset: AVAsset? { owner.value }

  /// Frames per second; 0 if the duration is not known.
  public var naturalTimeScale: CMTimeScale { timeRange.duration.isNumeric ? timeRange.duration.timescale : 0 }

  /// Whether it is played by default: true.
  public var isEnabled: Bool { true }
  /// Whether it can be played: true.
  public var isPlayable: Bool { true }
  /// Whether all its data is in the asset's own file: true.
  public var isSelfContained: Bool { true }
  /// The volume that it asks for, from 0 to 1: 1.
  public var preferredVolume: Float { 1 }
  /// Pictures per second: 0.
  public var nominalFrameRate: Float { 0 }
  /// The size of the picture: zero.
  public var naturalSize: CGSize { .zero }
  /// The language: nil, not known.
  public var languageCode: String? { nil }
  /// The language, as BCP 47 writes it: nil, not known.
  public var extendedLanguageTag: String? { nil }

  /// Whether the track has `mediaCharacteristic`: `audible` alone.
  public func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
    mediaCharacteristic == .audible
  }

  /// Two tracks are equal if they are the same track of the same asset.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAssetTrack, let asset else { return self === object as AnyObject }
    return asset === other.asset && trackID == other.trackID
  }

  /// Agrees with `isEqual`.
  public override var hash: Int { asset.map { ObjectIdentifier($0).hashValue } ?? 0 }
}

extension AVAsset {
  /// The tracks: one, or none if the file cannot be played. Blocks to read the file on the caller's thread if it was not
  /// read before; `load(.tracks)` does not block.
  public var tracks: [AVAssetTrack] {
    (try? loader.loadNow()?.get()).map { $0.tracks(of: self) } ?? []
  }

  /// The track with that number; nil if there is none. Blocks as `tracks` does.
  public func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
    tracks.first { $0.trackID == trackID }
  }

  /// The tracks of that kind. Blocks as `tracks` does.
  public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// The tracks with that characteristic. Blocks as `tracks` does.
  public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
    tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  /// The track with that number; nil if there is none. Reads the file off the caller's thread.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
    try await load(.tracks).first { $0.trackID == trackID }
  }

  /// The tracks of that kind. Reads the file off the caller's thread.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.mediaType == mediaType }
  }

  /// The tracks of that kind, or why there are none; before the return if that is known. Reads the file off the caller's
  /// thread.
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

  /// The tracks with that characteristic. Reads the file off the caller's thread.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func loadTracks(
    withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  /// Whether the media is protected against copying: false. Opens nothing.
  public var hasProtectedContent: Bool { false }

  /// Ends the loading that is under way: the keys' status becomes `cancelled`, what waits for them is called or throws
  /// `AVError.operationCancelled`. What is loaded stays. A later request loads again. Does not block.
  public func cancelLoading() { loader.cancel() }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The tracks: one. Cannot be loaded if the file contains no audio.
  public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
    AVAsyncProperty(ofMedia: { asset, values in values.tracks(of: asset) })
  }
  /// Whether the media is protected against copying: false.
  public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty(ofFile: { _ in false })
  }
}

extension AssetLoader.Values {
  fileprivate func tracks(of asset: AVAsset) -> [AVAssetTrack] {
    info.map { [AVAssetTrack(asset: asset, info: $0)] } ?? []
  }
}
