import Clocks

/// The connection of a phone to its program, and the time limit for the events that wait on it.
enum ProgramLink: Hashable {
  /// Events wait for the application's first report.
  case awaited(until: HostTime)
  /// The application's device receives events. Until the device is launched, but at most until `launchBy`, events
  /// that do not launch it wait.
  case held(launchBy: HostTime?)
  /// The program has closed its end or does not read it. Events wait for the program's end, at most until `until`.
  case closed(until: HostTime)
  /// The program receives no events.
  case none

  /// The time limit for the first report of a program that was started with the phone, in seconds. Until then,
  /// events wait.
  static let helloLimit = 2.0
  /// The time limit after the first report for the launch of the application's device, in seconds. Until then,
  /// events that do not launch the device wait. Afterwards they are sent, which shows whether the application has
  /// closed its end of the link. Also the limit for the first report of a program that an event has started.
  static let launchLimit = 10.0
  /// The time limit for the end of a process after its link has ended, in seconds. Afterwards the machine treats
  /// the program as one without a link.
  static let endLimit = 0.5

  /// The deadline of the wait of events; nil if they do not wait.
  var limit: HostTime? {
    switch self {
    case .awaited(let limit), .closed(let limit): limit
    case .held(let limit): limit
    case .none: nil
    }
  }

  var isHeld: Bool { if case .held = self { true } else { false } }

  var isClosed: Bool { if case .closed = self { true } else { false } }
}
