import AppLifecycle
import ArgumentParser

/// An action of a person or of the system on the phone, and its time.
struct Press: Hashable, Sendable {
  enum Action: String, Hashable, Sendable, CaseIterable {
    /// Taps the screen's button; without effect on an application that is not active.
    case tap
    /// Acts like `tap`, under a name that suits a player's button.
    case play
    /// Selects a tab of the screen `tabs`.
    case tab1, tab2, tab3, tab4
    /// Presses the home button.
    case home
    case foreground
    case lock
    case unlock
    /// Begins a phone call, which interrupts the application's sound.
    case call
    /// Ends the call; interrupted sound may resume.
    case hangup
    /// Sends a memory warning.
    case memory
    /// Performs a background fetch; an application in the foreground enters the background first.
    case fetch
    /// Runs the refresh task that the application has scheduled.
    case refresh
    /// Runs the processing task that the application has scheduled.
    case process
    /// Expires the scheduled task of the last `refresh` or `process`.
    case expire
    case terminate
    /// Launches the application, for the first time or again.
    case launch
    /// Switches the phone off.
    case quit

    /// Returns the event that the phone carries out; nil for `quit`. `lastTask` identifies the task of the
    /// last `refresh` or `process`.
    func happening(lastTask: String) -> LifecycleHappening? {
      switch self {
      case .tap, .play, .tab1, .tab2, .tab3, .tab4: .touch(rawValue)
      case .home: .home
      case .foreground: .foreground
      case .lock: .lock
      case .unlock: .unlock
      case .call: .interruptionBegan
      case .hangup: .interruptionEnded(shouldResume: true)
      case .memory: .memoryWarning
      case .fetch: .fetch
      case .refresh: .launchTask(RefreshScreen.refresh)
      case .process: .launchTask(RefreshScreen.cleaning)
      case .expire: .expireTask(lastTask)
      case .terminate: .terminate
      case .launch: .launch
      case .quit: nil
      }
    }

    /// The number of a tab, from 0; nil for another action.
    var tab: Int? { rawValue.hasPrefix("tab") ? Int(rawValue.dropFirst(3)).map { $0 - 1 } : nil }
  }

  var action: Action
  /// The time after the launch or, with `--no-launch`, after the start of the script, in seconds.
  var time: Double
}

extension Press {
  /// The latest time that is accepted, in seconds.
  private static let latest = 100_000.0

  /// Parses a press such as `home@3` or `foreground@6.5`.
  init(parsing text: some StringProtocol) throws(ValidationError) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = Double(parts[1]), (0...Self.latest).contains(time) else {
      throw ValidationError("\"\(text)\" is not WORD@SECONDS, as in home@3")
    }
    guard let action = Action(rawValue: String(parts[0])) else {
      let words = Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("unknown word \"\(parts[0])\"; known ones are \(words)")
    }
    self.init(action: action, time: time)
  }

  /// Returns the presses in a text, which are separated by white space.
  static func script(_ text: String) throws(ValidationError) -> [Press] {
    try text.split(whereSeparator: \.isWhitespace).map { word throws(ValidationError) in
      try Press(parsing: word)
    }
  }
}
