import AudioCore
package import AudioSession
import Clocks
import Dispatch
package import Foundation
import MediaTime
package import PlaybackEngine
import Synchronization

/// The loader of an asset's values and metadata. Keeps the first outcome of each for all later requests.
package final class AssetLoader: Sendable {
  package struct Values: Sendable {
    /// The properties of the medium for a player; nil if the file has no playable audio.
    package let info: ItemInfo?

    var duration: CMTime { info?.duration ?? .indefinite }
    var isPlayable: Bool { info != nil }
    var isPrecise: Bool { if case .exact? = info?.frameCount { true } else { false } }
  }

  package typealias Outcome = Result<Values, AVError>

  package let url: URL
  let isPrecise: Bool
  /// The medium, if it is remote or a delegate provides it.
  package let shared: SharedMedium?
  /// The loader that requests the bytes from a delegate; nil unless the URL has a custom scheme.
  let resourceLoader: AVAssetResourceLoader?
  /// Returns the environment. A closure takes less memory than an environment, and there may be 100 000
  /// loaders.
  package let environment: @Sendable () -> PlaybackEnvironment
  let values = Load<Values>()
  let metadata = Load<AssetMetadata>()

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
      let loader = AVAssetResourceLoader(environment: own)
      let transport = LoaderTransport(url, loader: loader)
      shared = RemoteAsset(url, isPrecise: isPrecise, transport: transport).map(SharedMedium.init)
      resourceLoader = loader
    } else {
      shared = nil
      resourceLoader = nil
    }
  }

  /// The values or the error; nil before the file was read.
  package var outcome: Outcome? { values.outcome }

  /// The outcome for media properties. Differs from `outcome` for a readable file without playable audio: a
  /// failure.
  var mediaOutcome: Outcome? { outcome.map(Self.media) }

  /// The queue on which files and metadata are read, so that callers are not blocked.
  static let queue = DispatchQueue.global(qos: .userInitiated)

  /// Calls `completion` with the outcome: at once if it is known, otherwise on the thread that reads the file
  /// or cancels the reading. The call is deferred while the players of the environment are suspended.
  func load(_ completion: @escaping @Sendable (Outcome) -> Void) {
    guard values.request(environment().suspension.deferred(completion)) else { return }
    let reading = AssetReading(source)
    Self.queue.async { self.goOn(with: reading) }
  }

  /// Calls `completion` as `load` does, with the outcome for media properties.
  package func loadMedia(_ completion: @escaping @Sendable (Outcome) -> Void) {
    load { completion(Self.media($0)) }
  }

  private static func media(_ outcome: Outcome) -> Outcome {
    if case .success(let values) = outcome, values.info == nil { .failure(.nothingToPlay) } else { outcome }
  }

  /// Returns the outcome. Blocks to read an unread file; returns nil for an unread remote medium.
  func loadNow() -> Outcome? {
    if let outcome { return outcome }
    guard shared == nil else { return nil }
    return read(AssetReading(source), isWanted: { true }) {}.map { values.finish($0) }
  }

  /// Stores the properties that a player found when it opened the medium. Has no effect if the outcome is known or is
  /// being read.
  package func learn(_ info: ItemInfo) {
    guard outcome == nil, !values.isLoading else { return }
    values.finish(.success(Values(info: info)))
  }

  private var source: AssetSource { AssetSource(self, in: environment()) }

  /// Continues reading, now and each time bytes arrive, until an outcome is known. Blocks on a local disk.
  private func goOn(with reading: AssetReading) {
    let outcome = read(reading, isWanted: { values.isLoading }) {
      Self.queue.async { self.goOn(with: reading) }
    }
    if let outcome { values.finish(outcome, unlessCancelled: true) }
  }

  /// Returns the outcome; nil while bytes are missing. In that case `callback` is called when bytes arrive.
  private func read(
    _ reading: AssetReading, isWanted: () -> Bool, whenBytesCome callback: @escaping @Sendable () -> Void
  ) -> Outcome? {
    do throws(DecodingError) {
      return try reading.proceed(isWanted: isWanted, whenBytesCome: callback).map {
        .success(Values(info: $0))
      }
    } catch {
      return error.reason == .notRecognized
        ? .success(Values(info: nil)) : .failure(AVError(error, opening: true))
    }
  }

  // MARK: Metadata

  /// Calls `completion` with the metadata, as `load` does with the values.
  func loadMetadata(_ completion: @escaping Load<AssetMetadata>.Completion) {
    guard metadata.request(environment().suspension.deferred(completion)) else { return }
    // The metadata of a live stream whose values were read are already known.
    if case .success(let values)? = outcome, let live = values.info?.live {
      metadata.finish(.success(AssetMetadata(live.tag)), unlessCancelled: true)
      return
    }
    let source = source
    let opening = shared.map { _ in AssetReading(source) }
    Self.queue.async { self.goOnToMetadata(of: source, opening) }
  }

  /// Returns the metadata. Blocks to read the unread tags of a file. Returns empty metadata for a remote medium whose
  /// metadata `loadMetadata` has not read.
  func loadMetadataNow() -> Load<AssetMetadata>.Outcome {
    if let known = metadata.outcome { return known }
    guard shared == nil else { return .success(AssetMetadata(MediaTag())) }
    do throws(DecodingError) {
      return metadata.finish(.success(AssetMetadata(try source.readTag())))
    } catch {
      return metadata.finish(.failure(AVError(error, opening: true)))
    }
  }

  /// Reads the metadata. For a remote medium, does so once `opening` has fetched the beginning; `source`
  /// retains the fetched bytes.
  private func goOnToMetadata(of source: AssetSource, _ opening: AssetReading?) {
    do throws(DecodingError) {
      if let opening {
        let info = try opening.proceed(isWanted: { metadata.isLoading }) {
          Self.queue.async { self.goOnToMetadata(of: source, opening) }
        }
        guard let info else { return }
        // A live stream has no tag at its beginning; its server sends the metadata.
        if let live = info.live {
          metadata.finish(.success(AssetMetadata(live.tag)), unlessCancelled: true)
          return
        }
      }
      metadata.finish(.success(AssetMetadata(try source.readTag())), unlessCancelled: true)
    } catch {
      metadata.finish(.failure(AVError(error, opening: true)), unlessCancelled: true)
    }
  }
}

