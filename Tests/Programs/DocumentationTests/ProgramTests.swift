import CTestSupport
import Foundation
import PulseOutput
import PulseTestSupport
import SystemSupport
import TestSupport
import Testing

/// The programs on the documentation's pages, built as they stand there.
@Suite("The documentation's programs", .blocksThread, .timeLimit(.minutes(10)))
struct ProgramTests {
  private static let players = ["PlayerWithDispatchMain", "PlayerWithAsyncMain"]

  /// A server, what it plays, and two songs.
  private final class Stage {
    let folder: TemporaryFolder
    let server: PrivatePulseServer
    let capture: MonitorCapture
    var songs: [String] = []

    init(duration: Double) async throws {
      folder = try TemporaryFolder()
      server = try PrivatePulseServer()
      capture = try MonitorCapture(address: server.address, sink: server.configuration.sink)
      try await capture.started()
      for seed in 1...2 as ClosedRange<UInt64> {
        songs.append(try await Song(duration: duration, seed: seed).write(into: folder.path))
      }
    }

    deinit {
      capture.stop()
      server.stop()
    }
  }

  @Test("Getting started: they play what they are given, and end", arguments: players)
  func plays(program: String) async throws {
    let stage = try await Stage(duration: 0.5)
    let songs = stage.songs
    let log = try await Run(program, songs, server: stage.server.address).finished()
    #expect(log.errors.isEmpty)
    let names = songs.map { URL(fileURLWithPath: $0).lastPathComponent }
    #expect(log.output.filter { $0.hasSuffix(".mp3") } == names)
    if program == "PlayerWithDispatchMain" {
      for tenth in ["0.0", "0.1", "0.2", "0.3", "0.4"] { #expect(log.output.count { $0 == tenth } >= 2) }
    } else {
      #expect(log.output.prefix(2) == names.map { "\($0): 0.5 s" }[...])
    }
    expectSame(Sound(try await stage.capture.untilSilence()).trimmed, try await Sound.mpg123(songs).trimmed)
  }

  @Test("Getting started: they say once, not at each attempt, that no server answers", arguments: players)
  func withoutServer(program: String) async throws {
    let folder = try TemporaryFolder()
    let song = try await Song(duration: 0.5).write(into: folder.path)
    let door = try SlammedDoor(folder.file("native"))
    let run = try Run(program, [song], server: "unix:\(folder.file("native"))")
    _ = try await door.knocks.wait(for: "a third attempt") { $0 >= 3 }
    _ = try await run.log.wait(for: "a word about it") { !$0.errors.isEmpty }
    run.child.signal(SIGTERM)
    let log = try await run.finished(status: 128 + SIGTERM)
    #expect(log.errors.count == 1, "\(log)")
    let line = log.errors.first ?? ""
    #expect(
      line.hasPrefix("Continuo: no sound from PulseAudio at unix:\(folder.file("native")): "), "\(line)")
    #expect(line.contains(" Players wait for it. Start a server "), "\(line)")
  }

  @Test("Your application on a Device: the music goes on over the home button")
  func applicationOnADevice() async throws {
    let stage = try await Stage(duration: 1)
    let log = try await Run("ApplicationOnADevice", stage.songs, server: stage.server.address).finished()
    #expect(log.errors.isEmpty)
    expectSame(
      Sound(try await stage.capture.untilSilence()).trimmed, try await Sound.mpg123(stage.songs).trimmed)
    // Whether the music ends before the application is back in front, so that it is suspended, is up to the machine.
    let states = log.output.filter { $0.hasPrefix("state ") && $0 != "state suspended" }
    #expect(
      states
        == ["inactive", "active", "inactive", "background", "inactive", "active", "notRunning"].map {
          "state \($0)"
        })
  }

  @Test("Choosing an output: files are rendered to a WAV file, all of them")
  func renderToFile() async throws {
    let stage = try await Stage(duration: 1)
    let file = stage.folder.file("all.wav")
    let log = try await Run("RenderToFile", [file] + stage.songs).finished()
    #expect(log.errors.isEmpty && log.output.isEmpty)
    // Two seconds of two channels in floats, behind a header of at most 100 bytes.
    let extra = try stage.folder.read("all.wav").count - 2 * 44100 * 2 * 4
    #expect((44...100).contains(extra))

    let refused = try await Run("RenderToFile", [stage.folder.file("missing/all.wav")] + stage.songs)
      .finished(status: 1)
    #expect(refused.output.count == 1 && refused.output[0].contains("missing/all.wav"), "\(refused)")
  }
}

/// A server that hangs up on whoever connects, and counts them.
private final class SlammedDoor {
  let knocks = Observed(0)
  private let source: any DispatchSourceRead

  init(_ path: String) throws {
    let socket = unixSocket()
    guard UnixAddress.with(path, { bind(socket, $0, $1) }) == 0, listen(socket, 8) == 0 else {
      throw Failure("\(path): \(String(cString: strerror(errno)))")
    }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    let source = DispatchSource.makeReadSource(fileDescriptor: socket)
    source.setEventHandler { [knocks] in
      let connection = continuo_test_accept(socket)
      guard connection >= 0 else { return }
      close(connection)
      knocks.update { $0 += 1 }
    }
    source.setCancelHandler { close(socket) }
    source.resume()
    self.source = source
  }

  deinit { source.cancel() }
}
