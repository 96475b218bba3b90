import ArgumentParser

/// The exit status of a command, according to sysexits.h where that has a suitable value.
enum ExitStatus: Int32 {
  /// The queue was played.
  case played = 0
  /// At least one item could not be played to its end, but some sound was heard.
  case partlyPlayed = 1
  /// The command line is invalid.
  case usage = 64
  /// A file does not exist, and nothing is left to play.
  case noInput = 66
  /// No audio server is available and none could be started, the sink does not exist, or the sound file
  /// cannot be written. For a client: no server answers at the control socket.
  case unavailable = 69
  /// The system terminated the application for a violation, and nothing launched it again. In sysexits.h 70
  /// is an internal software error, which such a termination indicates.
  case terminated = 70
  /// The system gives the player too few threads or too little memory.
  case noResources = 71
  /// A server already answers at the control socket, or the socket cannot be created.
  case alreadyRunning = 73

  /// The server refused a client's request.
  static let refused = partlyPlayed

  /// `get` cannot write a file.
  static let cannotWrite = alreadyRunning

  /// The status as an error that ends the command without a message.
  var code: ExitCode { ExitCode(rawValue) }

  /// Creates the status for the end of a queue. `problems` is the number of items that could not be played to
  /// their end. `hasSounded` is true if any item was heard.
  init(hasSounded: Bool, problems: Int) {
    if problems == 0 { self = .played } else { self = hasSounded ? .partlyPlayed : .noInput }
  }
}
