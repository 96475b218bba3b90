package import AudioSession
import Clocks
public import Foundation
public import MediaTime
package import Transfer

/// Media that can be played. Every asset is an `AVURLAsset`; `AVAsset(url:)` creates one.
///
/// Creating an asset opens no file. The first request reads all values except the metadata, which are read
/// separately. Values that were read never change. Any thread.
open class AVAsset: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
  // Unchecked because the class is open; the only mutable state is the loader's, which has a lock.

  package let loader: AssetLoader

  init(loader: AssetLoader) {
    self.loader = loader
    super.init()
  }

  /// The duration; indefinite if unknown or after a failure. Blocks the caller's thread to read an unread
  /// file, but never on the network. `load(.duration)` waits for the file or the network without blocking.
  open var duration: CMTime { (try? loader.loadNow()?.get())?.duration ?? .indefinite }

  /// Whether the file contains playable audio. Blocks as `duration` does.
  open var isPlayable: Bool { (try? loader.loadNow()?.get())?.isPlayable ?? false }

  /// Whether `duration` is exact and not an estimate. Blocks as `duration` does.
  open var providesPreciseDurationAndTiming: Bool { (try? loader.loadNow()?.get())?.isPrecise ?? false }

  /// Returns the status of loading `key`, and after a failure the error in `outError`. Reads no file.
  open func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    let (status, error) =
      switch key {
      case _ where AssetMetadata.keys.contains(key): loader.metadata.status
      // Both keys have values even for files without playable audio.
      case "playable", "hasProtectedContent": loader.values.status
      default:
        if case .failure(let error)? = loader.mediaOutcome { (.failed, error) } else { loader.values.status }
      }
    if let error { outError?.pointee = error as NSError }
    return status
  }

  /// Reads values and calls `handler` once when reading has succeeded or failed. If the values are known, the
  /// call comes before this method returns. Otherwise it comes on a background thread, or on a thread that
  /// cancels loading or reads the same values. Metadata are read if one of their keys is listed. All other
  /// values are read together if any other key, or none, is listed. The call is deferred while the players are
  /// suspended, and dropped when the application ends. Does not block.
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

  /// Returns this object, because assets are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Adds an initializer to `AVAsset` that creates an `AVURLAsset`. Only initializers in a protocol extension
/// can return a subclass.
public protocol AssetInitializing {}

extension AVAsset: AssetInitializing {}

extension AssetInitializing where Self: AVAsset {
  /// Creates an asset of the media at `url`. Opens no file.
  public init(url: URL) {
    guard let asset = AVURLAsset(url: url) as? Self else {
      preconditionFailure("a subclass of AVAsset has initialisers of its own")
    }
    self = asset
  }
}

/// Media at a file, http or https URL, or at a URL with a custom scheme whose bytes a delegate of
/// `resourceLoader` provides. Other URLs fail when they are loaded.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  // Unchecked for the same reason as the superclass.

  /// The URL of the media.
  public let url: URL

  /// Creates an asset of the media at a URL. Opens no file.
  ///
  /// - Parameters:
  ///   - url: the URL of the media.
  ///   - options: `AVURLAssetPreferPreciseDurationAndTimingKey` with a `Bool` or `NSNumber`,
  ///     `AVURLAssetHTTPUserAgentKey` and `AVURLAssetHTTPHeaderFieldsKey`. Other keys are ignored, and so are
  ///     header fields with control characters such as line ends.
  public init(url: URL, options: [String: Any]? = nil) {
    self.url = url
    let option = options?[AVURLAssetPreferPreciseDurationAndTimingKey]
    // Linux does not convert an NSNumber to a Bool automatically.
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

  /// The loader of URLs with custom schemes. The delegate is not called for file, http and https URLs.
  open var resourceLoader: AVAssetResourceLoader {
    loader.resourceLoader ?? AVAssetResourceLoader(environment: loader.environment)
  }

  /// Creates an asset whose requests connect only to addresses within `reach` and use `credentials`, which
  /// the URL does not contain.
  package init(url: URL, reach: NetworkReach, credentials: Credentials?) {
    self.url = url
    super.init(
      loader: AssetLoader(url: url, isPrecise: false) { asset in
        asset.reach = reach
        asset.credentials = credentials
      })
  }

  /// Creates an asset that is loaded in `environment` instead of `PlaybackEnvironment.current`.
  package init(url: URL, environment: PlaybackEnvironment) {
    self.url = url
    super.init(loader: AssetLoader(url: url, isPrecise: false, environment: environment))
  }
}

