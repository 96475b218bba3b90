/// The handlers of a device's surroundings, each with the value that it received last.
package struct SurroundingsHandlers: Sendable {
  package typealias Handler = @Sendable (OutputSurroundings) -> Void

  private struct Entry {
    let handler: Handler
    var told: OutputSurroundings?
  }

  private var entries: [Entry] = []

  package init() {}

  package mutating func add(_ handler: @escaping Handler) { entries.append(Entry(handler: handler)) }

  /// Returns the handlers that must be called with `value`, because the value that they received last
  /// differs. The caller must not hold a lock when it calls them.
  package mutating func due(for value: OutputSurroundings) -> [Handler] {
    let due = entries.indices.filter { entries[$0].told != value }
    for index in due { entries[index].told = value }
    return due.map { entries[$0].handler }
  }
}
