import AudioSession
import QueuePlayer

/// Waits until the value at `keyPath` is `value`.
@MainActor func wait<Object: KeyValueObserving & Sendable, Value: Equatable & Sendable>(
  _ object: Object, _ keyPath: KeyPath<Object, Value>, _ value: Value
) async {
  let path = UncheckedPath(keyPath: keyPath)
  let (values, continuation) = AsyncStream<Value>.makeStream()
  let observation = object.observe(keyPath, options: [.initial]) { object, _ in
    continuation.yield(object[keyPath: path.keyPath])
  }
  for await seen in values where seen == value { break }
  observation.invalidate()
}

/// Unchecked: a key path literal is immutable.
private struct UncheckedPath<Object, Value>: @unchecked Sendable {
  let keyPath: KeyPath<Object, Value>
}
