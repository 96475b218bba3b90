/// The number of stored bytes that each request asks for again. Comparing them shows that the connection
/// continues the stored version.
///
/// The usual number is `NetworkLimits.overlap`. Some servers close one connection after another before they
/// have sent much. For them the number is a quarter of the most that any of the last connections brought:
/// each one still brings new bytes. A single tiny connection among others changes nothing: the next one may
/// reach a server with another version.
struct OverlapRule: Sendable {
  /// The byte counts of the last connections, newest last.
  private var brought: [Int64] = []
  /// Whether this machine has stored a byte. Bytes stored before that come from another process.
  var hasStored = false

  /// Records the number of bytes that a lost connection has brought.
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
