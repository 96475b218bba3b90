package import Clocks

/// A message of an application to its phone, which is another process. `description` is the content of the
/// message's packet on the socket.
package enum PhoneReport: Hashable, Sendable {
  /// The application has a device with these modes and in this state, and accepts events from now on.
  case hello(BackgroundModes, ApplicationState)
  /// A record of the device about a state, a background task or an interruption.
  case event(LifecycleRecord.Event, HostTime)
  /// The device refused a request, or the event of an order is unknown. The text is the reason.
  case refused(String)
  /// The application ended, with a fault if it was terminated for one.
  case terminated(Fault?, HostTime)
  /// The application is suspended, and its parts have stopped or the timeout for that has passed. For `grace`
  /// seconds a new background task still reverses the suspension. After `wake` seconds, if given, the application
  /// has work to do (a keep-alive call). `returnsOnUnlock`: whether the event `unlock` brings it to the foreground.
  case still(grace: Double, wake: Double?, returnsOnUnlock: Bool)
  /// The descriptor with this packet is readable when a stopped application must be resumed.
  case watch
  /// The descriptor with this packet is a TCP socket that the phone reclaims once the application is stopped.
  case socket
  /// The application's device is at these coordinates in degrees.
  case location(latitude: Double, longitude: Double, HostTime)
  /// All effects of the event with this number are complete, and the application is in this state.
  case done(UInt64, ApplicationState)

  /// The fault for which an application was terminated: a `TerminationReport` as text.
  package struct Fault: Hashable, Sendable {
    package var code: String
    /// The reason as a sentence. Line feeds, which a task's name may contain, become spaces in the packet.
    package var reason: String
    /// The whole report, in several lines.
    package var text: String

    package init(code: String, reason: String, text: String) {
      self.code = code
      self.reason = reason
      self.text = text
    }
  }

  /// The maximum length of a packet in bytes. Longer texts are cut.
  package static let limit = 8192

  /// Creates the report of a record; nil for a record that the phone does not use.
  init?(_ record: LifecycleRecord) {
    switch record.event {
    case .state, .taskBegan, .taskEnded, .expirationBegan, .interruptionBegan, .interruptionEnded:
      self = .event(record.event, record.time)
    case .refused(let refusal): self = .refused("\(refusal)")
    case .terminated(let report):
      let fault = report.map { Fault(code: "\($0.code)", reason: $0.reason, text: "\($0)") }
      self = .terminated(fault, record.time)
    case .happened, .callBegan, .callEnded, .expirationEnded, .sessionEventsBegan, .sessionEventsEnded,
      .sessionEventsIgnored, .fetchEnded, .scheduledTaskBegan, .scheduledTaskExpires, .scheduledTaskEnded,
      .socketsReclaimed:
      return nil
    }
  }
}

extension PhoneReport: CustomStringConvertible {
  package var description: String {
    switch self {
    case .hello(let modes, let state): "hello \(state.rawValue) \(modes)"
    case .event(let event, let time): Self.text(event, "\(time.nanoseconds)")
    case .refused(let reason): "refused \(reason)"
    case .terminated(nil, let time): "terminated \(time.nanoseconds)"
    case .terminated(let fault?, let time):
      "terminated \(time.nanoseconds) \(fault.code)\n"
        + "\(String(fault.reason.map { $0.isNewline ? " " : $0 }))\n\(fault.text)"
    case .still(let grace, let wake, let returnsOnUnlock):
      "still \(Self.nanoseconds(grace))" + (wake.map { " \(Self.nanoseconds($0))" } ?? "")
        + (returnsOnUnlock ? " unlock" : "")
    case .watch: "watch"
    case .socket: "socket"
    case .location(let latitude, let longitude, let time):
      "location \(time.nanoseconds) \(latitude) \(longitude)"
    case .done(let number, let state): "done \(number) \(state.rawValue)"
    }
  }

