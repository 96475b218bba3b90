internal import ControlProtocol

/// A cache of the most recent long replies, for one version of the library.
struct KeptAnswers {
  /// The minimum size of a kept reply, in bytes. Shorter replies take only a few milliseconds to make.
  static let shortest = 256 << 10
  /// The maximum size of all kept replies together, in bytes.
  static let limit = 4 << 20

  private var version: Int64?
  private var replies: [(command: Command.Database, reply: Reply)] = []

  /// Returns a copy of the reply to a command at this version of the library; nil if none is kept.
  func reply(to command: Command.Database, _ version: Int64?) -> Reply? {
    guard version == self.version, let kept = replies.first(where: { $0.command == command }) else {
      return nil
    }
    return kept.reply.copy
  }

  /// Keeps a copy of a reply of `shortest` to `limit` bytes that has no further pieces. Drops replies for other versions
  /// and, above `limit`, the oldest replies. Returns whether the reply was kept.
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
  /// A copy in a buffer of its exact size: the original buffer goes to the client.
  fileprivate var copy: Reply {
    var copy = Reply()
    copy.reserve(bytes.count)
    copy.append(self)
    return copy
  }
}
