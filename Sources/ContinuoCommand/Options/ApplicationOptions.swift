import AppLifecycle
import ArgumentParser
import TextFormatting

/// What the application is allowed.
struct ApplicationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The application's background modes, as audio,fetch, or none. (default: audio)",
      discussion: "Overrides the list in --info-plist.", valueName: "list|none"),
    completion: Completions.backgroundModes)
  var backgroundModes: String?

  @Option(
    help: ArgumentHelp(
      "Read UIBackgroundModes from a property list, as an application bundle has it.", valueName: "path"),
    completion: .file(extensions: ["plist"]))
  var infoPlist: String?

  @Option(
    help: ArgumentHelp(
      "How long background tasks may keep the application running. (default: 180)",
      discussion:
        "As SECONDS, or like 3:00. Expiration is 5 s before; a task that is open at the end costs it its life.",
      valueName: "seconds"),
    transform: BackgroundTime.init(parsing:))
  var backgroundTime: BackgroundTime?

  mutating func validate() throws {
    if infoPlist == "" { throw ValidationError("--info-plist has an empty value.") }
  }

  /// The times that the application is allowed.
  var lifecycleSettings: LifecycleSettings {
    var settings = LifecycleSettings()
    if let backgroundTime { settings.backgroundTime = backgroundTime.seconds }
    return settings
  }

  /// The application's background modes: those of the option, or else of the property list, or else `audio`.
  func readBackgroundModes() throws(InfoPlistError) -> BackgroundModes {
    if let backgroundModes { return BackgroundModes(list: backgroundModes) }
    if let infoPlist { return try BackgroundModes(infoPlist: infoPlist) }
    return BackgroundModes([.audio])
  }

  /// The same for a command, which complains of what is odd in them and ends if they cannot be read.
  func backgroundModesOrExit() throws -> BackgroundModes {
    do {
      let modes = try readBackgroundModes()
      for warning in modes.warnings { StandardOutput.complain(warning) }
      return modes
    } catch {
      StandardOutput.complain("\(error)")
      throw ExitStatus.usage.code
    }
  }
}

/// A value of `--background-time`.
struct BackgroundTime: Hashable, Sendable {
  /// 0 or more.
  let seconds: Double

  init(parsing text: String) throws(SyntaxError) {
    guard let time = TimeText.parse(text) else {
      throw SyntaxError("\"\(text)\" is not a time like 30, 2.5 or 3:00")
    }
    seconds = time.inSeconds
  }
}
