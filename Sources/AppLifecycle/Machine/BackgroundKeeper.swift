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

  /// The background mode that it needs; nil for what the device tracks itself.
  var mode: BackgroundMode? {
    switch self {
    case .audio: .audio
    case .location: .location
    case .task, .fetch: nil
    }
  }
}
