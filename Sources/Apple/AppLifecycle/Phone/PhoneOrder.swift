/// An event that a phone sends to its application, with a number that `PhoneReport.done` repeats.
/// `description` is the content of the order's packet on the socket.
package struct PhoneOrder: Hashable, Sendable, CustomStringConvertible {
  /// The maximum length of an event's description in bytes.
  package static let limit = 8000

  package var number: UInt64
  /// The event; nil for one that is unknown to this process.
  package var happening: LifecycleHappening?

  package init(number: UInt64, _ happening: LifecycleHappening) {
    self.number = number
    self.happening = happening
  }

  package var description: String { "\(number) \(happening.map { "\($0)" } ?? "")" }

  /// Parses a packet; nil without a number.
  package init?(_ packet: String) {
    let number = packet.prefix { $0.isASCII && $0.isNumber }
    guard let value = UInt64(number) else { return nil }
    self.number = value
    happening = Self.happening(String(decoding: packet.utf8.dropFirst(number.utf8.count + 1), as: UTF8.self))
  }

  /// The events that are parsed by their whole description.
  private static let plain: [LifecycleHappening] = [
    .launch, .home, .foreground, .lock, .unlock, .interruptionBegan, .interruptionEnded(shouldResume: true),
    .interruptionEnded(shouldResume: false), .terminate, .memoryWarning, .fetch, .remoteControl,
    .locationChanged, .voipData, .keepAlive, .quit,
  ]

  /// The events with an identifier, by the words before and after the identifier.
  private static let identified: [(String, String, @Sendable (String) -> LifecycleHappening)] = [
    ("launch-task ", "", { .launchTask($0) }), ("expire-task ", "", { .expireTask($0) }),
    ("touch ", "", { .touch($0) }), ("transfers of ", " done", { .backgroundSession($0) }),
  ]

  private static func happening(_ words: String) -> LifecycleHappening? {
    if let plain = plain.first(where: { $0.description == words }) { return plain }
    // Compared as bytes: a combining character at the start of an identifier forms one `Character` with the
    // space before it.
    let bytes = Array(words.utf8)
    for (start, end, happening) in identified
    where bytes.starts(with: start.utf8) && bytes.reversed().starts(with: end.utf8.reversed())
      && bytes.count >= start.utf8.count + end.utf8.count
    {
      let identifier = bytes.dropFirst(start.utf8.count).dropLast(end.utf8.count)
      return happening(String(decoding: identifier, as: UTF8.self))
    }
    return nil
  }
}
