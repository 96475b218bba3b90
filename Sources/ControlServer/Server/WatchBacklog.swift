/// What is kept of records that cannot go out yet: of each kind the newest, and how many were left out.
///
/// A kind is a record's name: of two of one kind, the newer is all that a client needs that missed both.
struct WatchBacklog<Record> {
  private var newest: [(kind: String, record: Record)] = []
  /// Records that are gone.
  private(set) var leftOut = 0

  /// Whether nothing is kept.
  var isEmpty: Bool { newest.isEmpty }

  /// Keeps a record in the place of the one before of its kind. The order is that of the records kept.
  mutating func hold(_ record: Record, of kind: String) {
    if let index = newest.firstIndex(where: { $0.kind == kind }) {
      newest.remove(at: index)
      leftOut += 1
    }
    newest.append((kind, record))
  }

  /// Takes what is kept, oldest first, and how many are gone.
  mutating func take() -> (leftOut: Int, records: [(kind: String, record: Record)]) {
    defer { self = WatchBacklog() }
    return (leftOut, newest)
  }
}
