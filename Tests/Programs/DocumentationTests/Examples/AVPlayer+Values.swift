import Continuo

extension AVPlayer {
  /// The values of a property: the present one, then each new one.
  nonisolated func values<Value: Sendable>(of keyPath: KeyPath<AVPlayer, Value>) -> AsyncStream<Value> {
    AsyncStream { continuation in
      let observation = observe(keyPath, options: [.initial, .new]) { _, change in
        if let value = change.newValue { continuation.yield(value) }
      }
      continuation.onTermination = { _ in observation.invalidate() }
    }
  }
}
