public import Foundation
public import MediaTime

/// The status of loading a key.
public enum AVKeyValueStatus: Int, Sendable {
  /// It was not requested yet.
  case unknown = 0
  /// It is being read.
  case loading = 1
  /// It is known.
  case loaded = 2
  /// It could not be read.
  case failed = 3
  /// Loading was cancelled, by `AVAsset.cancelLoading()`.
  case cancelled = 4
}

/// Objects whose values are read from a file when they are first requested.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
  /// The status of loading `key`. After a failure `outError` receives the reason.
  func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus

  /// Reads all values and calls `handler` once when that has succeeded or failed: on a background thread, or
  /// before the return if the values are known. All keys are read together, whichever are listed. Does not
  /// block.
  @preconcurrency
  func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?)
}

extension AVAsynchronousKeyValueLoading where Self: AVAsset {
  /// The status of loading `key`. After a failure `outError` receives the reason. Any thread; reads nothing.
  public func statusOfValue(
    forKey key: String, error outError: UnsafeMutablePointer<NSError?>?
  ) -> AVKeyValueStatus {
    switch loader.outcome {
    case nil: return loader.isLoading ? .loading : loader.isCancelled ? .cancelled : .unknown
    case .success: return .loaded
    case .failure(let error):
      outError?.pointee = error as NSError
      return .failed
    }
  }

  /// Reads all values and calls `handler` once when that has succeeded or failed: on a background thread, or
  /// before the return if the values are known. All keys are read together, whichever are listed. Does not
  /// block.
  @preconcurrency
  public func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?
  ) {
    loader.load { _ in handler?() }
  }

  /// The value of a property: `try await asset.load(.duration)`. Reads the file off the caller's thread.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
    property.value(self, try await loadedValues())
  }

  /// The values of several properties: `let (duration, isPlayable) = try await asset.load(.duration,
  /// .isPlayable)`.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func load<A, B, each C>(
    _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
    _ others: repeat AVAsyncProperty<Self, each C>
  ) async throws -> (A, B, repeat each C) {
    let values = try await loadedValues()
    return (
      first.value(self, values), second.value(self, values), repeat (each others).value(self, values)
    )
  }

  /// The status of loading `property`. Any thread; reads nothing.
  public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status
  {
    switch loader.outcome {
    case nil: loader.isLoading ? .loading : .notYetLoaded
    case .success(let values): .loaded(property.value(self, values))
    case .failure(let error): .failed(error as NSError)
    }
  }

  private func loadedValues() async throws -> AssetLoader.Values {
    // Not a checked continuation: if the application ends meanwhile it is never resumed.
    try await withUnsafeThrowingContinuation { continuation in
      loader.load { continuation.resume(with: $0) }
    }
  }
}

/// A property that can be loaded, whatever its type.
open class AVPartialAsyncProperty<Root>: @unchecked Sendable {
  // Unchecked because the class is open; it has no state.
  fileprivate init() {}
}

/// A property that can be loaded.
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
  // Unchecked as its superclass; its one property is a constant of a Sendable type.

  /// The status of loading a property.
  public enum Status {
    /// It was not requested yet.
    case notYetLoaded
    /// It is being read.
    case loading
    /// It is known.
    case loaded(Value)
    /// It could not be read.
    case failed(NSError)
  }

  let value: @Sendable (Root, AssetLoader.Values) -> Value

  init(_ value: @escaping @Sendable (Root, AssetLoader.Values) -> Value) {
    self.value = value
    super.init()
  }

  convenience init(_ value: @escaping @Sendable (AssetLoader.Values) -> Value) {
    self.init { _, values in value(values) }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The length; indefinite if it is not known.
  public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty { $0.duration } }
  /// Whether the file contains audio that can be played.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty { $0.isPlayable } }
  /// Whether the duration is exact and not an estimate.
  public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty { $0.isPrecise }
  }
}
