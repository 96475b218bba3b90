import Clocks
import Testing

@testable import MusicLibrary

/// Which update comes next, whatever was asked for and has changed.
@Suite struct UpdateQueueTests {
  private let start = HostTime(nanoseconds: 0)

  private func path(_ name: String) -> [UInt8] { Array(name.utf8) }

  /// What is done from now on, each at its time: `*` for all, else the folders.
  private func rest(of queue: inout UpdateQueue) -> [String] {
    var runs: [String] = []
    var now = start
    while true {
      switch queue.next(at: now) {
      case .idle: return runs
      case .wait(let due): now = due
      case .run(.job(let job)):
        runs.append(job.path.isEmpty ? "*" : String(decoding: job.path, as: UTF8.self))
        queue.end()
      case .run(.folders(let folders, _)):
        runs.append(folders.map { String(decoding: $0, as: UTF8.self) }.sorted().joined(separator: " "))
        queue.end()
      }
    }
  }

  @Test("Where the system has lost count, all is read again, whatever waits", arguments: [0, 1, 32])
  func overflow(waiting: Int) {
    var queue = UpdateQueue()
    let jobs = (0..<waiting).map { "x\($0)" }
    for job in jobs { _ = queue.add(path(job), rereads: false) }
    queue.note(nil, at: start)
    queue.note(nil, at: start)
    #expect(rest(of: &queue) == jobs + ["*"])
  }

  @Test("So it is where all is being read already: what was read may have changed since")
  func overflowWhileRunning() {
    var queue = UpdateQueue()
    queue.addAll()
    guard case .run(.job) = queue.next(at: start) else {
      Issue.record("nothing to do")
      return
    }
    queue.note(nil, at: start)
    queue.end()
    #expect(rest(of: &queue) == ["*"])
  }

  @Test("Where too many folders have changed, all is read, also while something waits") func manyFolders() {
    var queue = UpdateQueue()
    _ = queue.add(path("x"), rereads: false)
    for index in 0...UpdateQueue.folderLimit { queue.note(path("\(index)"), at: start) }
    queue.note(path("0"), at: start)
    let runs = rest(of: &queue)
    #expect(runs.prefix(2) == ["x", "*"])
    #expect(runs.count == 3)
  }

  @Test("Changes wait until it is quiet, but not for ever; what is asked for does not wait") func quiet() {
    var queue = UpdateQueue()
    #expect(queue.next(at: start) == .idle)
    queue.note(path("a"), at: start)
    #expect(queue.next(at: start) == .wait(until: start.advanced(bySeconds: 0.5)))
    for index in 1...20 {
      let now = start.advanced(bySeconds: Double(index) * 0.3)
      queue.note(path("b"), at: now)
      let isDue = now >= start.advanced(bySeconds: 5)
      if isDue { break }
      let due = min(now.advanced(bySeconds: 0.5), start.advanced(bySeconds: 5))
      #expect(queue.next(at: now) == .wait(until: due))
    }
    #expect(queue.add([], rereads: true) == 1)
    #expect(queue.waiting == 1)
    #expect(rest(of: &queue) == ["*", "a b"])
    for number in 3..<35 { #expect(queue.add(path("x"), rereads: false) == UInt32(number)) }
    #expect(queue.add([], rereads: false) == nil)
  }
}
