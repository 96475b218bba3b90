import ArgumentParser

/// The exit status of a command, according to sysexits.h where that has a suitable value.
enum ExitStatus: Int32, Error {
  case played = 0
  /// At least one item could not be played to its end, but some sound was heard. For `get`: at least one URL
  /// could not be fetched.
  case partlyPlayed = 1
  case usage = 64
  /// Nothing can be played, the music directory does not exist, or a phone's program cannot be started.
  case noInput = 66
  /// No audio server, sink or sound file is available. For a client: no server answers, or not as expected,
  /// or standard output fails.
  case unavailable = 69
  /// The system terminated the application for a violation, and nothing launched it again. In sysexits.h 70
  /// is an internal software error, which such a termination indicates.
  case terminated = 70
  /// The system gives the player too few threads or too little memory.
  case noResources = 71
  /// The control socket or a network address is in use or cannot be created. For `get`: a file cannot be
  /// written.
  case alreadyRunning = 73

  static let refused = partlyPlayed

  static let cannotWrite = alreadyRunning

  /// The status as an error that ends the command without a message.
  var code: ExitCode { ExitCode(rawValue) }

  /// Returns the result of `body`. Its error ends the command with this status and a message, which `name` precedes.
  func orExit<Result>(_ name: String? = nil, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      StandardOutput.complain((name.map { "\($0): " } ?? "") + "\(error)")
      throw code
    }
  }

  /// Creates the status for the end of a queue. `problems` counts the names and items that were not played to
  /// their end.
  init(hasSounded: Bool, problems: Int) {
    if problems == 0 { self = .played } else { self = hasSounded ? .partlyPlayed : .noInput }
  }
}
