import Foundation
import PulseTestSupport
import TestSupport

/// Where a test runs servers and clients: a folder with a few songs, and the processes. `close` takes it all down.
final class Hall {
  private let temporary: TemporaryFolder
  private var children: [Child] = []
  /// The `continuo serve` that was started last.
  private(set) var server: Child?
  /// What programs that run in the background have said.
  private var readers: [DescriptorReader] = []

  /// The songs' length in seconds: longer than any test plays one.
  static let songLength = 40

  /// Makes the folder and the songs.
  init() async throws {
    temporary = try TemporaryFolder()
    for name in ["music", "run", "home", "playlists", "mpd/playlists"] {
      try FileManager.default.createDirectory(
        atPath: "\(temporary.path)/\(name)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    // A picture as far as anybody looks at it, larger than one chunk of binary data.
    var state: UInt32 = 1
    let noise = (0..<20_000).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + noise)
    try picture.write(to: URL(fileURLWithPath: "\(folder)/picture.png"))
    try await write(
      "a.mp3", tone: 300,
      ["--tt", "Song A", "--ta", "Artist A", "--tl", "Album X", "--tn", "1", "--ty", "2024", "--tg", "Test"])
    try await write(
      "b.mp3", tone: 400,
      [
        "--tt", "Song B", "--ta", "Artist B", "--tl", "Album X", "--tn", "2/9", "--ti",
        "\(folder)/picture.png",
      ])
    try await write("it's \"quoted\".mp3", tone: 500, ["--tl", "Album X", "--tn", "3"])
    try await write("sub/c.mp3", tone: 600, [])
    try Data("a.mp3\nsub/c.mp3\n".utf8).write(to: URL(fileURLWithPath: "\(music)/list.m3u"))
  }

  /// Adds a song, with LAME's options for its tags.
  func write(_ name: String, tone: Int, _ tags: [String]) async throws {
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: "\(music)/\(name)").deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    let path = "\(music)/\(name)"
    let key = "\(tone) " + tags.joined(separator: " ").replacingOccurrences(of: folder, with: "")
    let song = try await Self.encoded.value(of: key) {
      let folder = try TemporaryFolder()
      let wave = folder.file("song.wav")
      _ = try await output(of: [
        "sox", "-n", "-r", "24000", "-c", "1", "-b", "16", wave, "synth", "\(Self.songLength)", "sine",
        "\(tone)",
      ])
      let tagging = tags.isEmpty ? [] : ["--id3v2-only"] + tags
      _ = try await output(
        of: ["lame", "--quiet", "-q", "9", "-b", "32"] + tagging + [wave, folder.file("song.mp3")])
      return try Data(contentsOf: URL(fileURLWithPath: folder.file("song.mp3")))
    }
    try song.write(to: URL(fileURLWithPath: path))
  }

  /// What was encoded in this process: most tests have the same songs.
  private static let encoded = MadeOnce<String, Data>()

  /// For the test's files.
  var folder: String { temporary.path }
  /// The songs: a, b, sub/c and one whose name has quotes, and list.m3u.
  var music: String { "\(folder)/music" }

  /// Where Continuo keeps its playlists, and mpd.
  var playlists: String { "\(folder)/playlists" }
  var playlistsOfMPD: String { "\(folder)/mpd/playlists" }

  /// What programs find in their environment: nothing of the user's.
  var environment: [String: String] {
    searchPaths.merging([
      "HOME": "\(folder)/home", "XDG_RUNTIME_DIR": "\(folder)/run", "LC_ALL": "C.UTF-8",
      "TERM": "xterm-256color",
    ]) { $1 }
  }

  // MARK: Servers

  /// Starts `continuo serve` in the songs' folder and returns its socket when it knows them.
  func startContinuo(
    _ options: [String] = ["--output", "simulated"], environment: [String: String] = [:]
  ) async throws -> String {
    let socket = "\(folder)/continuo/socket"
    server = try start(
      [
        product("continuo"), "serve", "--state", "\(folder)/state", "--home", music, "--playlists", playlists,
        "--socket", socket,
      ] + options, environment: environment)
    try await answers(socket)
    // It may answer before it begins to look for songs.
    _ = try ControlConnection(socket).ask("update")
    try waitForSongs(socket)
    return socket
  }

