import CThreads
import Foundation

/// The processors on which client and server run while a round trip is measured.
///
/// The kernel by itself alternates between both placements for seconds at a time, with a p50 of 15 or 50 µs.
/// On one processor, a round trip is the work of both sides. On two, it is mostly the wake-up of a sleeping
/// processor.
enum Placement: String, CaseIterable {
  case together = "one processor"
  case apart = "two processors"

  /// The placements that can be measured on this machine.
  static var possible: [Placement] { processors.count > 1 ? allCases : [.together] }

  /// Binds the calling thread and all threads of the server. New threads inherit the binding.
  func bind(_ server: ControlServer) throws {
    let all = Self.processors
    guard let first = all.first, let last = all.last else { throw BenchError("no processors") }
    try Self.bind(0, to: [first])
    try Self.bind(threadsOf: server, to: [self == .together ? first : last])
  }

  /// Allows all processors again, for the calling thread and for all threads of the server.
  static func lift(_ server: ControlServer) throws {
    try bind(0, to: processors)
    try bind(threadsOf: server, to: processors)
  }

  /// The size of a processor set in bytes: that of `cpu_set_t`, enough for 1024.
  private static let setSize = 128

  /// The processors that were available to this process at its start.
  private static let processors: [Int] = {
    var set = [UInt8](repeating: 0, count: setSize)
    guard continuo_sched_getaffinity(0, UInt(setSize), &set) == 0 else { return [] }
    return (0..<setSize * 8).filter { set[$0 / 8] >> ($0 % 8) & 1 == 1 }
  }()

  private static func bind(threadsOf server: ControlServer, to processors: [Int]) throws {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.pid)/task")
    for thread in threads.compactMap({ pid_t($0) }) { try bind(thread, to: processors) }
  }

  private static func bind(_ thread: pid_t, to processors: [Int]) throws {
    var set = [UInt8](repeating: 0, count: setSize)
    for processor in processors { set[processor / 8] |= 1 << (processor % 8) }
    // A thread may have ended in between.
    guard continuo_sched_setaffinity(thread, UInt(setSize), set) == 0 || errno == ESRCH else {
      throw BenchError("cannot bind a thread to a processor: \(String(cString: strerror(errno)))")
    }
  }
}