  private static func nanoseconds(_ seconds: Double) -> Int64 {
    HostTime(nanoseconds: 0).advanced(bySeconds: seconds).nanoseconds
  }

  private static func text(_ event: LifecycleRecord.Event, _ time: String) -> String {
    switch event {
    case .state(let state): "state \(time) \(state.rawValue)"
    case .taskBegan(let id, let name): "task-began \(time) \(id.rawValue)" + (name.map { " \($0)" } ?? "")
    case .taskEnded(let id, _): "task-ended \(time) \(id.rawValue)"
    case .expirationBegan(let id, _): "task-expires \(time) \(id.rawValue)"
    case .interruptionBegan: "interruption-began \(time)"
    case .interruptionEnded(let shouldResume): "interruption-ended \(time) \(shouldResume ? 1 : 0)"
    default: ""
    }
  }

  /// Parses a packet; nil if it is malformed.
  package init?(_ packet: String) {
    let words = packet.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = words.first else { return nil }
    let rest = words.count > 1 ? words[1] : ""
    let (first, second) = Self.halves(rest)
    switch kind {
    case "hello":
      guard let state = ApplicationState(rawValue: String(first)), let second else { return nil }
      self = .hello(BackgroundModes(list: String(second)), state)
    case "refused": self = .refused(String(rest))
    case "still":
      let values = rest.split(separator: " ", omittingEmptySubsequences: false)
      let returnsOnUnlock = values.last == "unlock"
      let times = values.dropLast(returnsOnUnlock ? 1 : 0).map { Int64($0) ?? -1 }
      guard (1...2).contains(times.count), times.allSatisfy({ $0 >= 0 }) else { return nil }
      self = .still(
        grace: Double(times[0]) / 1e9, wake: times.count > 1 ? Double(times[1]) / 1e9 : nil,
        returnsOnUnlock: returnsOnUnlock)
    case "watch" where rest.isEmpty: self = .watch
    case "socket" where rest.isEmpty: self = .socket
    case "done":
      guard let number = UInt64(first), let state = second.flatMap({ ApplicationState(rawValue: String($0)) })
      else { return nil }
      self = .done(number, state)
    default:
      guard let time = Int64(first).map(HostTime.init(nanoseconds:)) else { return nil }
      if kind == "terminated" {
        self.init(terminated: second, time)
      } else if kind == "location" {
        let (latitude, longitude) = Self.halves(second ?? "")
        guard let latitude = Double(latitude), let longitude = longitude.flatMap({ Double($0) }) else {
          return nil
        }
        self = .location(latitude: latitude, longitude: longitude, time)
      } else {
        guard let event = Self.event(String(kind), second) else { return nil }
        self = .event(event, time)
      }
    }
  }

  private init?(terminated text: Substring?, _ time: HostTime) {
    guard let text else {
      self = .terminated(nil, time)
      return
    }
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 3 else { return nil }
    self = .terminated(Fault(code: lines[0], reason: lines[1], text: lines[2]), time)
  }

  private static func event(_ kind: String, _ text: Substring?) -> LifecycleRecord.Event? {
    switch (kind, text) {
    case ("state", let name?): return ApplicationState(rawValue: String(name)).map { .state($0) }
    case ("interruption-began", nil): return .interruptionBegan
    case ("interruption-ended", let flag?): return .interruptionEnded(shouldResume: flag == "1")
    case (_, let text?):
      let (number, name) = halves(text)
      guard let id = Int(number).map(UIBackgroundTaskIdentifier.init(rawValue:)) else { return nil }
      switch kind {
      case "task-began": return .taskBegan(id, name: name.map(String.init))
      case "task-ended": return .taskEnded(id, name: nil)
      case "task-expires": return .expirationBegan(id, name: nil)
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the text before the first space and the text after it. Without a space the second is nil.
  private static func halves(_ text: Substring) -> (Substring, Substring?) {
    guard let space = text.firstIndex(of: " ") else { return (text, nil) }
    return (text[..<space], text[text.index(after: space)...])
  }
}
