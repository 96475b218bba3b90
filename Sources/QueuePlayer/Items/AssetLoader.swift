import AudioCore
import Dispatch
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

/// Reads what an asset knows of its media: once, off the main thread, for everybody who asks.
final class AssetLoader: Sendable {
  /// What there is to know.
  struct Values: Sendable {
    var duration: CMTime
    var isPlayable: Bool
    var isPrecise: Bool

    /// Media of that many frames.
    init(frames: FrameCount, sampleRate: Int) {
      duration = frames.value.map { CMTime(value: $0, timescale: CMTimeScale(sampleRate)) } ?? .indefinite
      isPlayable = true
      if case .exact = frames { isPrecise = true } else { isPrecise = false }
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

  /// What is known; nil before.
  var outcome: Outcome? { state.withLock { if case .done(let outcome) = $0 { outcome } else { nil } } }

  /// Whether somebody reads the file at present.
  var isLoading: Bool { state.withLock { if case .loading = $0 { true } else { false } } }

  /// Where files are read, and what was held back of that is told.
  static let queue = DispatchQueue.global(qos: .userInitiated)

  /// Calls `completion` with what is known, at once if it is known, else on a thread of its own; held back while the
  /// players of the environment are suspended.
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

  /// What is known, read on the caller's thread if need be.
  func loadNow() -> Outcome {
    if let outcome { return outcome }
    let outcome = read()
    return finish(outcome)
  }

  /// A player opened the file and found this.
  func learn(_ info: ItemInfo) {
    guard outcome == nil, !isLoading else { return }
    finish(.success(Values(frames: info.frameCount, sampleRate: info.format.sampleRate)))
  }

  /// Keeps the first outcome and tells everybody who waits.
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
      return .success(Values(frames: decoder.frameCount, sampleRate: decoder.format.sampleRate))
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

/// The media of an item that failed before: that is for good, whatever became of the file.
struct FailedSource: MediaSource {
  func makeDecoder() throws(DecodingError) -> any AudioDecoder {
    throw DecodingError(reason: .unreadable, message: "failed before")
  }
}
