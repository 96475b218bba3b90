import Foundation
public import MediaTime

// The loadable properties of an asset: those of its media, of its file and of its metadata.

extension AVAsyncProperty where Root: AVAsset {
  /// Creates a property of media. Loading fails for a file without playable audio.
  convenience init(ofMedia value: @escaping @Sendable (Root, AssetLoader.Values) -> Value) {
    self.init(
      prepare: { try await Self.wait($0.loader.loadMedia) },
      status: { root in
        Self.status(root.loader.mediaOutcome, isLoading: root.loader.values.isLoading) { value(root, $0) }
      })
  }

  /// Creates a property of every file that can be read.
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
    // An unchecked continuation: if the application ends during loading, it is never resumed.
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
