/// The rest of a long reply, which is made piece by piece as the client reads.
///
/// So a reply of any length uses little memory and does not delay other clients. If the pieces are made from
/// a snapshot, they all show the same state.
package final class ReplyRest: Sendable {
  private let body: @Sendable (inout Reply) -> ReplyRest?

  /// Creates the rest of a reply. `write` appends the next piece, at most about 64 KiB and possibly nothing,
  /// and returns the rest after it. It returns nil at the end, or after setting the piece's `refusal`. It is
  /// called once, on the thread that answers all clients, and must not block.
  package init(_ write: @escaping @Sendable (inout Reply) -> ReplyRest?) { body = write }

  /// Makes the next piece.
  func next() -> Reply {
    var piece = Reply()
    piece.rest = body(&piece)
    return piece
  }
}

extension ReplyRest: Hashable {
  /// Compares the identities of two values.
  package static func == (left: ReplyRest, right: ReplyRest) -> Bool { left === right }

  /// Hashes the identity of the value.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
