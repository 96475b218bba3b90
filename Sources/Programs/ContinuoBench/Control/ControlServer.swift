import Foundation

/// A running server that speaks MPD's protocol.
struct ControlServer {
  let name: String
  let process: Child
  private let folder: String

  /// The time limit for a server to start, and for playback to begin, in seconds.
  static let startLimit = 20.0
  /// The number of songs in one command list. With 200 bytes each, a list stays below its limit of 2 MiB.
  static let listLength = 10_000

  /// Starts the program and waits until it accepts a connection.
  init(_ program: ServerProgram, bench: Bench) throws {
    folder = try Takedown.makeFolder(bench.scratch + "/\(program.name)")
    name = program.name
    process = try Child(
      program.command(folder), environment: bench.plainEnvironment, log: folder + "/standard-error")
    let deadline = monotonicSeconds() + Self.startLimit
    while monotonicSeconds() < deadline, process.exit == nil {
      if (try? ControlConnection(path: folder + "/socket")) != nil { return }
      usleep(5_000)
    }
    let exit = try process.terminate()
    throw process.failure("does not serve", exit)
  }

  func stop() { _ = try? process.terminate() }

  /// Opens a client connection. A server with a hundred clients refuses further ones until it notices that a
  /// client has left, so refused connections are retried for 5 s.
  func connect() throws -> ControlConnection {
    let deadline = monotonicSeconds() + 5
    while true {
      do { return try ControlConnection(path: folder + "/socket") } catch {
        guard monotonicSeconds() < deadline, process.exit == nil else { throw error }
        usleep(5_000)
      }
    }
  }

  /// Adds songs at the end of the queue, in command lists. Returns when their tags are known.
  func add(_ files: [String], by connection: ControlConnection) throws {
    for start in stride(from: 0, to: files.count, by: Self.listLength) {
      let part = files[start..<min(start + Self.listLength, files.count)]
      try connection.ask(Self.list(of: part), seconds: 60)
    }
    try awaitTags(by: connection)
  }

  /// Returns a command list that adds all files, without the last newline.
  static func list(of files: some Sequence<String>) -> String {
    "command_list_begin\n" + files.map { add($0) + "\n" }.joined() + "command_list_end"
  }

  /// Returns the command for a file or an `http` URL. Clients of a Unix socket may use `file://`, so that neither a
  /// music folder nor a database is needed.
  static func add(_ song: String) -> String {
    let url = song.hasPrefix("http:") ? song : "file://" + song
    let escaped = url.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
      of: "\"", with: "\\\"")
    return "add \"\(escaped)\""
  }

  /// Waits until the tags of the last song were read, 120 s at most. mpd reads them before it replies to
  /// `add`.
  func awaitTags(by connection: ControlConnection) throws {
    let count = try connection.count("playlistlength")
    try waitUntil("the tags of song \(count - 1) came", seconds: 120, pause: 2_000) {
      try connection.ask("playlistinfo \(count - 1)").value("Last-Modified") != nil
    }
  }

  /// Plays the first song from its beginning. Returns when the elapsed time advances.
  func play(by connection: ControlConnection) throws {
    try connection.ask("play 0")
    try waitUntil("it plays", seconds: Self.startLimit) {
      let status = try connection.ask("status")
      return status.value("state") == "play" && status.value("elapsed").flatMap(Double.init) ?? 0 > 0.1
    }
  }

  /// The CPU time so far, in seconds.
  func cpuSeconds() throws -> Double {
    guard let seconds = process.cpuSeconds else { throw BenchError("its CPU time cannot be read") }
    return seconds
  }

  /// The resident memory, in megabytes.
  func residentMB() throws -> Double {
    guard let size = process.residentKiB else { throw BenchError("its memory cannot be read") }
    return Double(size) * 1_024 / 1_000_000
  }
}

extension ControlConnection {
  /// Returns the value of a number in `status`.
  func count(_ name: String) throws -> Int {
    let status = try ask("status")
    guard let count = status.value(name).flatMap({ Int($0) }) else {
      throw BenchError("status without \(name): \(status.text)")
    }
    return count
  }
}
