import HostTime
import SessionBus

extension MPRISState {
  /// How far the position may differ from what clients compute before they are told, in seconds. Applications say
  /// where they are to about this much.
  static let seekTolerance = 0.1

  /// The signals that tell clients who know `old` of this state.
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
    // Clients take a new item to begin at its beginning, and one that they know to go on as it did.
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
