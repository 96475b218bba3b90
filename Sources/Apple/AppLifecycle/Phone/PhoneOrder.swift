/// An event that a phone sends to its application, with a number that `PhoneReport.done` repeats.
/// `description` is the content of the order's packet on the socket.
package struct PhoneOrder: Hashable, Sendable, CustomStringConvertible {
  package var number: UInt64
  package var happening: LifecycleHappening

  package init(number: UInt64, _ happening: LifecycleHappening) {
    self.number = number
    self.happening = happening
  }

  package var description: String { "\(number) \(happening)" }

  /// Parses a packet; nil for anything else.
  package init?(_ packet: String) {
    let words = packet.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let number = UInt64(words[0]), let happening = Self.happening(String(words[1]))
    else { return nil }
    self.init(number: number, happening)
  }

  /// The events that are parsed by their whole description.
  private static let plain: [LifecycleHappening] = [
    .launch, .home, .foreground, .lock, .unlock, .interruptionBegan, .interruptionEnded(shouldResume: true),
    .interruptionEnded(shouldResume: false), .terminate, .memoryWarning, .fetch, .remoteControl,
    .locationChanged, .voipData, .keepAlive, .quit,
  ]

  private static func happening(_ words: String) -> LifecycleHappening? {
    if let plain = plain.first(where: { $0.description == words }) { return plain }
    if words.hasPrefix("transfers of "), words.hasSuffix(" done"), words.utf8.count >= 18 {
      return .backgroundSession(String(words.dropFirst(13).dropLast(5)))
    }
    let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
    switch (parts.first, parts.last) {
    case ("touch", let control?) where parts.count == 2: return .touch(control)
    case ("launch-task", let identifier?) where parts.count == 2: return .launchTask(identifier)
    case ("expire-task", let identifier?) where parts.count == 2: return .expireTask(identifier)
    default: return nil
    }
  }
}
