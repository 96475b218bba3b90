import ArgumentParser

/// One thing that a person or the system does to the phone, and when.
struct Press: Hashable, Sendable {
  /// What can be done.
  enum Action: String, Hashable, Sendable, CaseIterable {
    /// Taps the screen's button; without effect on an application that is not active.
    case tap
    /// The same as the tap, under the name that fits a player's button.
    case play
    /// The home button.
    case home
    /// The application is brought to the front.
    case foreground
    /// The screen is locked.
    case lock
    /// The screen is unlocked.
    case unlock
    /// A call comes in.
    case call
    /// The call ends; what it interrupted may resume.
    case hangup
    /// Memory is short.
    case memory
    /// The system finds it time for a background fetch.
    case fetch
    /// The system finds it time for the refresh task that the application has scheduled.
    case refresh
    /// The system finds it time for the processing task that the application has scheduled.
    case process
    /// The system needs the time of the scheduled task that began last.
    case expire
    /// The system ends the application.
    case terminate
    /// The application is started, again.
    case launch
    /// The phone is switched off.
    case quit
  }

  var action: Action
  /// Seconds after the start.
  var time: Double
}

extension Press {
  /// The longest time that is accepted.
  private static let latest = 100_000.0

  /// Reads `home@3` or `foreground@6.5`.
  init(parsing text: some StringProtocol) throws(ValidationError) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = Double(parts[1]), (0...Self.latest).contains(time) else {
      throw ValidationError("\"\(text)\" is not WORD@SECONDS, as in home@3")
    }
    guard let action = Action(rawValue: String(parts[0])) else {
      let words = Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("unknown word \"\(parts[0])\"; known ones are \(words)")
    }
    self.action = action
    self.time = time
  }

  /// Reads several, with spaces between.
  static func script(_ text: String) throws(ValidationError) -> [Press] {
    var presses: [Press] = []
    for word in text.split(whereSeparator: \.isWhitespace) { presses.append(try Press(parsing: word)) }
    return presses
  }
}
