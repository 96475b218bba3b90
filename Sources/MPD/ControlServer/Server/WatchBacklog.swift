/// Records that cannot be sent yet: the newest of each kind, and the number of dropped ones.
///
/// A kind is a record's name. A client that missed two records of a kind needs only the newer one.
struct WatchBacklog<Record> {
  private var newest: [(kind: String, record: Record)] = []
  /// The number of dropped records.
  private(set) var leftOut = 0

  /// Whether the backlog has no records.
  var isEmpty: Bool { newest.isEmpty }

  /// Adds a record and drops an earlier one of its kind. The order is that of the kept records.
  mutating func hold(_ record: Record, of kind: String) {
    if let index = newest.firstIndex(where: { $0.kind == kind }) {
      newest.remove(at: index)
      leftOut += 1
    }
    newest.append((kind, record))
  }

  /// Returns and removes the kept records, oldest first, with the number of dropped ones.
  mutating func take() -> (leftOut: Int, records: [(kind: String, record: Record)]) {
    defer { self = WatchBacklog() }
    return (leftOut, newest)
  }
}
