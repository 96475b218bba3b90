import Clocks
import Foundation
import PulseTestSupport

/// A `continuo` that runs, and what it has said so far.
final class Player: Sendable {
  /// What it has said so far.
  struct Log: Sendable, CustomStringConvertible {
    /// Lines of standard output.
    var output: [String] = []
    /// Lines of standard error.
    var errors: [String] = []
    /// What it wrote to `--events`.
    var events: [SeenEvent] = []
    /// Lines there that are none.
    var strayLines: [String] = []

    var description: String {
      "errors \(errors), output \(output.suffix(5)), events \(events.withoutTime), last "
        + "\(events.last.map { "\($0)" } ?? "none"), no events \(strayLines.prefix(3))"
    }
  }

  let child: Child
  let log = Observed(Log())
  private let readers: [DescriptorReader]
  private let eventReader: DescriptorReader?

  /// Runs it with these arguments. `--events` is added unless the arguments have it, or `hasEvents` is false.
  init(
    _ arguments: [String], environment: [String: String], folder: String, hasEvents: Bool = true,
    eventPipeBytes: Int32? = nil, input: String = "", terminal: PseudoTerminal? = nil
  ) throws {
    var arguments = [product("continuo")] + arguments
    let log = self.log
    var readers: [DescriptorReader] = []
    if hasEvents, !arguments.contains("--events") {
      // A named pipe, so that each event is seen when it comes. Open for writing too: else it ends before it begins.
      let path = "\(folder)/events-\(UUID().uuidString)"
      guard mkfifo(path, 0o600) == 0 else { throw Failure("no named pipe") }
      let pipe = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      if let eventPipeBytes { _ = fcntl(pipe, 1031 /* F_SETPIPE_SZ */, eventPipeBytes) }
      arguments += ["--events", path]
      let reader = DescriptorReader(linesOf: pipe) { line in log.update { $0.addEvent(line) } }
      eventReader = reader
      readers.append(reader)
    } else {
      eventReader = nil
    }

    if let terminal {
      self.readers = readers
      child = try Child(arguments, environment: environment, streams: .terminal(path: terminal.path))
      return
    }
    let eventsGoToOutput = arguments.firstIndex(of: "--events").map { arguments[$0 + 1] } == "-"
    let (inputEnd, inputWriter) = try Self.pipe()
    let (outputReader, output) = try Self.pipe()
    let (errorReader, error) = try Self.pipe()
    defer { for end in [inputEnd, output, error] { close(end) } }
    readers.append(
      DescriptorReader(linesOf: outputReader) { line in
        log.update { if eventsGoToOutput { $0.addEvent(line) } else { $0.output.append(line) } }
      })
    readers.append(DescriptorReader(linesOf: errorReader) { line in log.update { $0.errors.append(line) } })
    self.readers = readers
    child = try Child(
      arguments, environment: environment,
      streams: .descriptors(input: inputEnd, output: output, error: error))
    // Short enough for any pipe.
    _ = input.withCString { write(inputWriter, $0, strlen($0)) }
    close(inputWriter)
  }

  private static func pipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure("no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// All events so far.
  var events: [SeenEvent] { log.value.events }

  /// Waits until an event fits, and returns it.
  @discardableResult
  func seen(
    _ what: String, limit: Double = 120, _ condition: @escaping @Sendable (PlayerEvent) -> Bool
  ) async throws -> SeenEvent {
    let log = try await log.wait(for: what, limit: limit) { $0.events.contains { condition($0.event) } }
    guard let event = log.events.first(where: { condition($0.event) }) else { throw Failure(what) }
    return event
  }

  /// Waits until a time step of this item, or a later one, was seen.
  @discardableResult
  func reached(_ hundredths: Int64, of index: Int = 0, limit: Double = 120) async throws -> SeenEvent {
    try await seen("step \(hundredths) of item \(index)", limit: limit) { event in
      if case .time(index, let value, 100, _) = event { value >= hundredths } else { false }
    }
  }

  /// Waits for its end. What it said is complete then.
  @discardableResult
  func ended(limit: Double = 120) async throws -> Child.End {
    do {
      let end = try await child.ended(limit: limit)
      for reader in readers { reader.finish() }
      return end
    } catch {
      throw Failure("\(error): \(log.value)")
    }
  }

  /// Sends it a signal and returns how it ended and how many seconds that took.
  func ended(by signal: Int32, limit: Double = 120) async throws -> (end: Child.End, seconds: Double) {
    let start = SystemClock.shared.now
    child.signal(signal)
    let end = try await ended(limit: limit)
    return (end, end.time.seconds(since: start))
  }

  /// Leaves its events unread until `resumeEvents`.
  func pauseEvents() { eventReader?.pause() }

  /// Reads its events again.
  func resumeEvents() { eventReader?.resume() }

  /// Kills it if it still runs.
  func kill() { child.signal(SIGKILL) }
}

extension Player.Log {
  /// Lines about the device and the run, which have tests of their own.
  private static let others = [
    "begin", "command", "device", "backgroundTask", "fetchEnded", "interruption", "terminated", "refused",
  ]

  fileprivate mutating func addEvent(_ line: String) {
    if Self.others.contains(where: { line.hasPrefix("{\"event\":\"\($0)\",") }) { return }
    if let event = SeenEvent(line: line) { events.append(event) } else { strayLines.append(line) }
  }
}
