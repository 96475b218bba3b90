package import AudioCore

/// What a stream told, with waiting.
package final class StreamLog: Sendable {
  private let observed = Observed<[OutputEvent]>([])

  /// An empty log.
  package init() {}

  /// The handler for `makeStream`.
  package var handler: @Sendable (OutputEvent) -> Void {
    { [observed] event in observed.update { $0.append(event) } }
  }

  /// All events so far.
  package var events: [OutputEvent] { observed.value }

  /// Waits until `count` events fit, counting from `index`; returns the events up to then.
  @discardableResult package func wait(
    for what: String, count: Int = 1, from index: Int = 0, limit: Double = 120,
    until condition: @escaping @Sendable (OutputEvent) -> Bool
  ) async throws -> [OutputEvent] {
    try await observed.wait(for: what, limit: limit) { $0.dropFirst(index).count(where: condition) >= count }
  }

  /// Waits for `opened`; returns the route.
  @discardableResult package func opened(limit: Double = 120) async throws -> String {
    let events = try await wait(for: "opened", limit: limit) {
      switch $0 {
      case .opened, .failed: true
      default: false
      }
    }
    for event in events {
      if case .opened(let route) = event { return route }
      if case .failed(let error, _) = event { throw error }
    }
    return ""
  }

  /// Waits for `failed`; returns its error and frame.
  @discardableResult
  package func failed(limit: Double = 120) async throws -> (error: OutputError, heardFrame: Int64) {
    let events = try await wait(for: "failed", limit: limit) { if case .failed = $0 { true } else { false } }
    for event in events { if case .failed(let error, let frame) = event { return (error, frame) } }
    throw Overdue(what: "failed", limit: limit, last: "\(events)")
  }
}
