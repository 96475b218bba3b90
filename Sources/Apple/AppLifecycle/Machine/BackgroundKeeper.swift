/// A reason that lets an application run in the background.
public enum BackgroundKeeper: String, Hashable, Sendable, CaseIterable {
  /// Audio playback in progress. Requires the background mode `audio`.
  case audio
  /// Location updates. Requires the background mode `location`.
  case location
  /// An unfinished background task. Requires no mode. Tracked by the device.
  case task
  /// A background fetch in progress. Requires the background mode `fetch`. Tracked by the device.
  case fetch
  /// Data for a VoIP socket, or a keep-alive call. Requires the background mode `voip`. Tracked by the
  /// device.
  case voip
  /// A running scheduler task. Tracked by the device.
  case scheduledTask
  /// Unhandled events of a background session. Tracked by the device.
  case backgroundSession

  /// The required background mode; nil for the reasons tracked by the device.
  var mode: BackgroundMode? {
    switch self {
    case .audio: .audio
    case .location: .location
    case .task, .fetch, .voip, .scheduledTask, .backgroundSession: nil
    }
  }
}
