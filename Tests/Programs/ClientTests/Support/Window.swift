import PulseTestSupport
import Testing

/// A program in a window of tmux, which nobody sees.
struct Window {
  private let hall: Hall
  private let tmux: String

  /// Opens a window with a program in it. Its server's shell and settings are nobody's; the server ends with the program.
  init(
    _ hall: Hall, _ arguments: [String], environment: [String: String] = [:], columns: Int = 100
  ) async throws {
    self.hall = hall
    tmux = "\(hall.folder)/tmux"
    let answer = try await hall.run(
      [
        "tmux", "-S", tmux, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "30",
      ] + arguments, environment: environment.merging(["SHELL": "/bin/sh"]) { $1 })
    guard answer.status == 0 else { throw Failure("tmux: \(answer)") }
  }

  /// What it shows.
  func screen() async throws -> String {
    try await hall.run(["tmux", "-S", tmux, "capture-pane", "-p"]).text
  }

  /// Makes it as many columns wide.
  func resize(columns: Int) async throws {
    try await hall.run(["tmux", "-S", tmux, "resize-window", "-x", "\(columns)", "-y", "30"])
  }

  /// Presses keys, by tmux's names.
  func press(_ keys: String...) async throws {
    let answer = try await hall.run(["tmux", "-S", tmux, "send-keys", "--"] + keys)
    #expect(answer.status == 0, "\(answer)")
  }

  /// Waits until it shows all of it.
  func shows(_ texts: String..., limit: Double = 120) async throws {
    try await shows("\(texts)", limit: limit) { screen in texts.allSatisfy { screen.contains($0) } }
  }

  /// Waits until it shows what `condition` is looking for.
  func shows(_ what: String, limit: Double = 120, _ condition: (String) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(limit)
    while true {
      let screen = try await screen()
      if condition(screen) { return }
      guard ContinuousClock.now < deadline else {
        throw Failure("the screen does not show \(what):\n\(screen)")
      }
      // Nobody tells of a new picture but the picture.
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Ends it.
  func end() async {
    _ = try? await hall.run(["tmux", "-S", tmux, "kill-server"])
  }
}
