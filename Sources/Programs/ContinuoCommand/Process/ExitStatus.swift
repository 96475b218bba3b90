import ArgumentParser

/// The exit status of a command, according to sysexits.h where that has a suitable value.
enum ExitStatus: Int32, Error {
  case played = 0
  /// At least one item could not be played to its end, but some sound was heard. For `get`: at least one URL
  /// could not be fetched. For a client: the server has refused a request, or a search has found no song.
  case partlyPlayed = 1
  case usage = 64
  /// No item can be played, the music directory does not exist, or a phone's program cannot be started.
  case noInput = 66
  /// No audio server or sink is available, or the WAV file cannot be written. For a client: no server answers,
  /// its reply is unexpected, or standard output fails.
  case unavailable = 69
  /// The system terminated the application for a violation, and nothing launched it again. In sysexits.h 70
  /// is an internal software error, which such a termination indicates.
  case terminated = 70
  /// The system gives the player too few threads or too little memory, or the command line cannot be read.
  case noResources = 71
  /// The control socket or a network address is in use or cannot be created. For `get`: a file cannot be
  /// written, or exists already.
  case alreadyRunning = 73

  static let refused = partlyPlayed

  static let cannotWrite = alreadyRunning

  /// The status as an error that ends the command without a message.
  var code: ExitCode { ExitCode(rawValue) }

  /// Returns the result of `body`. If `body` throws, prints the error, after `name` if given, and throws `code`,
  /// which ends the command.
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
