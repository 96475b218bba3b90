import AppLifecycle
import ArgumentParser
import Continuo
import ContinuoLocation
import Foundation
import HostTime
import PulseOutput

@main
struct Backgrounder: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Backgrounder",
    abstract: "An application that does things in the background, on a phone that follows a script.",
    usage: "Backgrounder SCREEN [OPTIONS] [FILE ...]",
    discussion: """
      SCREENS
        audio     A queue of songs: title, and the time in hundredths while in the background.
        location  Where the phone is: each new place, in the background too.
        whatever  Fibonacci numbers, in the background under a background task.
        fetch     Brought up to date by background fetches.
        upload    A synchronous upload on a background queue, under a background task.
        download  Downloads that by a notification alone go on in the background.
        session   A web service that is called when the application enters the background.

      A SCRIPT is a list of WORD@SECONDS, counted from the launch. Words: tap (the screen's button; play is the \
      same), home, foreground, lock, unlock, call, hangup, memory, fetch, terminate, launch, quit. For a \
      screen that does nothing before, a script without tap or play begins with tap@0. Without quit it goes on until it is interrupted.

      Lines with a time in brackets are the system's, all others the application's.

      EXAMPLES
        Backgrounder audio --background-modes audio --script "play@0 home@3 foreground@6 quit@8"
            The music goes on over the home button.
        Backgrounder audio --script "play@0 home@3 foreground@6 quit@8"
            Without the mode it stops, and goes on with the very next frame.
        Backgrounder location --background-modes location --location run.gpx --script "tap@0 home@5 foreground@10 quit@15"
            The way goes on behind the home button; without the mode it stops there, and goes on at the newest place.
        Backgrounder location --background-modes location --location gpsd --press home@5
            The places of a receiver behind gpsd.
        Backgrounder whatever --background-time 12 --script "tap@0 home@2 foreground@12 home@14 quit@20"
            The task expires with 5 s left; in front again the application begins another.
        Backgrounder fetch --background-modes fetch --press home@1 --press fetch@2 --press quit@3
            Woken from suspension for a fetch.
        Backgrounder session --misbehave block-background --script "home@1 launch@9 quit@10"
            Terminated by the watchdog, and launched again.

      EXIT STATUS
        0 after quit; 1 if the system had to terminate the application; 64 the command line makes no sense.
      """)

  @Argument(help: "What the application shows: \(names(ScreenChoice.self)).")
  var screen: ScreenChoice

  @Argument(
    help: ArgumentHelp("Songs for the audio screen (default: the first three of ./Media).", valueName: "file")
  )
  var files: [String] = []

  @Option(help: ArgumentHelp("What is pressed when, in one argument.", valueName: "script"))
  var script = ""

  @Option(help: ArgumentHelp("One more press, like home@3; as often as wanted.", valueName: "word@seconds"))
  var press: [String] = []

  @Option(help: ArgumentHelp("Background modes, like audio,fetch.", valueName: "list"))
  var backgroundModes: String?

  @Option(help: ArgumentHelp("Takes UIBackgroundModes from a property list.", valueName: "path"))
  var infoPlist: String?

  @Option(help: ArgumentHelp("Background time that tasks get.", valueName: "seconds"))
  var backgroundTime = LifecycleSettings().backgroundTime

  @Option(help: ArgumentHelp("How much of it is left when tasks expire.", valueName: "seconds"))
  var expirationWarning = LifecycleSettings().expirationWarning

  @Option(
    help: ArgumentHelp(
      "How long a call into the application may take in the background.", valueName: "seconds"))
  var callLimit = LifecycleSettings().callLimit

  @Option(help: ArgumentHelp("How long a background fetch may take.", valueName: "seconds"))
  var fetchLimit = LifecycleSettings().fetchLimit

  @Option(
    help: ArgumentHelp("How long an upload, all downloads, or the web service take.", valueName: "seconds"))
  var work = 2.0

  @Option(
    help: ArgumentHelp(
      "Where the phone is: the path of a GPX file, along which it goes from the launch on, or gpsd[:HOST[:PORT]].",
      valueName: "source"))
  var location: String?

  @Option(help: ArgumentHelp("Seconds of the GPX file's way in one second.", valueName: "factor"))
  var locationSpeed = 1.0

  @Option(help: "What the phone's owner answers to the question for the location: \(names(Answer.self)).")
  var locationAnswer = Answer.always

  @Option(help: ArgumentHelp("Draws the run as SVG when it quits.", valueName: "path"))
  var timeline: String?

  /// Answers to the application's question for permission.
  enum Answer: String, CaseIterable, ExpressibleByArgument {
    case always
    case whenInUse = "when-in-use"
    case denied

    var status: CLAuthorizationStatus {
      switch self {
      case .always: .authorizedAlways
      case .whenInUse: .authorizedWhenInUse
      case .denied: .denied
      }
    }
  }

  @Option(help: "A fault of the application: \(names(Misbehaviour.self)).")
  var misbehave: Misbehaviour?

  @Option(help: ArgumentHelp("The PulseAudio server; without it libpulse's own rules.", valueName: "address"))
  var server: String?

  @Flag(help: "Plays to a private PulseAudio with a null sink: nothing is heard.")
  var nullSink = false

  private static func names<Choice: CaseIterable & RawRepresentable<String>>(_ choices: Choice.Type) -> String
  {
    choices.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// A day: more than any run takes.
  private static let longest = 86_400.0

  mutating func validate() throws {
    guard backgroundModes == nil || infoPlist == nil else {
      throw ValidationError("--background-modes and --info-plist exclude each other")
    }
    guard server == nil || !nullSink else {
      throw ValidationError("--server and --null-sink exclude each other")
    }
    guard screen == .audio || files.isEmpty else {
      throw ValidationError("only the audio screen takes files")
    }
    for (name, value) in [
      ("background-time", backgroundTime), ("expiration-warning", expirationWarning),
      ("call-limit", callLimit),
      ("fetch-limit", fetchLimit), ("work", work),
    ] where !(0...Self.longest).contains(value) {
      throw ValidationError("--\(name) takes seconds from 0 to \(Int(Self.longest))")
    }
    guard screen == .location || location == nil else {
      throw ValidationError("only the location screen takes --location")
    }
    guard locationSpeed > 0, locationSpeed <= 1000 else {
      throw ValidationError("--location-speed takes a factor above 0 and up to 1000")
    }
    _ = try presses()
  }

  func run() throws {
    let presses = try presses()
    let songs = try songs()
    let modes = try modes()
    let location = try phoneLocation()
    let drawing = try drawing()
    var settings = LifecycleSettings()
    settings.backgroundTime = backgroundTime
    settings.expirationWarning = expirationWarning
    settings.callLimit = callLimit
    settings.fetchLimit = fetchLimit
    let clock = SystemClock.shared
    let sound =
      nullSink
      ? PulseDevice(privateServer: try PrivatePulseServer(), clock: clock)
      : PulseDevice(configuration: PulseConfiguration(server: server), clock: clock)
    printLineByLine()
    MainActor.assumeIsolated {
      let phone = Phone(modes: modes, settings: settings, sound: sound, location: location, drawing: drawing)
      {
        makeDelegate(songs: songs, modes: modes)
      }
      phone.run(presses)
      withExtendedLifetime(phone) {
        // The main thread's loop, for timers as well as for the main queue.
        while true { RunLoop.main.run() }
      }
    }
  }

  @MainActor
  private func makeDelegate(songs: [URL], modes: BackgroundModes) -> AppDelegate {
    let screen = screen.makeScreen(songs: songs, work: work, modes: modes)
    guard let misbehave else { return AppDelegate(screen: screen) }
    // A fifth more than what is allowed.
    return MisbehavingAppDelegate(screen: screen, misbehaviour: misbehave, hang: callLimit * 1.2)
  }

  private func presses() throws -> [Press] {
    var presses = try Press.script(script)
    for text in press { presses.append(try Press(parsing: text)) }
    if screen.waitsForTap, !presses.contains(where: { $0.action == .tap || $0.action == .play }) {
      presses.append(Press(action: .tap, time: 0))
    }
    return presses
  }

  private func songs() throws -> [URL] {
    guard screen == .audio else { return [] }
    var paths = files
    if paths.isEmpty {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "Media")) ?? []
      paths = names.filter { $0.hasSuffix(".mp3") }.sorted().prefix(3).map { "Media/\($0)" }
    }
    guard !paths.isEmpty else { throw ValidationError("no songs: name some files") }
    for path in paths where !FileManager.default.isReadableFile(atPath: path) {
      throw ValidationError("\(path): no such file, or it cannot be read")
    }
    return paths.map { URL(fileURLWithPath: $0) }
  }

  private func phoneLocation() throws -> Phone.Location {
    var result = Phone.Location(answer: locationAnswer.status)
    do {
      if let location { result.source = try LocationSource(option: location, speed: locationSpeed) }
      if let infoPlist { result.usage = try LocationUsage(infoPlist: infoPlist) }
    } catch {
      throw ValidationError("\(error)")
    }
    return result
  }

  private func drawing() throws -> Drawing? {
    guard let timeline else { return nil }
    do {
      return try Drawing(
        path: timeline, caption: CommandLine.arguments.dropFirst().joined(separator: " "),
        clock: SystemClock.shared)
    } catch {
      throw ValidationError("--timeline \(timeline): \(error.localizedDescription)")
    }
  }

  private func modes() throws -> BackgroundModes {
    let modes: BackgroundModes
    if let infoPlist {
      do {
        modes = try BackgroundModes(infoPlist: URL(fileURLWithPath: infoPlist))
      } catch {
        throw ValidationError("\(error)")
      }
    } else {
      modes = BackgroundModes(list: backgroundModes ?? "none")
    }
    for warning in modes.warnings { FileHandle.standardError.write(Data("Backgrounder: \(warning)\n".utf8)) }
    return modes
  }
}
