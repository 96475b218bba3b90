import Foundation

/// A PipeWire of its own with its PulseAudio server and one null sink, in a private directory and D-Bus session.
/// Debian: pipewire, pipewire-pulse, wireplumber, dbus.
public final class PipeWireServer: Sendable {
  private let process: Process
  private let directory: String
  /// The address of its PulseAudio server.
  public let address: String
  /// The null sink's name.
  public let sink = "continuo"

  /// Starts it and waits until it has the sink.
  public init(limit: Double = 20) async throws {
    var template = Array("/tmp/continuo-pipewire-XXXXXX".utf8CString)
    directory = template.withUnsafeMutableBufferPointer {
      mkdtemp($0.baseAddress!).map { String(cString: $0) } ?? ""
    }
    address = "unix:\(directory)/pulse/native"
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Each needs the one before it. A lost parent ends them all: dbus-run-session ends with its child, and that when
    // its input closes.
    process.arguments = [
      "dbus-run-session", "--", "sh", "-c",
      """
      pipewire & a=$!
      until [ -S pipewire-0 ]; do sleep 0.01; done
      wireplumber & b=$!
      pipewire-pulse & c=$!
      until pactl --server="$1" load-module module-null-sink sink_name="$2"; do sleep 0.05; done
      until pactl --server="$1" list short sinks | grep -q "$2"; do sleep 0.05; done
      touch ready
      read word
      kill -KILL $a $b $c
      """, "sh", address, sink,
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": directory,
      "XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory, "XDG_CONFIG_HOME": directory, "LC_ALL": "C",
    ]
    process.standardInput = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = ContinuousClock.now + .seconds(limit)
    while !FileManager.default.fileExists(atPath: "\(directory)/ready") {
      guard process.isRunning, ContinuousClock.now < deadline else {
        stop()
        throw Overdue(what: "PipeWire with its PulseAudio server", limit: limit, last: "no sink")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  deinit { stop() }

  /// Ends it and removes its directory.
  public func stop() {
    try? (process.standardInput as? Pipe)?.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
