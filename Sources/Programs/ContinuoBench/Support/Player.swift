import Foundation

/// A contender: a player of files on an audio server.
protocol Player {
  var name: String { get }
  /// Starts a process and makes it play. Returns as soon as playback is requested.
  func play(_ files: [String], on server: AudioServer) throws -> Child
  /// Ends the player's process.
  func stop(_ child: Child) throws -> Child.Exit
}

extension Player {
  func stop(_ child: Child) throws -> Child.Exit { try child.terminate() }
}

/// A player that is a single command with the files as arguments.
struct CommandPlayer: Player {
  let name: String
  /// Builds the command line from the files and the server.
  let command: (_ files: [String], _ server: AudioServer) -> [String]

  func play(_ files: [String], on server: AudioServer) throws -> Child {
    try Child(
      command(files, server), environment: server.clientEnvironment, log: "\(server.scratch)/\(name).log")
  }
}

extension CommandPlayer {
  static func mpg123(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "mpg123") { files, _ in [path, "-q", "-o", "pulse"] + files }
  }

  static func mpv(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "mpv") { files, _ in
      [path, "--no-config", "--no-video", "--no-terminal", "--ao=pulse"] + files
    }
  }

  /// ffplay takes one input: several files go through its `concat:` protocol.
  static func ffplay(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "ffplay") { files, _ in
      [path, "-nodisp", "-autoexit", "-loglevel", "error"]
        + [files.count == 1 ? files[0] : "concat:" + files.joined(separator: "|")]
    }
  }

  /// paplay plays a WAV file, which is the minimum that a client of the server can do.
  static func paplay(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "paplay") { files, _ in [path] + files.prefix(1) }
  }

  /// Continuo without an observer.
  static func continuo(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "continuo") { files, server in
      [path, "play", "--server", server.address, "--no-socket"] + files
    }
  }

  /// Continuo with an observer every 1/100 s, which writes its calls to `eventsPath`.
  static func continuoObserved(_ path: String) -> CommandPlayer {
    CommandPlayer(name: "continuo+observer") { files, server in
      [path, "play", "--server", server.address, "--no-socket", "--events", eventsPath(server)] + files
    }
  }

  static func eventsPath(_ server: AudioServer) -> String { server.scratch + "/events.jsonl" }
}