  /// Waits until a server knows the songs.
  private func waitForSongs(_ socket: String) throws {
    let connection = try ControlConnection(socket)
    while try connection.ask("status").contains(where: { $0.hasPrefix("updating_db") }) {
      _ = try connection.ask("idle update")
    }
  }

  /// Starts an mpd for the songs, without sound, and returns its socket when it knows them. `settings`: what its file of
  /// settings says besides.
  func startMPD(_ settings: String = "") async throws -> String {
    let own = "\(folder)/mpd"
    let configuration = """
      music_directory "\(music)"
      playlist_directory "\(playlistsOfMPD)"
      db_file "\(own)/database"
      sticker_file "\(own)/stickers"
      bind_to_address "\(own)/socket"
      audio_output {
        type "null"
        name "null"
        mixer_type "software"
      }
      \(settings)
      """
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: "\(own)/configuration"))
    _ = try start(["mpd", "--no-daemon", "--stderr", "\(own)/configuration"])
    try await answers("\(own)/socket")
    _ = try ControlConnection("\(own)/socket").ask("update")
    try waitForSongs("\(own)/socket")
    return "\(own)/socket"
  }

  private func answers(_ socket: String, limit: Double = 120) async throws {
    let deadline = ContinuousClock.now + .seconds(limit)
    while true {
      do {
        _ = try ControlConnection(socket)
        return
      } catch {
        guard ContinuousClock.now < deadline else {
          throw Failure("nobody answers at \(socket): \(error); \(said.value.suffix(5))")
        }
        // A server tells nobody that it listens but those who try.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  // MARK: Programs

  /// What programs that run in the background have said so far.
  let said = Observed([String]())

  /// Starts a program that runs until the end of the test, or its own. Its lines go to `lines`, else to `said`.
  func start(
    _ arguments: [String], environment: [String: String] = [:], lines: Observed<[String]>? = nil
  ) throws -> Child {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer {
      close(ends[1])
      close(null)
    }
    let log = lines ?? said
    readers.append(DescriptorReader(linesOf: ends[0]) { line in log.update { $0.append(line) } })
    let child = try Child(
      arguments, environment: self.environment.merging(environment) { $1 },
      streams: .descriptors(input: null, output: ends[1], error: ends[1]))
    children.append(child)
    return child
  }

  /// What a program said, and how it ended.
  struct Answer: Sendable, CustomStringConvertible {
    let status: Int32
    /// Standard output and standard error.
    let text: String

    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var description: String { "status \(status): \(text)" }
  }

  /// Runs a program to its end.
  @discardableResult
  func run(
    _ arguments: [String], environment: [String: String] = [:], limit: Double = 120
  ) async throws -> Answer {
    let path = "\(folder)/answer-\(UUID().uuidString)"
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer {
      close(file)
      close(null)
      unlink(path)
    }
    let child = try Child(
      arguments, environment: self.environment.merging(environment) { $1 },
      streams: .descriptors(input: null, output: file, error: file))
    defer { child.signal(SIGKILL) }
    let end: Child.End
    do {
      end = try await child.ended(limit: limit)
    } catch {
      let text = FileManager.default.contents(atPath: path) ?? Data()
      throw Failure(
        "\(arguments.joined(separator: " ")): \(error); said \(String(decoding: text, as: UTF8.self))")
    }
    let text = FileManager.default.contents(atPath: path) ?? Data()
    return Answer(status: end.status, text: String(decoding: text, as: UTF8.self))
  }

  /// Ends everything that was started.
  func close() {
    for child in children.reversed() { child.signal(SIGKILL) }
    for reader in readers { reader.finish() }
    temporary.remove()
  }

  private func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}
