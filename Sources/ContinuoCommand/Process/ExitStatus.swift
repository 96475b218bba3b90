import ArgumentParser

/// What the command's exit status says, after sysexits.h where that has a word for it.
enum ExitStatus: Int32 {
  /// The queue was played.
  case played = 0
  /// At least one item could not be played, or not to its end; but some sound was heard.
  case partlyPlayed = 1
  /// The command line makes no sense.
  case usage = 64
  /// No such file, and nothing left to play.
  case noInput = 66
  /// No audio server, and none could be started; no sink of the name; or the file for the sound cannot be written. Of a client: no server
  /// answers at the control socket.
  case unavailable = 69
  /// The system terminated the application as a punishment, and nothing launched it again. (What sysexits.h calls an
  /// internal software error: that is what such a termination stands for.)
  case terminated = 70
  /// The system gives the player too few threads or too little memory.
  case noResources = 71
  /// A server answers at the control socket already, or the socket cannot be made.
  case alreadyRunning = 73

  /// The server refused what a client asked for.
  static let refused = partlyPlayed

  /// `get` cannot write a file.
  static let cannotWrite = alreadyRunning

  /// The same as an error that ends the command without another word.
  var code: ExitCode { ExitCode(rawValue) }

  /// The status at the end of a queue of which so many items could not be played, or not to their end. `hasSounded`: there
  /// was sound, of whichever item.
  init(hasSounded: Bool, problems: Int) {
    if problems == 0 { self = .played } else { self = hasSounded ? .partlyPlayed : .noInput }
  }
}
