public import Foundation

/// A pointer through which a function returns an error that it does not throw.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The status of loading a key.
public enum AVKeyValueStatus: Int, Sendable {
  /// The value was not requested yet.
  case unknown = 0
  /// The value is being read.
  case loading = 1
  /// The value is known.
  case loaded = 2
  /// The value could not be read.
  case failed = 3
  /// Loading was cancelled, by `AVAsset.cancelLoading()`.
  case cancelled = 4
}

/// An object whose values are known, or are read from a file or the network when they are first requested.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
  /// Returns the status of loading `key`. After a failure `outError` receives the error.
  func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus

  /// Reads the values of `keys`, possibly with others, and calls `handler` once when reading has succeeded or
  /// failed. The call comes later on any thread, or, if the values are known, before this method returns.
  /// Does not block.
  @preconcurrency
  func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?)
}

extension AVAsynchronousKeyValueLoading {
  /// Returns the value of a property, as in `try await asset.load(.duration)`. Reads the file off the
  /// caller's thread. Throws an `AVError` if the media cannot be read.
  public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
    try await property.prepare(self)
    return try property.value(of: self)
  }

  /// Returns several values, as in `try await asset.load(.duration, .isPlayable)`, or throws an `AVError`.
  public func load<A, B, each C>(
    _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
    _ others: repeat AVAsyncProperty<Self, each C>
  ) async throws -> (A, B, repeat each C) {
    var properties: [AVPartialAsyncProperty<Self>] = [first, second]
    repeat properties.append(each others)
    for property in properties { try await property.prepare(self) }
    return (try first.value(of: self), try second.value(of: self), repeat try (each others).value(of: self))
  }

  /// Returns the status of loading `property`. Any thread; reads no file.
  public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status
  { property.status(self) }
}

/// A loadable property with its type erased.
open class AVPartialAsyncProperty<Root>: @unchecked Sendable {
  // Unchecked because the class is open; its only property is a constant of a Sendable type.

  /// Waits until the property of an object is known; throws if it cannot be read.
  let prepare: @Sendable (Root) async throws -> Void

  fileprivate init(_ prepare: @escaping @Sendable (Root) async throws -> Void) { self.prepare = prepare }
}

/// A loadable property of an object.
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
  // Unchecked because the superclass is. The only property is a constant of a Sendable type.

  /// The status of loading a property.
  public enum Status {
    /// The value was not requested yet.
    case notYetLoaded
    /// The value is being read.
    case loading
    /// The value is known.
    case loaded(Value)
    /// The value could not be read.
    case failed(NSError)
  }

  let status: @Sendable (Root) -> Status

  init(
    prepare: @escaping @Sendable (Root) async throws -> Void = { _ in },
    status: @escaping @Sendable (Root) -> Status
  ) {
    self.status = status
    super.init(prepare)
  }

  /// Creates a property whose value is always known.
  convenience init(known value: @escaping @Sendable (Root) -> Value) {
    self.init(status: { .loaded(value($0)) })
  }

  /// Returns the value, which `prepare` has loaded.
  func value(of root: Root) throws -> Value {
    switch status(root) {
    case .loaded(let value): return value
    case .failed(let error): throw error
    case .notYetLoaded, .loading: throw AVError(.unknown)
    }
  }
}
