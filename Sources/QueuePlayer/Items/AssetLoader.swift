import AudioCore
import Dispatch
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

/// Reads the values and the metadata of an asset, each once, for all requests.
final class AssetLoader: Sendable {
  /// The values of an asset.
  struct Values: Sendable {
    var duration: CMTime
    var isPlayable: Bool
    var isPrecise: Bool
    /// What a player knows of it; nil if there is nothing to play.
    var info: ItemInfo?

    /// Media that can be played.
    init(_ info: ItemInfo) {
      duration = info.duration
      isPlayable = true
      if case .exact = info.frameCount { isPrecise = true } else { isPrecise = false }
      self.info = info
    }

    /// A file without anything to play in it.
    private init() {
      duration = .indefinite
      isPlayable = false
      isPrecise = false
    }

    static let unplayable = Values()
  }

  typealias Outcome = Result<Values, AVError>

  let url: URL
  let isPrecise: Bool
  /// A closure and not an environment, because there may be 100 000 loaders.
  let environment: @Sendable () -> PlaybackEnvironment
  private let values = Mutex(LoadState<Values>.initial)
  private let metadata = Mutex(LoadState<AssetMetadata>.initial)

  init(url: URL, isPrecise: Bool, environment: PlaybackEnvironment? = nil) {
    self.url = url
    self.isPrecise = isPrecise
    if let environment {
      self.environment = { environment }
    } else if let scope = PlaybackEnvironment.scope {
      self.environment = { scope.environment }
    } else {
      self.environment = { .current }
    }
  }

  /// The values or the error; nil before the file was read.
  var outcome: Outcome? { values.withLock { $0.outcome } }

  /// Whether the file is being read.
  var isLoading: Bool { values.withLock { $0.isLoading } }

  /// Whether loading was cancelled and not asked for again.
  var isCancelled: Bool { values.withLock { $0.isCancelled } }

  /// The status of the values, and why they could not be read.
  var status: (AVKeyValueStatus, AVError?) { values.withLock { $0.status } }

  /// The status of the metadata, and why they could not be read.
  var metadataStatus: (AVKeyValueStatus, AVError?) { metadata.withLock { $0.status } }

  /// The queue on which files are read, and on which completions that were held back are called.
  static let queue = DispatchQueue.global(qos: .userInitiated)

  /// Calls `completion` with the outcome: at once if it is known, otherwise on the thread that reads the
  /// file. Held back while the players of the environment are suspended.
  func load(_ completion: @escaping @Sendable (Outcome) -> Void) {
    let completion = environment().suspension.deferred(completion)
    let (known, isFirst) = values.withLock { $0.ask(completion) }
    if let known { completion(known) }
    if isFirst { Self.queue.async { self.finish(self.read(), unlessCancelled: true) } }
  }

  /// Ends the loading that is under way, of values and of metadata: what waits for it is called with the
  /// error `operationCancelled`.
  func cancel() {
    for completion in values.withLock({ $0.cancel() }) { completion(.failure(AVError(.operationCancelled))) }
    for completion in metadata.withLock({ $0.cancel() }) {
      completion(.failure(AVError(.operationCancelled)))
    }
  }

  /// The outcome. Blocks to read the file on the caller's thread if it is not known.
  func loadNow() -> Outcome { outcome ?? finish(read()) }

  /// A player opened the file and found this.
  func learn(_ info: ItemInfo) {
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

  private func read() -> Outcome {
    guard url.isFileURL else { return .failure(AVError(unsupported: url)) }
    do throws(DecodingError) {
      let decoder = try AssetSource(loader: self, makeSource: environment().makeSource).makeDecoder()
      return .success(Values(ItemInfo(decoder)))
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
    if isFirst { Self.queue.async { self.finishMetadata(self.readMetadata(), unlessCancelled: true) } }
  }

  /// The metadata. Blocks to read the tags on the caller's thread if they are not known.
  func loadMetadataNow() -> MetadataOutcome { metadataOutcome ?? finishMetadata(readMetadata()) }

  @discardableResult
  private func finishMetadata(_ new: MetadataOutcome, unlessCancelled: Bool = false) -> MetadataOutcome {
    let (outcome, waiting) = metadata.withLock { $0.finish(new, unlessCancelled: unlessCancelled) }
    for completion in waiting { completion(outcome) }
    return outcome
  }

  private func readMetadata() -> MetadataOutcome {
    guard url.isFileURL else { return .failure(AVError(unsupported: url)) }
    do throws(DecodingError) {
      return .success(AssetMetadata(try environment().makeSource(url, isPrecise).readTag()))
    } catch {
      return .failure(AVError(error, opening: true))
    }
  }
}

/// The media of an asset as the engine sees them: the path is not made before they are opened.
struct AssetSource: MediaSource {
  let loader: AssetLoader
  let makeSource: @Sendable (URL, Bool) -> any MediaSource

  func makeDecoder() throws(DecodingError) -> any AudioDecoder {
    guard loader.url.isFileURL else { throw DecodingError(reason: .unreadable, message: "not a file") }
    return try makeSource(loader.url, loader.isPrecise).makeDecoder()
  }
}

/// The media of an item that failed before. It fails again, even if the file is good by now.
struct FailedSource: MediaSource {
  func makeDecoder() throws(DecodingError) -> any AudioDecoder {
    throw DecodingError(reason: .unreadable, message: "failed before")
  }
}