/// The key of a `Bool` that indicates whether the duration must be exact, even if the whole file must be read
/// for that; false by default. The duration of a file with an Info frame, which most MP3 encoders write, is
/// exact in any case.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"

/// The key of the `User-Agent` of HTTP requests, a `String`; "Continuo/" and its version by default.
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"

/// The key of header fields of HTTP requests, a `[String: String]`. They replace the player's own except
/// `Range`, `If-Range`, `Accept-Encoding` and `Host`, and are not sent after a redirect to another origin.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// The key of the media's MIME type. Without effect, because the content determines the type.
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"

// Options for the networks that requests may use. Ignored, because Linux does not report the cost of a
// connection.

/// The key of a `Bool` that indicates whether requests may use a mobile network. Without effect.
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"

/// The key of a `Bool` that indicates whether requests may use a metered network. Without effect.
public let AVURLAssetAllowsExpensiveNetworkAccessKey = "AVURLAssetAllowsExpensiveNetworkAccessKey"

/// The key of a `Bool` that indicates whether requests may use a network in low-data mode. Without effect.
public let AVURLAssetAllowsConstrainedNetworkAccessKey = "AVURLAssetAllowsConstrainedNetworkAccessKey"

// The loadable properties of an asset: properties of the media, of the file and of the metadata.

extension AVAsyncProperty where Root: AVAsset {
  /// Creates a property of the media. Loading fails for a file without playable audio.
  convenience init(ofMedia value: @escaping @Sendable (Root, AssetLoader.Values) -> Value) {
    self.init(
      prepare: { try await Self.wait($0.loader.loadMedia) },
      status: { root in
        Self.status(root.loader.mediaOutcome, isLoading: root.loader.values.isLoading) { value(root, $0) }
      })
  }

  /// Creates a property of the file, which has a value even without playable audio.
  convenience init(ofFile value: @escaping @Sendable (AssetLoader.Values) -> Value) {
    self.init(
      prepare: { try await Self.wait($0.loader.load) },
      status: { Self.status($0.loader.outcome, isLoading: $0.loader.values.isLoading, value) })
  }

  /// Creates a property that is read with the file's tags.
  convenience init(metadata value: @escaping @Sendable (AssetMetadata) -> Value) {
    self.init(
      prepare: { try await Self.wait($0.loader.loadMetadata) },
      status: { Self.status($0.loader.metadata.outcome, isLoading: $0.loader.metadata.isLoading, value) })
  }

  private static func wait<Loaded: Sendable>(
    _ load: (@escaping @Sendable (Result<Loaded, AVError>) -> Void) -> Void
  ) async throws {
    // An unsafe continuation, because a checked one would warn that it is never resumed if the application
    // ends during loading.
    try await withUnsafeThrowingContinuation { continuation in
      load { continuation.resume(with: $0.map { _ in }) }
    }
  }

  private static func status<Loaded>(
    _ outcome: Result<Loaded, AVError>?, isLoading: Bool, _ value: (Loaded) -> Value
  ) -> Status {
    switch outcome {
    case nil: isLoading ? .loading : .notYetLoaded
    case .success(let loaded): .loaded(value(loaded))
    case .failure(let error): .failed(error as NSError)
    }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The duration; indefinite if unknown. Loading fails if the file contains no audio.
  public static var duration: AVAsyncProperty<Root, CMTime> { .init(ofMedia: { $1.duration }) }
  /// Whether the file contains playable audio.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { .init(ofFile: { $0.isPlayable }) }
  /// Whether the duration is exact and not an estimate. Loading fails if the file contains no audio.
  public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty(ofMedia: { $1.isPrecise })
  }
}