/// The opening of a medium to read its properties. Any thread.
final class AssetReading: Sendable {
  /// The ownership of `opening`.
  private enum Turn {
    case free
    /// A thread uses the opening; `again` requests another step because bytes arrived during this one.
    case taken(again: Bool)
    case over
  }

  private let source: any MediaSource
  private let turn = Mutex(Turn.free)
  private let opening = WorkerState<MediaOpening?>(nil)

  init(_ source: any MediaSource) { self.source = source }

  /// Returns the medium's properties, once. Returns nil while bytes are missing or another call is in
  /// progress, and after the properties were returned or an error was thrown. Returns nil and ends the reading
  /// if `isWanted` returns false. The `callback` of the first call is used for all calls. May block on a local
  /// disk.
  func proceed(
    isWanted: () -> Bool, whenBytesCome callback: @escaping @Sendable () -> Void
  ) throws(DecodingError) -> ItemInfo? {
    let isFree = turn.withLock { turn in
      switch turn {
      case .free:
        turn = .taken(again: false)
        return true
      case .taken: turn = .taken(again: true)
      case .over: break
      }
      return false
    }
    guard isFree else { return nil }
    do throws(DecodingError) {
      while true {
        guard isWanted() else {
          turn.withLock { $0 = .over }
          // Releases the fetch, whose callback retains this object.
          opening.use { $0 = nil }
          return nil
        }
        if let info = try look(callback) {
          turn.withLock { $0 = .over }
          return info
        }
        let looksAgain = turn.withLock { turn in
          guard case .taken(again: true) = turn else {
            turn = .free
            return false
          }
          turn = .taken(again: false)
          return true
        }
        if !looksAgain { return nil }
      }
    } catch {
      turn.withLock { $0 = .over }
      throw error
    }
  }

  /// Returns the medium's properties; nil while bytes are missing, in which case `callback` is called when
  /// more arrive. Must be called without a lock, because the disk may block, and the `deinit` of the decoder
  /// may wait for the thread that calls `callback`.
  private func look(_ callback: @escaping @Sendable () -> Void) throws(DecodingError) -> ItemInfo? {
    try opening.use { [source] opening throws(DecodingError) in
      // An opening that fails is released, because it retains the callback, and so this object.
      let step = opening.take() ?? source.open(whenBytesCome: callback)
      guard let decoder = try step.proceed() else {
        opening = step
        return nil
      }
      return ItemInfo(decoder)
    }
  }
}
