import Foundation

/// A program that serves MPD's protocol at the socket `socket` in a folder of its own, with inaudible output.
struct ServerProgram {
  let name: String
  /// Builds the command line from the folder.
  let command: (_ folder: String) throws -> [String]

  static func continuo(_ path: String) -> ServerProgram {
    ServerProgram(name: "continuo") { folder in
      // The music directory is the folder, so that songs have absolute paths as in mpd.
      [path, "serve", "--null-sink", "--no-state", "--home", folder, "--socket", folder + "/socket"]
    }
  }

  /// mpd without the user's music folder, database and state. Songs are `file://` URLs, which clients of a
  /// Unix socket may use.
  static func mpd(_ path: String) -> ServerProgram {
    ServerProgram(name: "mpd") { folder in
      let configuration = """
        bind_to_address "\(folder)/socket"
        log_file "\(folder)/log"
        zeroconf_enabled "no"
        auto_update "no"
        max_playlist_length "\(ControlPlan.songLimit)"
        audio_output {
          type "null"
          name "null"
          mixer_type "null"
        }

        """
      try configuration.write(toFile: folder + "/mpd.conf", atomically: true, encoding: .utf8)
      return [path, "--no-daemon", folder + "/mpd.conf"]
    }
  }
}
