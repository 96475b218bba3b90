import AppLifecycle
import ArgumentParser
import TextFormatting

struct ApplicationOptions: ParsableArguments {
  @Option(
    help: .init(
      "The application's background modes, such as audio,fetch, or none. (default: audio)",
      discussion: "Overrides the list in --info-plist.", valueName: "list|none"),
    completion: Completions.backgroundModes)
  var backgroundModes: String?

  @Option(
    help: ArgumentHelp(
      "Read UIBackgroundModes from a property list, as in an application bundle.", valueName: "path"),
    completion: .file(extensions: ["plist"]))
  var infoPlist: String?

  @Option(
    help: .init(
      "The time limit for background tasks. (default: 180)",
      discussion:
        "In seconds, or like 3:00. Tasks expire 5 s earlier; one still open at the limit terminates the application.",
      valueName: "seconds"),
    transform: { try Double(seconds: $0) })
  var backgroundTime: Double?

  mutating func validate() throws {
    try ValidationError.rejectEmpty(["--info-plist": infoPlist])
  }

  var lifecycleSettings: LifecycleSettings {
    var settings = LifecycleSettings()
    if let backgroundTime { settings.backgroundTime = backgroundTime }
    return settings
  }

  /// Returns the background modes: those of the option, else of the property list, else `audio`.
  func readBackgroundModes() throws(InfoPlistError) -> BackgroundModes {
    if let backgroundModes { return BackgroundModes(list: backgroundModes) }
    if let infoPlist { return try BackgroundModes(infoPlist: infoPlist) }
    return BackgroundModes([.audio])
  }

  /// Returns the background modes and prints their warnings. Ends the command if they cannot be read.
  func backgroundModesOrExit() throws -> BackgroundModes {
    let modes = try ExitStatus.usage.orExit(nil, readBackgroundModes)
    for warning in modes.warnings { StandardOutput.complain(warning) }
    return modes
  }
}

extension Double {
  /// Parses the value of an option that is a time in seconds, `least` or more.
  init(seconds text: String, least: Double = 0) throws(SyntaxError) {
    guard let time = TimeText.parse(text) else {
      throw SyntaxError("\"\(text)\" is not a time like 30, 2.5 or 3:00")
    }
    guard time.inSeconds >= least else {
      throw SyntaxError("\(text) is below the minimum of \(Int(least)) s")
    }
    self = time.inSeconds
  }
}
