import Foundation
import Synchronization
import TestSupport

/// A PipeWire of its own with its PulseAudio server and one null sink, in a private directory and D-Bus session.
/// Debian: pipewire, pipewire-pulse, wireplumber, dbus.
package final class PipeWireServer: Sendable {
  // Not Foundation's: from some threads it hands down blocked signals, and then dbus-daemon never ends.
  private let child: Child
  /// What keeps it running while it is open.
  private let input: Mutex<Int32?>
  private let folder: TemporaryFolder
  /// The address of its PulseAudio server.
  package let address: String
  /// The null sink's name.
  package let sink = "continuo"

  /// Starts it and waits until it has the sink.
  package init(limit: Double = 120) async throws {
    folder = try TemporaryFolder()
    let directory = folder.path
    address = "unix:\(directory)/pulse/native"
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = Mutex(ends[1])
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { for end in [ends[0], null] { close(end) } }
    // Each needs the one before it. A lost parent ends them all: dbus-run-session ends with its child, and that when
    // its input closes.
    let arguments = [
      "dbus-run-session", "--", "sh", "-c",
      """
      cd "$3" || exit
      pipewire & a=$!
      until [ -S pipewire-0 ]; do sleep 0.01; done
      wireplumber & b=$!
      pipewire-pulse & c=$!
      until pactl --server="$1" load-module module-null-sink sink_name="$2"; do sleep 0.05; done
      until pactl --server="$1" list short sinks | grep -q "$2"; do sleep 0.05; done
      touch ready
      read word
      kill -KILL $a $b $c
      """, "sh", address, sink, directory,
    ]
    let environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": directory,
      "XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory, "XDG_CONFIG_HOME": directory, "LC_ALL": "C",
    ]
    child = try Child(
      arguments, environment: environment, streams: .descriptors(input: ends[0], output: null, error: null))
    let deadline = ContinuousClock.now + .seconds(limit)
    while !FileManager.default.fileExists(atPath: "\(directory)/ready") {
      guard child.end == nil, ContinuousClock.now < deadline else {
        stop()
        throw Overdue(what: "PipeWire with its PulseAudio server", limit: limit, last: "no sink")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  deinit { stop() }

  /// Ends it and removes its directory.
  package func stop() {
    let open = input.withLock { input in
      defer { input = nil }
      return input
    }
    guard let open else { return }
    close(open)
    let deadline = ContinuousClock.now + .seconds(30)
    while child.end == nil, ContinuousClock.now < deadline { usleep(5000) }
    if child.end == nil { kill(-child.identifier, SIGKILL) }
    folder.remove()
  }
}
