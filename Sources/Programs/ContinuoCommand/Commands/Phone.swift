import ArgumentParser
import ControlClient
import ControlProtocol

struct Phone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone",
    abstract: "Runs any program that imports Continuo on a phone, or shows the program on one.",
    discussion: "Without a command: shows the program of the phone at the control socket, and its state.",
    subcommands: [Run.self, Show.self], defaultSubcommand: Show.self)
}

extension Phone {
  struct Show: ControlCommand {
    static let configuration = CommandConfiguration.control(
      "show", "Shows the program on a phone, and its state.")

    @OptionGroup var control: ControlOptions

    func perform(with client: inout MPDClient, output: CommandOutput) throws {
      let song = try client.ask("currentsong")
      if let program = song.fields.first(where: { $0.name == "file" }) { try output.writeName(program.value) }
      try output.write(RemoteLifecycle(try client.ask("lifecycle")).text)
    }
  }

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Runs a program on a phone: suspended is stopped, and terminated is ended.",
      usage: "continuo phone run [OPTIONS] PROGRAM [ARGUMENTS]",
      discussion: """
        The program and its children are processes of the phone. The phone stops them once the application is \
        suspended: no thread, timer or child runs. It ends them once the application has ended, whatever they do, \
        and when the phone itself ends. The program needs no change: UIApplicationMain, UIApplication.shared, \
        Device.current and players find the phone. A program that uses none of them gets no calls, but is stopped \
        and ended too.

        Events come from --at, from keys on a terminal (h home button, f foreground, space tap, q quit) and from the control \
        socket (continuo home, foreground, lock, unlock, interrupt, terminate, launch, lifecycle).

        Transfers of background sessions (ContinuoNetworking) continue while the application is suspended and after \
        its termination, and resume or launch it when they are done. A phone that no user controls then ends. Quitting \
        cancels them.

        EXAMPLES
          continuo phone run .build/debug/MyApp
              Keys press the home button and bring the application to the foreground.
          continuo phone run --at 3:home --at 60:foreground --at 65:quit .build/debug/MyApp
              A minute of suspension, without a tick of processor time.
          continuo phone run --background-modes audio --at 5:home --timeline run.svg MyApp song.mp3
              With the background mode audio; a drawing shows the run.
          continuo phone run --at 2:terminate --at 4:launch --events - MyApp
              The second launch is a new process.
          continuo phone run --socket /tmp/phone/socket MyApp & continuo home --socket /tmp/phone/socket
              Controlled from elsewhere.

        EXIT STATUS
          0      the user ended the phone or the application
          64     the command line is invalid
          66     the program does not exist or cannot be started
          70     the system terminated the application, and neither its transfers nor a user launch it again
          73     the socket that --socket names is in use, or cannot be created
          128+n  the program, or the phone, was ended by signal n
          A program that ends by itself ends the phone with its own exit status.
        """)

    @Option(
      name: .customLong("at"),
      help: .init(
        "Carry out an event at a time after the start of the phone. Repeatable.",
        discussion: """
          Events: home, foreground, lock, unlock, interrupt begin, interrupt end [resume|noresume], fetch, \
          memory-warning, touch CONTROL, launch-task IDENTIFIER, expire-task IDENTIFIER, terminate, launch, quit.
          """, valueName: "seconds:event"),
      completion: Completions.schedule,
      transform: ScheduledCommand.init(parsing:))
    var scheduled: [ScheduledCommand] = []

    @Option(
      help: .init(
        "The program's background modes, such as audio,fetch, or none. (default: the program's)",
        discussion: """
          The default is Info.plist beside the program, for UIApplicationMain, and none for a program without a \
          device. The modes of a device that the program creates itself are not replaced.
          """, valueName: "list|none"),
      completion: Completions.backgroundModes)
    var backgroundModes: String?

    @Option(
      help: .init(
        "The longest time between suspension and stop. (default: 1)",
        discussion: """
          In seconds. A thread that applicationDidEnterBackground has started may begin its background task in this \
          time, which takes the suspension back. An application without a delegate is stopped at once.
          """, valueName: "seconds"),
      transform: { try Double(seconds: $0) })
    var grace: Double?

    @Option(
      help: ArgumentHelp(
        "Write the application's states as JSON Lines to a file, or - for standard output.",
        valueName: "path|-"),
      completion: .file())
    var events: String?

    @Option(
      help: ArgumentHelp(
        "At exit, write a drawing of the run against time: application state, tasks, events.",
        valueName: "file.svg"),
      completion: .file())
    var timeline: String?

    @Option(
      help: ArgumentHelp(
        "The control socket, for commands such as continuo home. (default: $XDG_RUNTIME_DIR/continuo/socket)",
        valueName: "path"),
      completion: .file())
    var socket: String?

    @Flag(help: "Do not open a control socket.") var noSocket = false

    @ArgumentParser.Argument(
      parsing: .captureForPassthrough,
      help: ArgumentHelp("The program and its arguments.", valueName: "program"), completion: .file())
    var program: [String] = []

    mutating func validate() throws {
      program.removeTerminator()
      guard let name = program.first, !name.isEmpty else {
        throw ValidationError("No program: name one, as in continuo phone run .build/debug/MyApp.")
      }
      // The parser passes even these options to the program.
      if ["--help", "-help", "-h"].contains(name) { throw CleanExit.helpRequest(self) }
      if name.hasPrefix("-"), name != "-" { throw ValidationError("Unknown option '\(name)'") }
      try ValidationError.rejectEmpty([
        "--events": events, "--timeline": timeline, "--socket": socket, "--background-modes": backgroundModes,
      ])
      if noSocket, socket != nil { throw ValidationError(contradiction: "--socket", "--no-socket") }
      if let timeline, timeline == events {
        throw ValidationError("--events and --timeline name the same file \(timeline).")
      }
      for scheduled in scheduled where scheduled.command != .quit && scheduled.command.happening == nil {
        throw ValidationError(
          "--at: \"\(scheduled.command)\" is a command of a player, not an event of a phone.")
      }
    }
  }
}
