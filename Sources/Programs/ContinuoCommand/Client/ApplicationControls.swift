import ArgumentParser

/// `continuo home`.
struct Home: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "home", "Presses the home button; waits until the application is in the background.")
  static let command = "home"
  @OptionGroup var control: ControlOptions
}

/// `continuo foreground`.
struct Foreground: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "foreground", "Brings the application to the foreground; waits until it is active.")
  static let command = "foreground"
  @OptionGroup var control: ControlOptions
}

/// `continuo lock`.
struct Lock: ApplicationControl {
  static let configuration = CommandConfiguration.control("lock", "Locks the screen.")
  static let command = "lock"
  @OptionGroup var control: ControlOptions
}

/// `continuo unlock`.
struct Unlock: ApplicationControl {
  static let configuration = CommandConfiguration.control("unlock", "Unlocks the screen.")
  static let command = "unlock"
  @OptionGroup var control: ControlOptions
}

/// `continuo terminate`.
struct Terminate: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "terminate", "Terminates the application as the system does. The server keeps running.")
  static let command = "terminate"
  @OptionGroup var control: ControlOptions
}

/// `continuo launch`.
struct Launch: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "launch", "Launches the application again, with its queue.")
  static let command = "launch"
  @OptionGroup var control: ControlOptions
}
