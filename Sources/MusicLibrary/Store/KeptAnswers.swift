internal import ControlProtocol

/// The long answers that were given last, while the library is as it was.
struct KeptAnswers {
  /// Shorter ones are made in a few milliseconds.
  static let shortest = 256 << 10
  /// Bytes of all together.
  static let limit = 4 << 20

  private var version: Int64?
  /// The oldest first.
  private var replies: [(command: Command.Database, reply: Reply)] = []

  /// A copy of what was answered to a command when the library had this version.
  func reply(to command: Command.Database, _ version: Int64?) -> Reply? {
    guard version == self.version, let kept = replies.first(where: { $0.command == command }) else {
      return nil
    }
    return kept.reply.copy
  }

  /// Keeps a copy of an answer, and drops those of other versions, then the oldest until there is room. Says whether the
  /// answer is one to keep.
  @discardableResult
  mutating func keep(_ reply: Reply, to command: Command.Database, _ version: Int64?) -> Bool {
    if version != self.version { replies = [] }
    self.version = version
    guard (Self.shortest...Self.limit).contains(reply.bytes.count), reply.rest == nil else { return false }
    while replies.reduce(reply.bytes.count, { $0 + $1.reply.bytes.count }) > Self.limit {
      replies.removeFirst()
    }
    replies.append((command, reply.copy))
    return true
  }
}

extension Reply {
  /// The same bytes in memory of their own, and no more than they need: the other ones go to the client.
  fileprivate var copy: Reply {
    var copy = Reply()
    copy.reserve(bytes.count)
    copy.append(self)
    return copy
  }
}
