package import AppLifecycle

/// A reason why a command cannot reach the player: its application cannot respond.
package enum TransportRefusal: Error, CustomStringConvertible {
  /// The application is not running.
  case notRunning
  /// The application is suspended and has no audio background mode, so commands cannot wake it.
  case suspended

  /// The reason in words for people.
  package var description: String {
    switch self {
    case .notRunning: "the application is not running"
    case .suspended: "the application is suspended and has no audio background mode"
    }
  }
}

extension Device {
  /// Admits a command for the player in the way of lock screen controls: a suspended application that may
  /// play in the background is woken. Any thread.
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
