import HostTime

extension MPRISState {
  /// The tolerated difference, in seconds, between the position and the clients' estimate before a `Seeked`
  /// signal. Applications report positions with about this accuracy.
  static let seekTolerance = 0.1

  /// Returns the signals that update clients from `old` to this state.
  func signals(since old: MPRISState, at now: HostTime) -> [BusMessage] {
    let before = old.playerProperties
    let after = playerProperties
    let changed = after.filter { before[$0.key] != $0.value }
    let gone = before.keys.filter { after[$0] == nil }.sorted()
    var signals: [BusMessage] = []
    if !changed.isEmpty || !gone.isEmpty {
      signals.append(
        BusMessage(
          path: Self.path, interface: Self.properties, member: "PropertiesChanged",
          arguments: [.string(Self.player), .dictionary(changed), .strings(gone)]))
    }
    // Clients expect a new item to begin at 0, and a known one to continue at its rate.
    let expected = itemNumber == old.itemNumber ? old.line.position(at: now) : 0
    let place = line.position(at: now)
    if info != nil, abs(place - expected) > Self.seekTolerance {
      signals.append(
        BusMessage(
          path: Self.path, interface: Self.player, member: "Seeked",
          arguments: [.int64(Self.microseconds(place))]))
    }
    return signals
  }
}
