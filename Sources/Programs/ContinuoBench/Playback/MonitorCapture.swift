import Foundation
import Synchronization

/// Sound captured from the sink's monitor, with its times of arrival.
struct Recording {
  /// The samples, stereo and interleaved.
  var samples: [Float]
  /// The first frame of each burst in which sound arrived, and the time of its arrival.
  var bursts: [(frame: Int, time: Double)]

  var frameCount: Int { samples.count / 2 }

  /// Returns the time at which a frame is heard, in CLOCK_MONOTONIC seconds, as a line over the frame's
  /// number.
  ///
  /// The null sink wakes up when the last block that it rendered has been heard. It renders the next block
  /// and passes it to its monitor immediately, so the first frame of a burst is heard when the burst is
  /// rendered. The burst arrives here after a delay through server, parec and pipe, which is never negative
  /// and mostly short. The line below all arrivals is the sink's clock plus the shortest delay (0.1 to 0.2 ms
  /// on an idle machine).
  func heardTime() throws -> Line {
    guard let line = Line.lowerSupport(bursts.map { (Double($0.frame), $0.time) }) else {
      throw BenchError("too little was captured")
    }
    return line
  }

  /// Returns the first frame louder than -80 dBFS; nil if there is none.
  func firstSound(from frame: Int = 0) -> Int? {
    samples[(frame * 2)...].firstIndex { abs($0) > 1e-4 }.map { $0 / 2 }
  }
}

/// Captures the monitor of the server's sink through parec, from `init` to `stop`.
final class MonitorCapture: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var bursts: [(frame: Int, time: Double)] = []
    var lastArrival = -Double.infinity
    var loud = false
    var ended = false
  }

  private static let frameBytes = 8
  private let state = Mutex(State())
  private let parec: Child
  private let pipe: Int32

  /// Starts the capture and waits until sound, usually silence, arrives steadily: 5 s at most.
  init(_ server: AudioServer) throws {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw BenchError("no pipe") }
    // Programs are started by this thread alone, so that none inherits the descriptors in between.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    pipe = ends[0]
    do {
      // The option --latency would change the size of the sink's blocks. parec passes blocks on immediately
      // without it.
      parec = try Child(
        [
          try server.tools.require("parec"), "--raw", "--format=float32le", "--rate=44100", "--channels=2",
          "--device=\(AudioServer.sink).monitor",
        ], environment: server.clientEnvironment, output: ends[1], log: server.scratch + "/parec.log")
    } catch {
      close(ends[0])
      throw error
    }
    Thread.detachNewThread { [self] in readAll() }
    try wait(seconds: 5, for: "sound from the monitor") { $0.bursts.count >= 8 }
  }

  /// Waits for the first sound. Throws if the player ends earlier.
  func waitForSound(of player: Child, seconds: Double) throws {
    try wait(seconds: seconds, for: "the first sound") { state in
      if let exit = player.exit, !state.loud { throw player.failure("ended before its first sound", exit) }
      return state.loud
    }
  }

  /// Ends the capture and returns the recording.
  func stop() throws -> Recording {
    _ = try parec.terminate()
    try wait(seconds: 5, for: "the end of the capture", failsAtEnd: false) { $0.ended }
    return state.withLock { state in
      let whole = state.bytes.count / Self.frameBytes * Self.frameBytes
      let samples = state.bytes[..<whole].withUnsafeBytes { bytes in
        (0..<whole / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
      }
      return Recording(samples: samples, bursts: state.bursts)
    }
  }

  private func wait(
    seconds: Double, for what: String, failsAtEnd: Bool = true,
    until condition: (borrowing State) throws -> Bool
  ) throws {
    let deadline = monotonicSeconds() + seconds
    while true {
      let (reached, ended) = try state.withLock { (try condition($0), $0.ended) }
      if reached { return }
      if ended, failsAtEnd { throw BenchError("parec ended while waiting for \(what)") }
      if monotonicSeconds() > deadline { throw BenchError("waited \(fixed(seconds, 0)) s for \(what)") }
      usleep(5_000)
    }
  }

  /// Runs on a separate thread, since only the time of arrival matters here.
  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var poller = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, -1) >= 0 || errno == EINTR else { break }
      let now = monotonicSeconds()
      let count = read(pipe, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      state.withLock { state in
        // Pieces of one block arrive within a millisecond; blocks are tens of milliseconds apart.
        if now - state.lastArrival > 0.008 { state.bursts.append((state.bytes.count / Self.frameBytes, now)) }
        state.lastArrival = now
        state.bytes.append(contentsOf: buffer[..<count])
        if !state.loud { state.loud = buffer[..<count].contains { $0 != 0 } }
      }
    }
    close(pipe)
    state.withLock { $0.ended = true }
  }
}
