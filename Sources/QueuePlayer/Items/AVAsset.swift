public import Foundation
public import MediaTime

/// Media that can be played. Every asset is an `AVURLAsset`; `AVAsset(url:)` makes one.
///
/// Making an asset opens no file. All values are read together when the first one is requested, and never
/// change afterwards. Any thread.
open class AVAsset: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state but the loader's, which has a lock.

  let loader: AssetLoader

  init(loader: AssetLoader) {
    self.loader = loader
    super.init()
  }

  /// The length; indefinite if it is not known, also after a failure. Blocks to read the file on the caller's
  /// thread if it was not read before; `load(.duration)` does not block.
  open var duration: CMTime { (try? loader.loadNow()?.get())?.duration ?? .indefinite }

  /// Whether the file contains audio that can be played. Blocks as `duration` does.
  open var isPlayable: Bool { (try? loader.loadNow()?.get())?.isPlayable ?? false }

  /// Whether `duration` is exact and not an estimate. Blocks as `duration` does.
  open var providesPreciseDurationAndTiming: Bool { (try? loader.loadNow()?.get())?.isPrecise ?? false }

  /// Returns this object, since an asset does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Gives `AVAsset` an initialiser that makes an `AVURLAsset`, as Apple's does: only a protocol's extension
/// can.
public protocol AssetInitializing {}

extension AVAsset: AssetInitializing {}

extension AssetInitializing where Self: AVAsset {
  /// The media at `url`; opens nothing.
  public init(url: URL) {
    guard let asset = AVURLAsset(url: url) as? Self else {
      preconditionFailure("a subclass of AVAsset has initialisers of its own")
    }
    self = asset
  }
}

/// Media at a URL. Only file URLs can be played; others fail when they are loaded.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  // Unchecked as its superclass.

  /// Where the media is.
  public let url: URL

  /// The media at a URL; opens nothing.
  ///
  /// - Parameters:
  ///   - url: where the media is.
  ///   - options: `AVURLAssetPreferPreciseDurationAndTimingKey` with a `Bool` or `NSNumber`; all others are
  ///     ignored.
  public init(url: URL, options: [String: Any]? = nil) {
    self.url = url
    let option = options?[AVURLAssetPreferPreciseDurationAndTimingKey]
    // Linux does not turn an NSNumber into a Bool by itself.
    let isPrecise = option as? Bool ?? (option as? NSNumber)?.boolValue ?? false
    super.init(loader: AssetLoader(url: url, isPrecise: isPrecise))
  }

  /// For tests: an asset that is loaded in an environment of its own.
  package init(url: URL, environment: PlaybackEnvironment) {
    self.url = url
    super.init(loader: AssetLoader(url: url, isPrecise: false, environment: environment))
  }
}

/// Whether the duration is to be exact (`true`), even if the whole file has to be read for it, or an estimate
/// will do (the default). Files with an Info frame, as all common encoders write it, are exact anyway.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
