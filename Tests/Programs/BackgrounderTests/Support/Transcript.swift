import Foundation
import PulseTestSupport
import Testing

/// All that a `Backgrounder` printed. The lines of the system begin with "> " here, in place of their time.
///
/// System and application print from processes and threads of their own. So what happens at the same time may be printed in
/// either order; each side for itself is in order, and where one waits for the other both together are.
struct Transcript: Sendable {
  /// All lines.
  let lines: [String]
  /// Standard error.
  let errors: [String]

  init(_ log: Run.Log) {
    lines = log.output.map { line in
      guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return line }
      return ">" + line[line.index(after: end)...]
    }
    errors = log.errors
  }

  /// The system's lines.
  var system: [String] { lines.filter { $0.hasPrefix("> ") } }
  /// The application's lines.
  var application: [String] { lines.filter { !$0.hasPrefix("> ") } }

  /// What the application printed after one line of the system and before another. The lines are looked for one after
  /// the other, each behind the one before.
  func application(after path: String..., before end: String) throws -> [String] {
    var rest = lines[...]
    for line in path {
      let index = try #require(rest.firstIndex(of: line), "\(line) is not in \(lines)")
      rest = rest[(index + 1)...]
    }
    let index = try #require(rest.firstIndex(of: end), "\(end) is not behind \(path) in \(lines)")
    return rest[..<index].filter { !$0.hasPrefix("> ") }
  }

  // MARK: What the system prints

  /// A launch.
  static let launch = ["> launch", "> state inactive", "> call didFinishLaunching"] + inFront
  /// The home button, up to the call that the application gets.
  static let home = ["> home", "> call willResignActive", "> state inactive", "> call didEnterBackground"]
  /// The way back to the front, up to the call that the application gets.
  static let foreground = [
    "> foreground", "> call willEnterForeground", "> state inactive", "> call didBecomeActive",
  ]
  /// The end of a launch.
  private static let inFront = ["> call didBecomeActive", "> state active"]
}

extension Run {
  /// Runs Backgrounder with these arguments. With `--script -` among them it does what is typed.
  convenience init(_ arguments: [String], server: String? = nil) throws {
    try self.init("Backgrounder", arguments, server: server, takesInput: true)
  }

  /// The process of the application on the phone that this program is.
  func application() throws -> pid_t {
    let path = "/proc/\(child.identifier)/task/\(child.identifier)/children"
    let children = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
    return try #require(
      children.compactMap { pid_t($0) }.first {
        (try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8))?.contains("--phone-start")
          == true
      })
  }

  /// Waits until it has printed a line for which `matches` holds, the first of them or a later one, and returns that.
  @discardableResult
  func line(number: Int = 1, _ matches: @escaping @Sendable (String) -> Bool) async throws -> String {
    let found = try await log.wait(for: "a line") { $0.output.count(where: matches) >= number }
    return found.output.filter(matches)[number - 1]
  }

  /// Waits until it has printed this line of the application's, or this one of the system's without its time, so many times.
  func printed(_ text: String, times: Int = 1) async throws {
    _ = try await log.wait(for: "\(times) times \"\(text)\"") { log in
      log.output.count { $0 == text || $0.hasSuffix("] \(text)") } >= times
    }
  }

  /// Waits for its end and returns all that it printed.
  func ended(status: Int32 = 0) async throws -> Transcript {
    Transcript(try await finished(status: status))
  }

  /// Switches the phone off and returns all that was printed.
  func quit(status: Int32 = 0) async throws -> Transcript {
    type("quit")
    return try await ended(status: status)
  }
}
