import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport

/// Songs, a sound server, and a capture of its sound.
struct AudioStage {
  let folder: TemporaryFolder
  let server: PrivatePulseServer
  let capture: MonitorCapture
  var paths: [String] = []
  var names: [String] { paths.map { URL(fileURLWithPath: $0).lastPathComponent } }

  init(durations: [Double]) async throws {
    folder = try TemporaryFolder()
    server = try PrivatePulseServer()
    capture = try MonitorCapture(address: server.address, sink: server.configuration.sink)
    try await capture.started()
    for (index, duration) in durations.enumerated() {
      paths.append(
        try await PulseTestSupport.Song(duration: duration, seed: UInt64(index + 1)).write(
          into: folder.path))
    }
  }

  func close() {
    capture.stop()
    server.stop()
    folder.remove()
  }

  /// Runs the screen with these songs.
  func run(_ arguments: [String], server address: String? = nil) throws -> Run {
    try Run(["audio", "--script", "-"] + arguments + paths, server: address ?? server.address)
  }
}
