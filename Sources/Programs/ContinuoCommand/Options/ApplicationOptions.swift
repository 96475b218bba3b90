import AppLifecycle
import TextFormatting

extension PlayerOptions {
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
