public import Foundation
public import MediaTime
package import Transfer

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

  /// The length; indefinite if it is not known, also after a failure. Blocks to read a file on the caller's
  /// thread if it was not read before, but never on the network; `load(.duration)` does not block, and waits for both.
  open var duration: CMTime { (try? loader.loadNow()?.get())?.duration ?? .indefinite }

  /// Whether the file contains audio that can be played. Blocks as `duration` does.
  open var isPlayable: Bool { (try? loader.loadNow()?.get())?.isPlayable ?? false }

  /// Whether `duration` is exact and not an estimate. Blocks as `duration` does.
  open var providesPreciseDurationAndTiming: Bool { (try? loader.loadNow()?.get())?.isPrecise ?? false }

  /// The status of loading `key`. After a failure `outError` receives the reason. Any thread; reads nothing.
  open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    let (status, error) =
      switch key {
      case _ where AssetMetadata.keys.contains(key): loader.metadataStatus
      // Also what is no medium can be asked for these.
      case "playable", "hasProtectedContent": loader.status
      default: loader.mediaStatus
      }
    if let error { outError?.pointee = error as NSError }
    return status
  }

  /// Reads values and calls `handler` once when that has succeeded or failed: on a background thread, or
  /// before the return if the values are known. Metadata are read if one of their keys is listed, and all
  /// other values together, whichever are listed. Does not block.
  @preconcurrency
  open func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) {
    guard keys.contains(where: AssetMetadata.keys.contains) else { return loader.load { _ in handler?() } }
    let loader = loader
    guard !keys.allSatisfy(AssetMetadata.keys.contains) else {
      return loader.loadMetadata { _ in handler?() }
    }
    loader.loadMetadata { _ in loader.load { _ in handler?() } }
  }

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

/// Media at a URL. File, http and https URLs can be played, and those of other schemes whose bytes a delegate of `resourceLoader`
/// brings; others fail when they are loaded.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  // Unchecked as its superclass.

  /// Where the media is.
  public let url: URL

  /// The media at a URL; opens nothing.
  ///
  /// - Parameters:
  ///   - url: where the media is.
  ///   - options: `AVURLAssetPreferPreciseDurationAndTimingKey` with a `Bool` or `NSNumber`,
  ///     `AVURLAssetHTTPUserAgentKey` with a `String`, `AVURLAssetHTTPHeaderFieldsKey` with a `[String: String]`; all others
  ///     are ignored, and header fields with line ends or other control characters too.
  public init(url: URL, options: [String: Any]? = nil) {
    self.url = url
    let option = options?[AVURLAssetPreferPreciseDurationAndTimingKey]
    // Linux does not turn an NSNumber into a Bool by itself.
    let isPrecise = option as? Bool ?? (option as? NSNumber)?.boolValue ?? false
    let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
    let userAgent = options?[AVURLAssetHTTPUserAgentKey] as? String
    super.init(
      loader: AssetLoader(url: url, isPrecise: isPrecise) { asset in
        for (name, value) in fields.sorted(by: { $0.key < $1.key })
        where HTTPFields.allows(name, value) { asset.fields.set(name, value) }
        if let userAgent, HTTPFields.allows("User-Agent", userAgent) { asset.userAgent = userAgent }
      })
  }

  /// Asks a delegate for the bytes of URLs with a scheme of the application's own; its delegate is not asked for those of files
  /// and of http and https. Any thread.
  open var resourceLoader: AVAssetResourceLoader {
    loader.resourceLoader ?? AVAssetResourceLoader { [loader] in loader.environment().mainQueue }
  }

  /// The media at a URL without credentials, whose requests may reach these addresses and have these credentials.
  package init(url: URL, reach: NetworkReach, credentials: Credentials?) {
    self.url = url
    super.init(
      loader: AssetLoader(url: url, isPrecise: false) { asset in
        asset.reach = reach
        asset.credentials = credentials
      })
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

/// What requests for a URL of the network say as `User-Agent`, a `String`; "Continuo/" and its version by default.
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"

/// Header fields of requests for a URL of the network, a `[String: String]`. They take the place of the player's own, but
/// for `Range`, `If-Range`, `Accept-Encoding` and `Host`, and are not sent to another server that the first one names.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// What the media is, a MIME type. Without effect: what it is, its bytes tell.
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"

// Which networks requests may use. Accepted and ignored: Linux does not say what a connection costs.

/// Whether requests may use a mobile network, a `Bool`. Without effect.
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"

/// Whether requests may use a network that is paid by use, a `Bool`. Without effect.
public let AVURLAssetAllowsExpensiveNetworkAccessKey = "AVURLAssetAllowsExpensiveNetworkAccessKey"

/// Whether requests may use a network on which data are to be saved, a `Bool`. Without effect.
public let AVURLAssetAllowsConstrainedNetworkAccessKey = "AVURLAssetAllowsConstrainedNetworkAccessKey"
