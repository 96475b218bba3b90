public import AppLifecycle
public import ArgumentParser
import Clocks
import Continuo
import ContinuoCommand
import ContinuoLocation
import Foundation
import MusicFiles
import PulseOutput
import RunTimeline

@main
struct BackgrounderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Backgrounder",
    abstract: "Runs an application with background tasks on a phone that follows a script.",
    usage: "Backgrounder SCREEN [OPTIONS] [FILE ...]",
    discussion: """
      SCREENS
        audio     A queue of songs: title, and the time; each hundredth of it in the background.
        location  The phone's position: each new one, in the background too.
        whatever  Fibonacci numbers, in the background under a background task.
        fetch     Content updated by background fetches: a time, or the feed of a --service.
        listen    An echo server that closes its socket in the background and reopens it in the foreground.
        upload    A synchronous upload on a background queue, under a background task.
        download  Downloads that continue in the background on a notification alone, and resume by Range.
        session   A web service that is called when the application enters the background.
        voip      Phone calls, also while suspended: each is a line from a server at --port of this machine.
        refresh   Content updated by tasks that the application has scheduled.
        tabs      One application with the first four as tabs.

      fetch, upload, download and session make real requests to a --service: GET /feed, PUT /upload/1 to /upload/10, \
      GET /one.mp3 and so on, GET /user/SESSIONKEY/endsession. Without one they send none (see --work).

      The application runs as a process of its own on a phone: while suspended it is stopped, and a termination ends the \
      process. It runs as well on the phone of continuo phone run, whose --at takes touch tap, touch tab1 and so on.

      A SCRIPT is a list of WORD@SECONDS, counted from the launch. Words: tap (the screen's button; play is the \
      same), tab1 to tab4, home, foreground, lock, unlock, call, hangup, memory, fetch, refresh, process, expire, terminate, launch, quit. For a \
      screen that does nothing before, a script without tap or play begins with tap@0. Without quit it goes on until it is interrupted. \
      The script "-" takes words without @SECONDS from standard input, as they are typed.

      Lines with a time in brackets come from the system, all others from the application.

      EXAMPLES
        Backgrounder audio --background-modes audio --script "play@0 home@3 foreground@6 quit@8"
            Playback continues after the home button is pressed.
        Backgrounder audio --script "play@0 home@3 foreground@6 quit@8"
            Without the mode playback stops, and resumes with the very next frame.
        Backgrounder location --background-modes location --location run.gpx --script "tap@0 home@5 foreground@10 quit@15"
            Updates continue in the background; without the mode they stop, and resume at the newest position.
        Backgrounder tabs --background-modes audio,location,fetch --location freeway --script "tap@0 tab2@2 tap@3 home@5 fetch@7 foreground@9 tab4@10 quit@12"
            Songs and positions continue in the background, and the last tab is up to date when it is first shown.
        Backgrounder fetch --background-modes fetch --no-launch --script "fetch@1 foreground@3 quit@4"
            An application that never ran is launched for a fetch, and suspended.
        Backgrounder location --background-modes location --location gpsd --press home@5
            The positions of a receiver, by gpsd.
        Backgrounder whatever --background-time 12 --script "tap@0 home@2 foreground@12 home@14 quit@20"
            The task expires with 5 s left; in the foreground the application begins another.
        Backgrounder fetch --background-modes fetch --press home@1 --press fetch@2 --press quit@3
            The application is woken from suspension for a fetch.
        Backgrounder fetch --background-modes fetch --service http://127.0.0.1:8080 --script "home@1 fetch@2 fetch@3 quit@4"
            New data, then none: the service reports that the feed has not changed.
        Backgrounder refresh --background-modes fetch,processing --work 1 --script "home@1 refresh@2 process@4 expire@5 quit@6"
            Two scheduled tasks, the second of which runs out of time.
        Backgrounder voip --background-modes voip --port 5060 --press home@1
            Each line from the server wakes the application for ten seconds.
        Backgrounder session --misbehave block-background --script "home@1 launch@9 quit@10"
            Terminated by the watchdog, and launched again.
        Backgrounder session --service http://127.0.0.1:8080 --script "home@1 quit@30"
            Prints "Session ended" when the service answers with {"success": true}.
        Backgrounder session --service http://127.0.0.1:8080 --misbehave wait-for-network --press home@1 --press quit@30
            Waits for the service on the main thread: if it is slow, the watchdog terminates the application.
        Backgrounder listen --port 8000 --script "home@5 foreground@10 quit@15"
            Clients are refused while the application is in the background; existing connections are lost.
        Backgrounder listen --port 8000 --misbehave leave-open --reclaim-sockets never --press home@5
            Clients are accepted by the kernel, and then nobody answers.
        Backgrounder whatever --script -
            Type tap, home, foreground and quit.
        continuo phone run --at "0:touch tap" --at 2:home --at 9:quit Backgrounder whatever
            The same application on a phone without a script.
        Backgrounder download --service http://127.0.0.1:8080/music --downloads /tmp --script "tap@0 home@1 foreground@60 quit@90"
            Downloads that exceed the background time resume in the foreground, where they were interrupted.

      EXIT STATUS
        0      after quit
        1      the system had to terminate the application
        64     the command line is invalid
        128+n  signal n ended the phone or the application

      An application that ends by itself ends the phone with its exit status.
      """,
    version: "Backgrounder \(Version.number)")

  @Argument(help: "Screen of the application: \(names(ScreenChoice.self)).")
  var screen: ScreenChoice

  @Argument(
    help: ArgumentHelp(
      "Songs for the audio screen, files or URLs (default: the first three of ./Media).", valueName: "file"))
  var files: [String] = []

  @Option(help: "Category of the audio session: \(names(CategoryChoice.self)).")
  var category = CategoryChoice.playback

  @Option(
    help: ArgumentHelp(
      "Option of that category, repeatable: \(names(CategoryOptionChoice.self)).", valueName: "option"))
  var categoryOption: [CategoryOptionChoice] = []

  @Flag(help: "Do not launch the application before the script begins.")
  var noLaunch = false

  @Option(
    help: ArgumentHelp(
      "What is pressed when, in one argument; - for words from standard input.", valueName: "script"))
  var script = ""

  @Option(help: ArgumentHelp("Additional press, such as home@3. Repeatable.", valueName: "word@seconds"))
  var press: [String] = []

  @Option(help: ArgumentHelp("Background modes, such as audio,fetch.", valueName: "list"))
  var backgroundModes: String?

  @Option(
    help: ArgumentHelp(
      "Property list with UIBackgroundModes, BGTaskSchedulerPermittedIdentifiers and texts about the location.",
      valueName: "path"))
  var infoPlist: String?

  @Option(help: ArgumentHelp("Background time for tasks.", valueName: "seconds"))
  var backgroundTime = LifecycleSettings().backgroundTime

  @Option(help: ArgumentHelp("Remaining background time when tasks expire.", valueName: "seconds"))
  var expirationWarning = LifecycleSettings().expirationWarning

  @Option(
    help: ArgumentHelp("Time limit for a call into the application in the background.", valueName: "seconds"))
  var callLimit = LifecycleSettings().callLimit

  @Option(help: ArgumentHelp("Time limit for a background fetch.", valueName: "seconds"))
  var fetchLimit = LifecycleSettings().fetchLimit

  @Option(
    help: ArgumentHelp(
      "Duration of an upload, all downloads, the web service or a scheduled refresh.", valueName: "seconds"))
  var work = 2.0

  @Option(
    help: ArgumentHelp(
      "Web service of fetch, upload, download and session: an http or https URL.", valueName: "url"))
  var service: String?

  @Option(help: ArgumentHelp("Destination folder for downloads from a service.", valueName: "folder"))
  var downloads: String?

  @Option(
    help: ArgumentHelp(
      "Port of the listen screen (0: any free one) or of the voip screen's server.", valueName: "number"))
  var port: UInt16 = 0

  @Option(help: "Time when a suspended application loses its TCP sockets: \(names(SocketReclaim.self)).")
  var reclaimSockets = SocketReclaim.whenSuspended

  @OptionGroup var locationOptions: LocationOptions

  @Option(
    help: ArgumentHelp(
      "SVG drawing of the run, written at its end.", valueName: "path"))
  var timeline: String?

  @Option(help: "Fault of the application: \(names(Misbehaviour.self)).")
  var misbehave: Misbehaviour?

  @Option(help: ArgumentHelp("PulseAudio server (default: libpulse's own rules).", valueName: "address"))
  var server: String?

  // Values that the phone process passes to the application process: the start of the phone in nanoseconds, and
  // the descriptor of `StoredPlayers`.
  @Option(help: .hidden) var phoneStart: Int64?
  @Option(help: .hidden) var phonePlayers: Int32?

  @Flag(help: "Play to a private PulseAudio with a null sink: nothing is heard.")
  var nullSink = false

  static func names<Choice: CaseIterable & RawRepresentable<String>>(_ choices: Choice.Type) -> String {
    choices.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// The maximum of the durations in options, in seconds: a day.
  private static let longest = 86_400.0

  mutating func validate() throws {
    // The phone process writes the drawing, not the application process.
    if phoneStart != nil { timeline = nil }
    func refuse(_ message: String, if isFault: Bool) throws {
      if isFault { throw ValidationError(message) }
    }
    try refuse(
      "--background-modes and --info-plist exclude each other", if: backgroundModes != nil && infoPlist != nil
    )
    try refuse("--server and --null-sink exclude each other", if: server != nil && nullSink)
    try refuse("only the audio screen and the tabs take files", if: !screen.playsSongs && !files.isEmpty)
    try refuse(
      "only the audio screen and the tabs take --category and --category-option",
      if: !screen.playsSongs && (category != .playback || !categoryOption.isEmpty))
    for (name, value) in [
      ("background-time", backgroundTime), ("expiration-warning", expirationWarning),
      ("call-limit", callLimit), ("fetch-limit", fetchLimit), ("work", work),
    ] {
      try refuse(
        "--\(name) takes seconds from 0 to \(Int(Self.longest))", if: !(0...Self.longest).contains(value))
    }
    try refuse(
      "only the location screen and the tabs take --location",
      if: !screen.usesLocation && locationOptions.location != nil)
    try refuse(
      "only fetch, upload, download, session and tabs take --service",
      if: !screen.usesService && service != nil)
    try refuse(
      "--downloads and the --service of the download screen need each other",
      if: (screen == .download && service != nil) != (downloads != nil))
    try refuse(
      "only the listen and voip screens take --port", if: screen != .listen && screen != .voip && port != 0)
    try refuse("the voip screen needs the --port of its server", if: screen == .voip && port == 0)
    try refuse(
      "--misbehave leave-open is a fault of the listen screen",
      if: misbehave == .leaveOpen && screen != .listen)
    try refuse(
      "--misbehave wait-for-network is a fault of the session screen with a --service",
      if: misbehave == .waitForNetwork && (screen != .session || service == nil))
    // Also refuses a value that is not a number.
    try refuse(
      "--location-speed takes a factor above 0 and up to 1000",
      if: !(locationOptions.locationSpeed > 0 && locationOptions.locationSpeed <= 1000))
    _ = try presses()
  }

  /// Returns the plan of a run. Throws if an argument cannot be used.
  func plan() throws -> Plan {
    var settings = LifecycleSettings()
    settings.backgroundTime = backgroundTime
    settings.expirationWarning = expirationWarning
    settings.callLimit = callLimit
    settings.fetchLimit = fetchLimit
    settings.socketReclaim = reclaimSockets
    settings.permittedTaskIdentifiers = try taskIdentifiers()
    let parts = ScreenParts(
      songs: try songs(), modes: try modes(), category: category.category,
      categoryOptions: AVAudioSession.CategoryOptions(categoryOption.map(\.option)),
      service: try webService(), work: work,
      folder: try downloadFolder(),
      // Leaves time to report a failure.
      fetchSeconds: max(0, min(fetchLimit - 2, fetchLimit * 0.8)), port: port,
      leavesOpen: misbehave == .leaveOpen)
    return Plan(
      presses: try presses(), launches: !noLaunch, parts: parts, settings: settings,
      location: try validated { try locationOptions.makeLocation(infoPlist: infoPlist) },
      drawing: try drawing())
  }

  func run() throws {
    printLineByLine()
    var plan = try plan()
    guard PhoneLink.shared != nil else { return try runPhone(plan) }
    guard phoneStart != nil || script.isEmpty && press.isEmpty && timeline == nil else {
      throw ValidationError(
        "this phone has a script and a drawing of its own: --at and --timeline of continuo phone run")
    }
    for warning in plan.parts.modes.warnings { complain("Backgrounder: \(warning)") }
    let clock = SystemClock.shared
    let sound =
      nullSink
      ? PulseDevice(privateServer: try PrivatePulseServer(), clock: clock)
      : PulseDevice(configuration: PulseConfiguration(server: server), clock: clock)
    let stored = phonePlayers.map(StoredPlayers.init)
    plan.parts.restorable = stored?.take() ?? []
    MainActor.assumeIsolated {
      let application = RunningApplication(
        plan, sound: sound, start: phoneStart.map(HostTime.init(nanoseconds:)), stored: stored)
      application.run(makeDelegate(plan.parts))
    }
  }

  /// Runs this program on a phone that follows the script.
  private func runPhone(_ plan: Plan) throws {
    // The sound server belongs to the phone, so it neither stops nor ends with the application.
    let sound = nullSink ? try PrivatePulseServer() : nil
    if let sound { setenv("PULSE_SERVER", sound.address, 1) }
    let start = SystemClock.shared.now
    let program = try MediaPath("/proc/self/exe").resolvingLinks().description
    var arguments = [program, "--phone-start", "\(start.nanoseconds)"]
    if let file = tmpfile() { arguments += ["--phone-players", "\(fileno(file))"] }
    arguments += CommandLine.arguments.dropFirst().filter { $0 != "--null-sink" }
    MainActor.assumeIsolated {
      withExtendedLifetime(sound) {
        ScriptedPhone.run(plan, arguments: arguments, start: start, readsInput: readsInput)
      }
    }
  }

  @MainActor func makeDelegate(_ parts: ScreenParts) -> AppDelegate {
    let tabs = screen.makeScreens(parts)
    guard let misbehave else { return AppDelegate(tabs: tabs) }
    // The hang exceeds the limit by a fifth.
    return MisbehavingAppDelegate(tabs: tabs, parts, misbehaviour: misbehave, hang: callLimit * 1.2)
  }

  /// Returns the result of `body`, or throws its error as a `ValidationError`.
  private func validated<Result>(_ prefix: String = "", _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ValidationError("\(prefix)\(error)") }
  }

  private func webService() throws -> WebService? {
    guard let service else { return nil }
    do { return try WebService(url: service) } catch {
      throw ValidationError("--service takes an http or https URL without a query")
    }
  }

  private func downloadFolder() throws -> URL? {
    guard let downloads else { return nil }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: downloads, isDirectory: &isFolder), isFolder.boolValue,
      FileManager.default.isWritableFile(atPath: downloads)
    else { throw ValidationError("\(downloads): no such folder, or it cannot be written to") }
    return URL(fileURLWithPath: downloads, isDirectory: true)
  }

  /// Whether words are read from standard input.
  private var readsInput: Bool { script == "-" }

  /// Returns the presses in the order of their times. For a screen that waits for a tap, adds one at 0, unless the
  /// script has a tap, begins without a launch or is standard input.
  private func presses() throws -> [Press] {
    var presses = readsInput ? [] : try Press.script(script)
    presses += try press.map { try Press(parsing: $0) }
    let taps = presses.contains { $0.action == .tap || $0.action == .play }
    if screen.waitsForTap, !readsInput, !noLaunch, !taps {
      presses.append(Press(action: .tap, time: 0))
    }
    return presses.sorted { $0.time < $1.time }
  }

  private func songs() throws -> [URL] {
    guard screen.playsSongs else { return [] }
    var paths = files
    if paths.isEmpty {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "Media")) ?? []
      paths = names.filter { $0.hasSuffix(".mp3") }.sorted().prefix(3).map { "Media/\($0)" }
    }
    guard !paths.isEmpty else { throw ValidationError("no songs: name some files") }
    return try paths.map { path in
      if let url = URL(string: path), url.scheme == "http" || url.scheme == "https" { return url }
      guard FileManager.default.isReadableFile(atPath: path) else {
        throw ValidationError("\(path): no such file, or it cannot be read")
      }
      return URL(fileURLWithPath: path)
    }
  }

  private func drawing() throws -> TimelineFile? {
    guard let timeline else { return nil }
    let title = RunTitle(
      program: "Backgrounder", arguments: Array(CommandLine.arguments.dropFirst()), version: Version.number,
      secondsSince1970: Date().timeIntervalSince1970, notes: "background modes: \(try modes())")
    return try validated("--timeline \(timeline): ") {
      try TimelineFile(path: MediaPath(timeline), title: title, clock: SystemClock.shared)
    }
  }

  /// Returns the identifiers from the property list; without one, all identifiers of the refresh screen.
  private func taskIdentifiers() throws -> Set<String> {
    guard let infoPlist else { return [RefreshScreen.refresh, RefreshScreen.cleaning] }
    var settings = LifecycleSettings()
    try validated { try settings.readPermittedTaskIdentifiers(infoPlist: infoPlist) }
    return settings.permittedTaskIdentifiers
  }

  private func modes() throws -> BackgroundModes {
    guard let infoPlist else { return BackgroundModes(list: backgroundModes ?? "none") }
    return try validated { try BackgroundModes(infoPlist: URL(fileURLWithPath: infoPlist)) }
  }
}

extension SocketReclaim: ExpressibleByArgument {}
