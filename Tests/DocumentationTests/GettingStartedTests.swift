import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

@Suite("The programs of Getting started", .serialized, .timeLimit(.minutes(5)))
struct GettingStartedTests {
  private static let programs = ["PlayerWithDispatchMain", "PlayerWithAsyncMain"]

  @Test("play what they are given and end", arguments: programs)
  func plays(program: String) async throws {
    let folder = try TemporaryFolder()
    let server = try PrivatePulseServer()
    defer { server.stop() }
    let capture = try MonitorCapture(address: server.address, sink: server.configuration.sink)
    defer { capture.stop() }
    try await capture.started()
    var songs: [String] = []
    for seed in 1...2 as ClosedRange<UInt64> {
      songs.append(try await Song(duration: 0.5, seed: seed).write(into: folder.path))
    }

    let log = try await Run(program, songs, server: server.address).finished()
    #expect(log.errors.isEmpty)
    let names = songs.map { URL(fileURLWithPath: $0).lastPathComponent }
    #expect(log.output.filter { $0.hasSuffix(".mp3") } == names)
    if program == "PlayerWithDispatchMain" {
      for tenth in ["0.0", "0.1", "0.2", "0.3", "0.4"] { #expect(log.output.count { $0 == tenth } >= 2) }
    } else {
      #expect(log.output.prefix(2) == names.map { "\($0): 0.5 s" }[...])
    }
    expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(songs).trimmed)
  }

  @Test("say once, not at each attempt, that no sound server answers", arguments: programs)
  func withoutServer(program: String) async throws {
    let folder = try TemporaryFolder()
    let song = try await Song(duration: 0.5).write(into: folder.path)
    let door = try SlammedDoor(folder.file("native"))
    let run = try Run(program, [song], server: "unix:\(folder.file("native"))")
    _ = try await door.knocks.wait(for: "a third attempt", limit: 20) { $0 >= 3 }
    _ = try await run.log.wait(for: "a word about it", limit: 20) { !$0.errors.isEmpty }
    run.child.signal(SIGTERM)
    let log = try await run.finished(status: 128 + SIGTERM)
    #expect(log.errors.count == 1, "\(log)")
    let line = log.errors.first ?? ""
    #expect(
      line.hasPrefix("Continuo: no sound from PulseAudio at unix:\(folder.file("native")): "), "\(line)")
    #expect(line.contains(" Players wait for it. Start a server "), "\(line)")
  }
}

/// A server that hangs up on whoever connects, and counts them.
private final class SlammedDoor {
  let knocks = Observed(0)
  private let source: any DispatchSourceRead

  init(_ path: String) throws {
    let socket = unixSocket()
    guard withUnixAddress(path, { bind(socket, $0, $1) }) == 0, listen(socket, 8) == 0 else {
      throw Failure("\(path): \(String(cString: strerror(errno)))")
    }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    let source = DispatchSource.makeReadSource(fileDescriptor: socket)
    source.setEventHandler { [knocks] in
      let connection = accept(socket, nil, nil)
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
