public import Foundation
public import MediaTime

/// How far loading a key has come.
public enum AVKeyValueStatus: Int, Sendable {
  /// Nobody asked yet.
  case unknown = 0
  /// It is being read.
  case loading = 1
  /// It is known.
  case loaded = 2
  /// It cannot be known.
  case failed = 3
  /// Loading was given up. Does not occur: a file is read in milliseconds.
  case cancelled = 4
}

/// Objects whose values are read from a file when they are asked for.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
  /// How far loading `key` has come. `outError` takes the reason of a failure.
  func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus

  /// Reads all that is known of the media and calls `handler` once when that succeeded or failed: on a thread of its
  /// own, or at once if it is known. All keys are read together.
  @preconcurrency
  func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?)
}

extension AVAsynchronousKeyValueLoading where Self: AVAsset {
  /// How far loading `key` has come. `outError` takes the reason of a failure. Any thread; reads nothing.
  public func statusOfValue(
    forKey key: String, error outError: UnsafeMutablePointer<NSError?>?
  ) -> AVKeyValueStatus {
    switch loader.outcome {
    case nil: return loader.isLoading ? .loading : .unknown
    case .success: return .loaded
    case .failure(let error):
      outError?.pointee = error as NSError
      return .failed
    }
  }

  /// Reads all that is known of the media and calls `handler` once when that succeeded or failed: on a thread of its
  /// own, or at once if it is known. All keys are read together.
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
    property.value(try await loadedValues())
  }

  /// The values of several properties: `let (duration, isPlayable) = try await asset.load(.duration, .isPlayable)`.
  ///
  /// - Throws: `AVError` if the media cannot be read.
  public func load<A, B, each C>(
    _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
    _ others: repeat AVAsyncProperty<Self, each C>
  ) async throws -> (A, B, repeat each C) {
    let values = try await loadedValues()
    return (first.value(values), second.value(values), repeat (each others).value(values))
  }

  /// How far loading `property` has come. Reads nothing.
  public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status
  {
    switch loader.outcome {
    case nil: loader.isLoading ? .loading : .notYetLoaded
    case .success(let values): .loaded(property.value(values))
    case .failure(let error): .failed(error as NSError)
    }
  }

  private func loadedValues() async throws -> AssetLoader.Values {
    // Unchecked: an application that ended meanwhile never goes on.
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

  /// How far loading has come.
  public enum Status {
    /// Nobody asked yet.
    case notYetLoaded
    /// It is being read.
    case loading
    /// It is known.
    case loaded(Value)
    /// It cannot be known.
    case failed(NSError)
  }

  let value: @Sendable (AssetLoader.Values) -> Value

  init(_ value: @escaping @Sendable (AssetLoader.Values) -> Value) {
    self.value = value
    super.init()
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  /// The length; indefinite if it is not known.
  public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty { $0.duration } }
  /// Whether there is anything in it that can be played.
  public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty { $0.isPlayable } }
  /// Whether the duration is exact and not an estimate.
  public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty { $0.isPrecise }
  }
}
