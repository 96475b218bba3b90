import AudioCore
package import AudioSession
import Dispatch
package import Foundation
import MediaTime
package import PlaybackEngine
import Synchronization

/// The loader of an asset's values and metadata. Reads each once, for all requests.
package final class AssetLoader: Sendable {
  /// The values of an asset.
  package struct Values: Sendable {
    var duration: CMTime
    var isPlayable: Bool
    var isPrecise: Bool
    /// The properties of the medium for a player; nil if the file has no playable audio.
    package var info: ItemInfo?

    /// The values of playable media.
    init(_ info: ItemInfo) {
      duration = info.duration
      isPlayable = true
      if case .exact = info.frameCount { isPrecise = true } else { isPrecise = false }
      self.info = info
    }

    /// The values of a file without playable audio.
    private init() {
      duration = .indefinite
      isPlayable = false
      isPrecise = false
    }

    static let unplayable = Values()
  }

  package typealias Outcome = Result<Values, AVError>

  package let url: URL
  let isPrecise: Bool
  /// The medium, if it is remote or a delegate provides it.
  package let shared: SharedMedium?
  /// The loader that requests the bytes from a delegate, if the URL has a custom scheme.
  let resourceLoader: AVAssetResourceLoader?
  /// A closure and not an environment, because there may be 100 000 loaders.
  package let environment: @Sendable () -> PlaybackEnvironment
  private let values = Mutex(LoadState<Values>.initial)
  private let metadata = Mutex(LoadState<AssetMetadata>.initial)

  init(
    url: URL, isPrecise: Bool, environment: PlaybackEnvironment? = nil,
    change: (inout RemoteAsset) -> Void = { _ in }
  ) {
    self.url = url
    self.isPrecise = isPrecise
    let own: @Sendable () -> PlaybackEnvironment
    if let environment { own = { environment } } else { own = PlaybackEnvironment.currentAtUse() }
    self.environment = own
    if !url.isFileURL, var asset = try? RemoteAsset(url, isPrecise: isPrecise) {
      change(&asset)
      shared = SharedMedium(asset)
      resourceLoader = nil
    } else if let scheme = url.scheme?.lowercased(), !["file", "http", "https"].contains(scheme) {
      let loader = AVAssetResourceLoader { own().mainQueue }
      let transport = LoaderTransport(url, loader: loader)
      shared = RemoteAsset(url, isPrecise: isPrecise, transport: transport).map(SharedMedium.init)
      resourceLoader = loader
    } else {
      shared = nil
      resourceLoader = nil
    }
  }

  /// The values or the error; nil before the file was read.
  package var outcome: Outcome? { values.withLock { $0.outcome } }

  /// The outcome for media properties: a failure even if the file is readable but has no playable audio.
  var mediaOutcome: Outcome? { outcome.map(Self.media) }

  /// Whether the file is being read.
  var isLoading: Bool { values.withLock { $0.isLoading } }

  /// Whether loading was cancelled and not requested again.
  var isCancelled: Bool { values.withLock { $0.isCancelled } }

  /// The status of the values, and the error if reading failed.
  var status: (AVKeyValueStatus, AVError?) { values.withLock { $0.status } }

  /// The status of the media properties, and the error if reading failed.
  var mediaStatus: (AVKeyValueStatus, AVError?) {
    if case .failure(let error)? = mediaOutcome { (.failed, error) } else { status }
  }

  /// The status of the metadata, and the error if reading failed.
  var metadataStatus: (AVKeyValueStatus, AVError?) { metadata.withLock { $0.status } }

  /// The queue on which files are read and deferred completions are called.
  static let queue = DispatchQueue.global(qos: .userInitiated)

  /// Calls `completion` with the outcome: at once if known, otherwise on the thread that reads the file.
  /// Deferred while the players of the environment are suspended.
  package func load(_ completion: @escaping @Sendable (Outcome) -> Void) {
    let completion = environment().suspension.deferred(completion)
    let (known, isFirst) = values.withLock { $0.ask(completion) }
    if let known { completion(known) }
    if isFirst {
      let reading = AssetReading(source)
      Self.queue.async { self.goOn(with: reading) }
    }
  }

  /// Calls `completion` as `load` does, with the outcome for media properties.
  func loadMedia(_ completion: @escaping @Sendable (Outcome) -> Void) {
    load { completion(Self.media($0)) }
  }

  private static func media(_ outcome: Outcome) -> Outcome {
    if case .success(let values) = outcome, values.info == nil { .failure(.nothingToPlay) } else { outcome }
  }

  /// Cancels the loading in progress, of values and of metadata. Waiting completions receive the error
  /// `operationCancelled`.
  func cancel() {
    for completion in values.withLock({ $0.cancel() }) { completion(.failure(AVError(.operationCancelled))) }
    for completion in metadata.withLock({ $0.cancel() }) {
      completion(.failure(AVError(.operationCancelled)))
    }
  }

  /// Returns the outcome. Blocks to read an unread file on the caller's thread; returns nil for an unread
  /// remote medium.
  func loadNow() -> Outcome? {
    if let outcome { return outcome }
    guard shared == nil else { return nil }
    return read(AssetReading(source)) {}.map { finish($0) }
  }

  /// Stores the properties that a player found when it opened the file.
  package func learn(_ info: ItemInfo) {
    guard outcome == nil, !isLoading else { return }
    finish(.success(Values(info)))
  }

  /// Stores the first outcome and calls the completions that wait for it.
  @discardableResult
  private func finish(_ new: Outcome, unlessCancelled: Bool = false) -> Outcome {
    let (outcome, waiting) = values.withLock { $0.finish(new, unlessCancelled: unlessCancelled) }
    for completion in waiting { completion(outcome) }
    return outcome
  }

  private var source: AssetSource { AssetSource(self, in: environment()) }

  /// Continues reading, now and each time bytes arrive, until an outcome is known. Blocks on a local disk.
  private func goOn(with reading: AssetReading) {
    let outcome = read(reading) { Self.queue.async { self.goOn(with: reading) } }
    if let outcome { finish(outcome, unlessCancelled: true) }
  }

  /// Returns the outcome; nil while bytes are missing. In that case `callback` is called when bytes arrive.
  private func read(_ reading: AssetReading, whenBytesCome callback: @escaping @Sendable () -> Void)
    -> Outcome?
  {
    do throws(DecodingError) {
      return try reading.proceed(whenBytesCome: callback).map { .success(Values($0)) }
    } catch {
      return error.reason == .notRecognized ? .success(.unplayable) : .failure(AVError(error, opening: true))
    }
  }

  // MARK: Metadata

  typealias MetadataOutcome = Result<AssetMetadata, AVError>

  /// The metadata or the error; nil before they were read.
  var metadataOutcome: MetadataOutcome? { metadata.withLock { $0.outcome } }

  /// Whether the metadata are being read.
  var isLoadingMetadata: Bool { metadata.withLock { $0.isLoading } }

  /// Calls `completion` with the metadata, as `load` does with the values.
  func loadMetadata(_ completion: @escaping @Sendable (MetadataOutcome) -> Void) {
    let completion = environment().suspension.deferred(completion)
    let (known, isFirst) = metadata.withLock { $0.ask(completion) }
    if let known { completion(known) }
    guard isFirst else { return }
    // The metadata of a playing live stream are already known.
    if case .success(let values)? = outcome, let live = values.info?.live {
      finishMetadata(.success(AssetMetadata(live.tag)), unlessCancelled: true)
      return
    }
    let source = source
    let opening = shared.map { _ in AssetReading(source) }
    Self.queue.async { self.goOnToMetadata(of: source, opening) }
  }

  /// Returns the metadata. Blocks to read unread tags on the caller's thread; returns no metadata for an
  /// unread remote medium.
  func loadMetadataNow() -> MetadataOutcome {
    if let metadataOutcome { return metadataOutcome }
    guard shared == nil else { return .success(AssetMetadata(MediaTag())) }
    return finishMetadata(readMetadata(of: source))
  }

  /// Reads the metadata. For a remote medium, first waits until `opening` has fetched its beginning, which
  /// `source` retains.
  private func goOnToMetadata(of source: AssetSource, _ opening: AssetReading?) {
    let outcome: MetadataOutcome
    do throws(DecodingError) {
      if let opening {
        let info = try opening.proceed { Self.queue.async { self.goOnToMetadata(of: source, opening) } }
        guard let info else { return }
        // A live stream has no tag at its beginning; its server sends the metadata.
        if let live = info.live {
          finishMetadata(.success(AssetMetadata(live.tag)), unlessCancelled: true)
          return
        }
      }
      outcome = readMetadata(of: source)
    } catch {
      outcome = .failure(AVError(error, opening: true))
    }
    finishMetadata(outcome, unlessCancelled: true)
  }

  @discardableResult
  private func finishMetadata(_ new: MetadataOutcome, unlessCancelled: Bool = false) -> MetadataOutcome {
    let (outcome, waiting) = metadata.withLock { $0.finish(new, unlessCancelled: unlessCancelled) }
    for completion in waiting { completion(outcome) }
    return outcome
  }

  private func readMetadata(of source: AssetSource) -> MetadataOutcome {
    do throws(DecodingError) {
      return .success(AssetMetadata(try source.readTag()))
    } catch {
      return .failure(AVError(error, opening: true))
    }
  }
}
