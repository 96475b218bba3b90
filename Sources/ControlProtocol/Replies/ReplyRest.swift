/// What is still to come of a long reply: it is written piece by piece, as the client reads.
///
/// So a reply of any length costs little memory, and no other client waits until it is written. The pieces are all of
/// the same moment if they are made of a snapshot.
package final class ReplyRest: Sendable {
  private let body: @Sendable (inout Reply) -> ReplyRest?

  /// `write` appends the next piece, some 64 KiB at most and perhaps nothing, and returns what comes after it; `nil` if
  /// that was all, or if it has set the piece's `refusal`. It is called once, on the thread that answers all clients, and must not block.
  package init(_ write: @escaping @Sendable (inout Reply) -> ReplyRest?) { body = write }

  /// Makes one piece.
  func next() -> Reply {
    var piece = Reply()
    piece.rest = body(&piece)
    return piece
  }
}

extension ReplyRest: Hashable {
  /// Each is only the same as itself.
  package static func == (left: ReplyRest, right: ReplyRest) -> Bool { left === right }

  /// By identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
