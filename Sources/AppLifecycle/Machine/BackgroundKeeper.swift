/// A reason for which the system lets an application run in the background.
public enum BackgroundKeeper: String, Hashable, Sendable, CaseIterable {
  /// A player is really playing. Counts only with the background mode `audio`.
  case audio
  /// Updates of the device's location are on. Counts only with the background mode `location`.
  case location
  /// A background task was begun and not ended. Needs no mode. The device tracks it itself.
  case task
  /// A background fetch is in progress. Counts only with the background mode `fetch`. The device tracks it
  /// itself.
  case fetch
  /// It was woken by data for a VoIP socket, or to keep a connection alive. Counts only with the background mode
  /// `voip`. The device tracks it itself.
  case voip
  /// A task of the scheduler runs. The device tracks it itself.
  case scheduledTask
  /// It was woken for the events of a background session. The device tracks it itself.
  case backgroundSession

  /// The background mode that it needs; nil for what the device tracks itself.
  var mode: BackgroundMode? {
    switch self {
    case .audio: .audio
    case .location: .location
    case .task, .fetch, .voip, .scheduledTask, .backgroundSession: nil
    }
  }
}
