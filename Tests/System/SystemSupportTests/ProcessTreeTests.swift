import Glibc
import SystemSupport
import Testing

@Suite struct ProcessTreeTests {
  private func text(_ path: String) -> String {
    (try? FileBytes.read(path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func state(_ process: pid_t) -> Character? {
    text("/proc/\(process)/stat").split(separator: ") ").last?.first
  }

  @Test("Stops, resumes and kills descendants, also in a session of their own") func descendants()
    async throws
  {
    let shell = try ChildProcess.start(
      ["/bin/sh", "-c", "setsid sleep 1000 & sleep 1000 & wait"], environment: ["PATH=/usr/bin:/bin"],
      input: .null, output: .log("/dev/null"), group: nil)
    let tree = ProcessTree(shell)
    defer {
      tree.killAll()
      ChildProcess.reap(shell)
    }
    func wait(_ condition: () -> Bool) async throws {
      let end = ContinuousClock.now + .seconds(120)
      while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
      try #require(condition())
    }
    func children() -> [pid_t] {
      text("/proc/\(shell)/task/\(shell)/children").split(separator: " ").compactMap { pid_t($0) }
    }
    // A shell whose child was stopped before its exec (vfork) would never count as stopped.
    try await wait {
      let sleepers = children().filter { text("/proc/\($0)/stat").contains("(sleep) S") }
      return sleepers.count == 2 && sleepers.contains { getsid($0) == $0 }
    }
    let all = [shell] + children()
    try await wait { tree.stop() }
    #expect(all.allSatisfy { state($0) == "T" })
    tree.signal(SIGCONT)
    #expect(all.allSatisfy { state($0) != "T" })
    tree.killAll()
    try await wait { all.allSatisfy { state($0).map { "ZX".contains($0) } ?? true } }
  }
}
