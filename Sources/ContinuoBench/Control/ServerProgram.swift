import Foundation

/// A program that serves MPD's protocol at the socket `socket` in a folder of its own, and plays to nobody.
struct ServerProgram {
  let name: String
  /// The command line, given the folder.
  let command: (_ folder: String) throws -> [String]

  static func continuo(_ path: String) -> ServerProgram {
    ServerProgram(name: "continuo") { folder in
      // Of its folder, so that it calls songs by their whole paths, as mpd does.
      [path, "serve", "--null-sink", "--no-state", "--home", folder, "--socket", folder + "/socket"]
    }
  }

  /// Nothing of the user's: no music folder, no database, no state. Songs are `file://` URLs, which are open to clients
  /// of a Unix socket.
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
