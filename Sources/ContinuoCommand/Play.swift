import ArgumentParser

/// `continuo play`.
struct Play: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays files, folders and playlists to their end, and exits.",
    usage: "continuo play [OPTIONS] FILE|DIRECTORY|PLAYLIST ...",
    discussion: """
      On a terminal it shows what is playing and takes keys: space (pause), n and p (next, previous), left and \
      right (5 s back, on), up and down (volume), m (mute), h (home button), f (foreground), q (quit).

      EXAMPLES
        continuo play Media
            A folder with all that is below it.
        continuo play intro.mp3 evening.m3u8
            A file, then what a playlist names.
        find Media -name '*.mp3' | shuf | continuo play -
            A playlist from standard input.
        continuo play --null-sink Media
            On a machine without sound.
        continuo play --background-modes none --at 3:home --at 6.5:foreground Media
            The home button stops the sound; in front again it goes on from there.
        continuo play --output wav:all.wav --events events.jsonl Media
            Renders the queue to a file and notes all that observers see.

      EXIT STATUS
        0   the queue was played
        1   at least one item could not be played; the others were
        64  the command line makes no sense
        66  no such file, and nothing left to play
        69  no audio server, and none could be started
      """)

  @OptionGroup var options: PlayOptions

  /// Why nothing is played.
  struct PlayerMissing: Error, CustomStringConvertible {
    let description = "this build has no player yet"
  }

  func run() throws {
    throw PlayerMissing()
  }
}
