/// The number of stored bytes that a request asks for again: they are compared, and tie its connection to those before it.
///
/// The usual number, but for servers that close one connection after the other before they have sent much: there a quarter of what
/// the best of the last connections brought, so that each brings new bytes too. One tiny connection between others changes nothing:
/// the next one may be to a server with another version.
struct OverlapRule: Sendable {
  /// Bytes that the last connections brought, the newest last.
  private var brought: [Int64] = []
  /// Whether a byte was stored since the beginning. Those before are another process's.
  var hasStored = false

  /// Notes how many bytes a connection has brought that was lost.
  mutating func note(_ count: Int64) {
    brought.append(count)
    if brought.count > NetworkLimits.tinyConnections { brought.removeFirst() }
  }

  /// The number of bytes to compare, if that many are stored.
  var length: Int64 {
    let usual = hasStored ? NetworkLimits.overlap : NetworkLimits.overlapAfterRestart
    guard brought.count == NetworkLimits.tinyConnections, let most = brought.max() else { return usual }
    return min(usual, max(NetworkLimits.leastOverlap, most / 4))
  }
}
