import Foundation

/// A running server that speaks MPD's protocol.
struct ControlServer {
  let name: String
  let process: Child
  private let folder: String

  /// How long a server may take to start, and to begin to play, in seconds.
  static let startLimit = 20.0
  /// Songs in one command list: of 200 bytes each they stay below the 2 MiB that a list may have.
  static let listLength = 10_000

  /// Starts the program and waits until it answers.
  init(_ program: ServerProgram, bench: Bench) throws {
    var template = Array((bench.scratch + "/\(program.name).XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("cannot make a folder for \(program.name)") }
    folder = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
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

  /// A new client. A server that has a hundred of them sends the next one away until it has seen an old one go: it is
  /// asked again, 5 s at most.
  func connect() throws -> ControlConnection {
    let deadline = monotonicSeconds() + 5
    while true {
      do {
        return try ControlConnection(path: folder + "/socket")
      } catch {
        guard monotonicSeconds() < deadline, process.exit == nil else { throw error }
        usleep(5_000)
      }
    }
  }

  /// Adds songs at the end of the queue, by command lists; returns when their tags are known.
  func add(_ files: [String], by connection: ControlConnection) throws {
    for start in stride(from: 0, to: files.count, by: Self.listLength) {
      let part = files[start..<min(start + Self.listLength, files.count)]
      try connection.ask(Self.list(of: part), seconds: 60)
    }
    try awaitTags(by: connection)
  }

  /// `add` of all files as one command list, without the last newline.
  static func list(of files: some Sequence<String>) -> String {
    "command_list_begin\n" + files.map { add($0) + "\n" }.joined() + "command_list_end"
  }

  static func add(_ file: String) -> String {
    let escaped = file.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
      of: "\"", with: "\\\"")
    return "add \"file://\(escaped)\""
  }

  /// Waits until the last song's file was looked at, 120 s at most. mpd does that before it answers `add`.
  func awaitTags(by connection: ControlConnection) throws {
    let count = try connection.count("playlistlength")
    let deadline = monotonicSeconds() + 120
    while monotonicSeconds() < deadline {
      if try connection.ask("playlistinfo \(count - 1)").value("Last-Modified") != nil { return }
      usleep(2_000)
    }
    throw BenchError("the tags of song \(count - 1) do not come")
  }

  /// Plays the first song from its beginning; returns when time moves.
  func play(by connection: ControlConnection) throws {
    try connection.ask("play 0")
    let deadline = monotonicSeconds() + Self.startLimit
    while monotonicSeconds() < deadline {
      let status = try connection.ask("status")
      if status.value("state") == "play", let elapsed = status.value("elapsed").flatMap(Double.init),
        elapsed > 0.1
      {
        return
      }
      usleep(10_000)
    }
    throw BenchError("does not begin to play")
  }

  /// Seconds of CPU time so far.
  func cpuSeconds() throws -> Double {
    guard let seconds = process.cpuSeconds else { throw BenchError("its CPU time cannot be read") }
    return seconds
  }

  /// Megabytes that are resident.
  func residentMB() throws -> Double {
    guard let size = process.residentKiB else { throw BenchError("its memory cannot be read") }
    return Double(size) * 1_024 / 1_000_000
  }
}

extension ControlConnection {
  /// A number of `status`.
  func count(_ name: String) throws -> Int {
    let status = try ask("status")
    guard let count = status.value(name).flatMap({ Int($0) }) else {
      throw BenchError("status without \(name): \(status.text)")
    }
    return count
  }
}
