import ControlProtocol
import ControlServer

/// The control socket of a command that also runs without one.
enum ControlSocket {
  /// Returns the socket at `path`, or at the default path for nil. If the socket at a given path cannot be
  /// bound, ends the process. If the default socket cannot be bound, prints the message of `complaint` and
  /// returns nil.
  static func bind(_ path: String?, without complaint: (ListenError) -> String) -> ListeningSocket? {
    do {
      return try CleanUp.adding { () throws(ListenError) in
        try ListeningSocket.bound(to: path ?? DefaultSocket.path)
      } removal: {
        $0.removal
      }
    } catch {
      if path != nil {
        StandardOutput.complain("\(error)")
        CleanUp.exit(ExitStatus.alreadyRunning.rawValue)
      }
      StandardOutput.complain(complaint(error))
      return nil
    }
  }
}
