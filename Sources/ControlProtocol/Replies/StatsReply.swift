/// What `stats` answers, without a database: the two lines that a real server without one has.
package struct StatsReply: Hashable, Sendable {
  /// Seconds since the server began.
  package var uptime: Int64
  /// Seconds of sound since then.
  package var playtime: Int64

  /// Both, in seconds.
  package init(uptime: Int64, playtime: Int64) {
    self.uptime = uptime
    self.playtime = playtime
  }

  /// The lines.
  package func write(into reply: inout Reply) {
    reply.append("uptime", uptime)
    reply.append("playtime", playtime)
  }
}
