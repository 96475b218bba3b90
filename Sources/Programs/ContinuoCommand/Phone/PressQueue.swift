import AppLifecycle

/// An event for an application, from the user or the system.
struct PhonePress: Hashable {
  var happening: LifecycleHappening
  /// The number with which the end of the event is reported; nil if nobody waits for it.
  var token: UInt64?

  var isForSession: Bool { if case .backgroundSession = happening { true } else { false } }

  /// Whether the event launches the device of a started program: `launch` or, if `isInBackground`, a fetch or
  /// an event for a session.
  func launches(inBackground isInBackground: Bool) -> Bool {
    happening == .launch || isInBackground && happening.launchesInBackground
  }
}

/// The events that wait for a phone's application, and those that the application has not finished.
struct PressQueue {
  /// The maximum number of events; further ones are refused. Linux 6 holds 278 small packets in a socket with its
  /// default buffer of 212,992 bytes.
  static let limit = 200

  private var waiting: [PhonePress] = []
  /// The events that were sent to the application and are not finished, in order, with their numbers.
  private var sent: [(number: UInt64, press: PhonePress)] = []
  private var lastNumber: UInt64 = 0

  var hasRoom: Bool { waiting.count + sent.count < Self.limit }

  /// Whether the application has finished all events that were sent to it.
  var areFinished: Bool { sent.isEmpty }

  var areWaiting: Bool { !waiting.isEmpty }

  func waits(for happening: LifecycleHappening) -> Bool {
    waiting.contains { $0.happening == happening }
  }

  mutating func keep(_ press: PhonePress) { waiting.append(press) }

  /// Removes and returns the waiting events for which `isWanted` is true, in order.
  mutating func takeWaiting(where isWanted: (PhonePress) -> Bool = { _ in true }) -> [PhonePress] {
    defer { waiting.removeAll(where: isWanted) }
    return waiting.filter(isWanted)
  }

  /// Removes and returns the waiting events that launch the device.
  mutating func takeLaunches(inBackground isInBackground: Bool) -> [PhonePress] {
    takeWaiting { $0.launches(inBackground: isInBackground) }
  }

  /// Records an event as sent. Returns the order to send.
  mutating func send(_ press: PhonePress) -> PhoneOrder {
    lastNumber += 1
    sent.append((lastNumber, press))
    return PhoneOrder(number: lastNumber, press.happening)
  }

  /// Removes and returns the event that the application has finished; nil for an unknown number.
  mutating func finish(_ number: UInt64) -> PhonePress? {
    sent.firstIndex { $0.number == number }.map { sent.remove(at: $0).press }
  }

  /// Removes and returns all events: the sent ones, then the waiting ones.
  mutating func takeAll() -> [PhonePress] {
    defer { (waiting, sent) = ([], []) }
    return sent.map(\.press) + waiting
  }
}
