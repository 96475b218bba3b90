import CTestSupport
package import Clocks
package import Foundation

/// A process that a test started, with its end and what it cost.
package final class Child: Sendable {
  /// How a process ended.
  package struct End: Sendable {
    /// The exit status; 128 and the number for one that a signal ended.
    package let status: Int32
    /// When that was seen.
    package let time: HostTime
    /// Seconds of CPU time of the process and of what it waited for.
    package let cpuSeconds: Double
  }

  /// Where its standard streams lead.
  package enum Streams {
    /// To these descriptors.
    case descriptors(input: Int32, output: Int32, error: Int32)
    /// To this terminal, which becomes the controlling one of a new session.
    case terminal(path: String)
  }

  /// The process.
  package let identifier: pid_t
  private let ending = Observed<End?>(nil)

  /// Starts a program, found by PATH, in a process group of its own.
  package init(_ arguments: [String], environment: [String: String], streams: Streams) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    switch streams {
    case .descriptors(let input, let output, let error):
      for (target, descriptor) in [input, output, error].enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
      }
    case .terminal(let path):
      posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
      // A session's leader gets the first terminal that it opens. POSIX_SPAWN_SETSID of glibc; no group then.
      flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80
    }
    // A connection of another test would stay open as long as this program runs.
    continuo_test_close_rest(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var identifier: pid_t = 0
    let code = posix_spawnp(&identifier, arguments[0], &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw Failure("\(arguments[0]): \(String(cString: strerror(code)))") }
    self.identifier = identifier

    Thread.detachNewThread { [ending, identifier] in
      var status: Int32 = 0
      var usage = rusage()
      while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
      let signal = status & 0x7F
      let cpu =
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
      let end = End(
        status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, time: SystemClock.shared.now, cpuSeconds: cpu
      )
      ending.update { $0 = end }
    }
  }

  /// How it ended; nil while it runs.
  package var end: End? { ending.value }

  /// Waits for its end.
  package func ended(limit: Double = 120) async throws -> End {
    guard let end = try await ending.wait(for: "the end of the process", limit: limit, until: { $0 != nil })
    else { throw Failure("no end") }
    return end
  }

  /// Sends it a signal, if it still runs.
  package func signal(_ number: Int32) { if end == nil { kill(identifier, number) } }

  /// What the kernel counts of it, now.
  package func counters() throws -> Counters { try Counters(identifier) }

  /// What the kernel counts of a process.
  package struct Counters: Sendable {
    /// Seconds of CPU time of all its threads, in steps of 10 ms.
    package let cpuSeconds: Double
    /// How often a thread of it went to sleep, and so was woken.
    package let sleeps: Int
    /// The most memory that it ever held, in bytes.
    package let peakMemory: Int

    init(_ identifier: pid_t) throws {
      let stat = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
      // The name, in brackets, may hold anything.
      let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
      cpuSeconds = (Double(fields[12]) ?? .nan) / 100 + (Double(fields[13]) ?? .nan) / 100
      var sleeps = 0
      for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task") {
        let status =
          (try? String(contentsOfFile: "/proc/\(identifier)/task/\(task)/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
          sleeps += Int(line.split(separator: "\t").last ?? "") ?? 0
        }
      }
      self.sleeps = sleeps
      let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
      let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      peakMemory = (peak?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
    }
  }
}

/// Why a test cannot go on.
package struct Failure: Error, CustomStringConvertible {
  /// A sentence for a person.
  package let description: String
  /// That sentence.
  package init(_ description: String) { self.description = description }
}
