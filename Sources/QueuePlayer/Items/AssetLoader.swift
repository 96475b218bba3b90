import AudioCore
import Dispatch
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

/// Reads the values of an asset once, for all requests.
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

  private enum State {
    case initial
    case loading([@Sendable (Outcome) -> Void])
    case done(Outcome)
  }

  let url: URL
  let isPrecise: Bool
  /// A closure and not an environment, because there may be 100 000 loaders.
  let environment: @Sendable () -> PlaybackEnvironment
  private let state = Mutex(State.initial)

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
  var outcome: Outcome? { state.withLock { if case .done(let outcome) = $0 { outcome } else { nil } } }

  /// Whether the file is being read.
  var isLoading: Bool { state.withLock { if case .loading = $0 { true } else { false } } }

  /// The queue on which files are read, and on which completions that were held back are called.
  static let queue = DispatchQueue.global(qos: .userInitiated)

  /// Calls `completion` with the outcome: at once if it is known, otherwise on the thread that reads the
  /// file. Held back while the players of the environment are suspended.
  func load(_ completion: @escaping @Sendable (Outcome) -> Void) {
    let completion = environment().suspension.deferred(completion)
    let (known, isFirst): (Outcome?, Bool) = state.withLock { state in
      switch state {
      case .done(let outcome): return (outcome, false)
      case .loading(let others):
        state = .loading(others + [completion])
        return (nil, false)
      case .initial:
        state = .loading([completion])
        return (nil, true)
      }
    }
    if let known { completion(known) }
    guard isFirst else { return }
    Self.queue.async { self.finish(self.read()) }
  }

  /// The outcome. Blocks to read the file on the caller's thread if it is not known.
  func loadNow() -> Outcome {
    if let outcome { return outcome }
    let outcome = read()
    return finish(outcome)
  }

  /// A player opened the file and found this.
  func learn(_ info: ItemInfo) {
    guard outcome == nil, !isLoading else { return }
    finish(.success(Values(info)))
  }

  /// Stores the first outcome and calls the completions that wait for it.
  @discardableResult
  private func finish(_ new: Outcome) -> Outcome {
    let (outcome, waiting): (Outcome, [@Sendable (Outcome) -> Void]) = state.withLock { state in
      switch state {
      case .done(let outcome): return (outcome, [])
      case .initial:
        state = .done(new)
        return (new, [])
      case .loading(let waiting):
        state = .done(new)
        return (new, waiting)
      }
    }
    for completion in waiting { completion(outcome) }
    return outcome
  }

  private func read() -> Outcome {
    guard url.isFileURL else { return .failure(AVError(unsupported: url)) }
    do throws(DecodingError) {
      let decoder = try AssetSource(loader: self, makeSource: environment().makeSource).makeDecoder()
      return .success(Values(ItemInfo(format: decoder.format, frameCount: decoder.frameCount)))
    } catch {
      return error.reason == .notRecognized ? .success(.unplayable) : .failure(AVError(error, opening: true))
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
