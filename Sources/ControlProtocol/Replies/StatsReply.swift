/// What `stats` answers, without a database: the two lines that a real server without one has.
public struct StatsReply: Hashable, Sendable {
  /// Seconds since the server began.
  public var uptime: Int64
  /// Seconds of sound since then.
  public var playtime: Int64

  /// Both, in seconds.
  public init(uptime: Int64, playtime: Int64) {
    self.uptime = uptime
    self.playtime = playtime
  }

  /// The lines.
  public func write(into reply: inout Reply) {
    reply.append("uptime", uptime)
    reply.append("playtime", playtime)
  }
}
