package import AppLifecycle

/// Why a command cannot reach the player: its application is not there to obey.
package enum TransportRefusal: Error, CustomStringConvertible {
  /// No application runs.
  case notRunning
  /// The application is suspended, and nothing may wake it to play.
  case suspended

  /// The reason, for a person.
  package var description: String {
    switch self {
    case .notRunning: "the application is not running"
    case .suspended: "the application is suspended and has no audio background mode"
    }
  }
}

extension Device {
  /// Lets a command of the player through, as a lock screen's controls would be: they wake a suspended application
  /// that may play in the background. Any thread.
  package func admitTransport() throws(TransportRefusal) {
    switch state {
    case .notRunning: throw .notRunning
    case .suspended:
      guard modes.contains(.audio) else { throw .suspended }
      wakeForRemoteControl()
    case .active, .inactive, .background: break
    }
  }
}
