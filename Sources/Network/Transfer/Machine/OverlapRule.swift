/// The number of stored bytes that each request asks for again: comparing them shows that the connection
/// continues the stored version. Usually `NetworkLimits.overlap`. If a server closes one connection after
/// another early, the number is a quarter of the most that any of the last ones brought, so that each still
/// brings new bytes. A single tiny connection changes nothing: the next one may reach a server with another
/// version.
struct OverlapRule: Sendable {
  private var brought: [Int64] = []
  /// Whether this machine has stored a byte. Bytes stored before that come from another process.
  var hasStored = false

  mutating func note(_ count: Int64) {
    brought.append(count)
    if brought.count > NetworkLimits.tinyConnections { brought.removeFirst() }
  }

  var length: Int64 {
    let usual = hasStored ? NetworkLimits.overlap : NetworkLimits.overlapAfterRestart
    guard brought.count == NetworkLimits.tinyConnections, let most = brought.max() else { return usual }
    return min(usual, max(NetworkLimits.leastOverlap, most / 4))
  }
}
