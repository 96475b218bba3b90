/// Values by observer. Few observers exist and each step looks one up, so the table avoids hashing and keeps
/// the entries sorted by identifier, in order of registration.
struct ObserverTable<Value: Sendable>: Sendable {
  private var entries: [(id: ObserverID, value: Value)] = []

  var values: some Collection<Value> { entries.lazy.map(\.value) }

  subscript(id: ObserverID) -> Value? {
    get {
      let index = index(of: id)
      return index < entries.count && entries[index].id == id ? entries[index].value : nil
    }
    set {
      let index = index(of: id)
      let isKnown = index < entries.count && entries[index].id == id
      switch newValue {
      case let value? where isKnown: entries[index].value = value
      case let value?: entries.insert((id, value), at: index)
      case nil: if isKnown { entries.remove(at: index) }
      }
    }
  }

  /// Changes a value in place. `initial` is the value of an observer that has none.
  mutating func update<Result>(
    _ id: ObserverID, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
  ) -> Result {
    let index = index(of: id)
    if index == entries.count || entries[index].id != id { entries.insert((id, initial()), at: index) }
    return body(&entries[index].value)
  }

  /// Changes a value in place; no effect if the observer has none.
  mutating func update(_ id: ObserverID, _ body: (inout Value) -> Void) {
    let index = index(of: id)
    if index < entries.count, entries[index].id == id { body(&entries[index].value) }
  }

  mutating func removeValue(for id: ObserverID) -> Value? {
    defer { self[id] = nil }
    return self[id]
  }

  /// Returns the index of the first entry at or after `id`.
  private func index(of id: ObserverID) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id.rawValue < id.rawValue { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
