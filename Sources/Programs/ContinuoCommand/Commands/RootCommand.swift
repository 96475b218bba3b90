import ArgumentParser
import Continuo
import ControlProtocol
import Glibc
import MusicFiles

/// The program `continuo`.
public enum CommandLineTool {
  /// Runs the command that the process's arguments select. Ends the process with the command's exit status, or
  /// returns after success. Call on the main thread; blocks until the command ends.
  public static func main() {
    // Swift's runtime takes SIGQUIT, the signal of Ctrl-\, for a crash and inspects the process for seconds.
    signal(SIGQUIT, SIG_DFL)
    StandardDescriptors.reserve()
    SystemResources.returnLargeBlocks()
    if let reason = reasonForNoArguments(count: CommandLine.argc) {
      StandardOutput.complain(reason)
      exit(ExitStatus.noResources.rawValue)
    }
    run(RawArguments.all)
    if let hint = CommandSuggestion.hint(for: RawArguments.all) {
      StandardOutput.complain(hint)
      exit(ExitStatus.usage.rawValue)
    }
    if let script = CompletionScript.asked(by: RawArguments.all) {
      StandardOutput.write(script)
      exit(ExitStatus.played.rawValue)
    }
    RootCommand.main(RawArguments.all)
  }

  /// Runs the command that the first argument names, and ends the process, if the other arguments are valid
  /// for that command. Returns for all else, such as help, errors and `phone run`, which concern the tree of
  /// all commands. Parsing that tree takes several times as long.
  private static func run(_ arguments: some Collection<String>) {
    guard let word = arguments.first, let type = RootCommand.subcommand(word),
      var command = try? type.parseAsRoot(Array(arguments.dropFirst())), Swift.type(of: command) == type
    else { return }
    do {
      try command.run()
    } catch {
      RootCommand.exit(withError: error)
    }
    RootCommand.exit()
  }

  /// Returns an error message if even the program's name is missing; nil otherwise. Swift's runtime reads the
  /// arguments from /proc, unless it gets them from `CArguments`.
  static func reasonForNoArguments(count: Int32) -> String? {
    count > 0 ? nil : "cannot read the command line: is /proc mounted?"
  }
}

enum CommandSuggestion {
  private static let others = [
    "prev": "previous", "ls": "queue", "playlist": "queue", "start": "resume", "unpause": "resume",
    "vol": "volume", "skip": "next", "info": "status", "find": "search", "rescan": "update",
    "daemon": "serve", "server": "serve", "rm": "delete", "del": "delete", "goto": "jump",
    "playlist-load": "load", "playnext": "insert", "sleeptimer": "sleep", "rate": "speed",
  ]

  /// The options of other programs for random order.
  private static let shuffling: Set<String> = ["--shuffle", "--random", "-z"]

  /// The commands and options of other programs for crossfades.
  private static let crossfades: Set<String> = ["crossfade", "--crossfade", "--xfade"]

  /// Returns a hint about an option of other programs, or about a first argument that is not a command.
  static func hint(for arguments: some Collection<String>) -> String? {
    guard let first = arguments.first else { return nil }
    let mayPlay = ["play", "serve"].contains(first)
    if crossfades.contains(first) || mayPlay && arguments.contains(where: crossfades.contains) {
      return Ack.noCrossfade.message
    }
    if first == "help", let word = arguments.dropFirst().first { return hint(for: word) }
    if let option = arguments.first(where: shuffling.contains), first == option || mayPlay {
      return """
        unknown option \(option); for random order: find Media -name '*.mp3' | shuf | continuo play -, or, with \
        continuo serve, continuo random on
        """
    }
    return hint(for: first)
  }

  /// Returns a hint about a word in the place of a command; nil if it is a command, an option or empty.
  static func hint(for word: String) -> String? {
    let names = RootCommand.configuration.subcommands.map(RootCommand.name) + ["help"]
    guard !word.isEmpty, !word.hasPrefix("-"), !names.contains(word) else { return nil }
    let known = others[word].flatMap { names.contains($0) ? $0 : nil }
    let nearest = names.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
    let near = nearest.flatMap { $0.distance <= max(1, word.count / 2) ? $0.name : nil }
    let guess = (known ?? near).map { "; did you mean continuo \($0)?" } ?? ""
    if isMedium(word) { return "unknown command \(word); to play it: continuo play \(word)" }
    return "unknown command \(word)\(guess) (continuo --help lists all; continuo play plays files)"
  }

  /// Whether the word names a file, a folder or a URL. Reads the file system.
  private static func isMedium(_ word: String) -> Bool {
    EntryLocation.isURL(Array(word.utf8)) || (try? FileStatus(of: RawArguments.bytes(of: word))) != nil
  }

  /// Returns the optimal string alignment distance of `second` from the first 64 letters of `first`: the
  /// number of letters to change, insert, remove or swap with a neighbour.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.prefix(64)), Array(second))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}

struct RootCommand: ParsableCommand {
  /// The name of the program, which precedes the names of commands. A command with this name as
  /// `_superCommandName` is parsed without a search for requests of completion scripts. That search takes as
  /// long as the command itself.
  static let programName = "continuo"

  static let configuration = CommandConfiguration(
    commandName: programName,
    abstract: "Plays music files in the background, on machines with or without a screen.",
    discussion: """
      EXAMPLES
        continuo play Media
            Plays all songs in the folder Media, in natural order.
        continuo serve --home ~/Music
            Plays what MPD clients and the commands below request.
        continuo add . && continuo resume
            Adds the working directory to the server's queue and plays it.
        continuo help play
            Explains all options of play.
      """,
    version: "continuo \(Version.number)",
    subcommands: [Play.self, Serve.self, Get.self, Phone.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Player",
        subcommands: [
          Status.self, Pause.self, Resume.self, Toggle.self, Stop.self, Next.self, Previous.self, Seek.self,
          Volume.self, Speed.self, Sleep.self, Random.self, Repeat.self, Single.self, Consume.self,
          Outputs.self, Watch.self, Ctl.self,
        ]),
      CommandGroup(
        name: "Queue and Library",
        subcommands: [
          ShowQueue.self, Add.self, Insert.self, Jump.self, Move.self, Delete.self, Crop.self, Shuffle.self,
          Clear.self, Search.self, Update.self, Playlists.self, Load.self, Save.self,
        ]),
      CommandGroup(
        name: "Application",
        subcommands: [
          Home.self, Foreground.self, Lock.self, Unlock.self, Interrupt.self, Terminate.self, Launch.self,
          ShowLifecycle.self,
        ]),
    ])

  @Flag(help: "Print the licence and exit.") var license = false

  static func subcommand(_ word: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { name(of: $0) == word }
  }

  static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }

  func run() throws {
    guard license else { throw CleanExit.helpRequest(self) }
    StandardOutput.write(About.license)
  }
}
