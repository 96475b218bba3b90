import ArgumentParser
import Glibc

/// The program `continuo`.
public enum CommandLineTool {
  /// Does what the process's arguments say, and ends the process. On the main thread.
  public static func main() {
    // Swift's runtime takes this key for a crash, and looks into the process for seconds.
    signal(SIGQUIT, SIG_DFL)
    StandardDescriptors.reserve()
    RootCommand.main()
  }
}

/// The command `continuo`.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "continuo",
    abstract: "Plays MP3 files in the background, on machines with or without a screen.",
    discussion: """
      EXAMPLES
        continuo play Media
            Plays all MP3 files in the folder Media, in a person's order.
        continuo serve --home ~/Music
            Waits for what others want played: MPD's clients, and the commands below it.
        continuo add . && continuo resume
            Has the server play what is here.
        continuo help play
            Explains all options of play.
      """,
    subcommands: [Play.self, Serve.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Player",
        subcommands: [
          Status.self, Pause.self, Resume.self, Toggle.self, Stop.self, Next.self, Previous.self, Seek.self,
          Volume.self, Random.self, Repeat.self, Single.self, Consume.self, Watch.self, Ctl.self,
        ]),
      CommandGroup(
        name: "Queue and Library",
        subcommands: [
          ShowQueue.self, Add.self, Jump.self, Move.self, Delete.self, Clear.self, Search.self, Update.self,
          Playlists.self, Load.self, Save.self,
        ]),
      CommandGroup(
        name: "Application",
        subcommands: [
          Home.self, Foreground.self, Lock.self, Unlock.self, Interrupt.self, Terminate.self, Launch.self,
          ShowLifecycle.self,
        ]),
    ])
}
