import Glibc

/// Who runs next in virtual time: the value behind `VirtualClock`'s lock. It runs nothing itself.
struct VirtualSchedule: ~Copyable {
  typealias Body = @Sendable () -> WorkerNext

  /// A worker's place.
  struct Entry {
    let id: UInt64
    let name: String
    let body: Body
    /// When the body is to run; nil while it waits for a signal only, or runs.
    var due: HostTime?
  }

  private(set) var now = HostTime(nanoseconds: 0)
  /// The workers whose bodies run, each but the first within an advance by the body before it.
  private(set) var running: [UInt64] = []
  /// The thread that advances, and how many of its advances are within each other.
  var advancing: (thread: pthread_t, depth: Int)?
  /// Threads that wait for the end of a run.
  private var waiters: [(id: UInt64, waiter: VirtualWaiter)] = []

  /// In the order of creation.
  private var entries: [Entry] = []
  private var lastID: UInt64 = 0
  /// The worker that ran last at this moment: where the round goes on.
  private var cursor: UInt64 = 0
  /// Runs at this moment so far.
  private var runs = 0
  private let runLimit: Int

  init(runLimit: Int) {
    self.runLimit = runLimit
  }

  /// The earliest moment at which anyone wants to run who does not run already.
  var nextDeadline: HostTime? {
    entries.lazy.filter { [running] in !running.contains($0.id) }.compactMap(\.due).min()
  }

  /// Notes that `thread` begins to advance. False if another one does already.
  mutating func beginAdvance(by thread: pthread_t) -> Bool {
    if let advancing, advancing.thread != thread { return false }
    advancing = (thread, (advancing?.depth ?? 0) + 1)
    return true
  }

  /// Notes that the innermost advance is at its end.
  mutating func endAdvance() {
    if let present = advancing { advancing = present.depth > 1 ? (present.thread, present.depth - 1) : nil }
  }

  /// Adds someone who waits for the end of the run of `id`.
  mutating func addWaiter(for id: UInt64) -> VirtualWaiter {
    let waiter = VirtualWaiter()
    waiters.append((id, waiter))
    return waiter
  }

  mutating func add(_ name: String, _ body: @escaping Body) -> UInt64 {
    lastID += 1
    entries.append(Entry(id: lastID, name: name, body: body, due: now))
    return lastID
  }

  mutating func signal(_ id: UInt64) {
    if let index = index(of: id) { entries[index].due = now }
  }

  /// Takes a worker out. The caller releases what it gets outside of the lock: with a body may go the last reference
  /// to other workers, which then cancel themselves.
  mutating func remove(_ id: UInt64) -> Entry? {
    index(of: id).map { entries.remove(at: $0) }
  }

  /// Picks what runs next and moves the time to its moment. If nothing is due until `limit`, moves the time to that
  /// and returns nil.
  mutating func beginRun(until limit: HostTime) -> (id: UInt64, body: Body)? {
    guard let due = nextDeadline, due <= max(limit, now) else {
      move(to: limit)
      return nil
    }
    move(to: due)
    let isDue = { [now, running] (entry: Entry) in
      entry.due.map { $0 <= now } ?? false && !running.contains(entry.id)
    }
    let later = entries.firstIndex { [cursor] in $0.id > cursor && isDue($0) }
    guard let index = later ?? entries.firstIndex(where: isDue) else {
      preconditionFailure("the earliest deadline belongs to an entry")
    }
    let entry = entries[index]
    runs += 1
    precondition(
      runs <= runLimit,
      "worker \"\(entry.name)\" never rests: \(runLimit) runs at one moment, \(now.seconds) s")
    entries[index].due = nil
    cursor = entry.id
    running.append(entry.id)
    return (entry.id, entry.body)
  }

  /// Notes what the worker wants after its run, and returns who waited for its end.
  mutating func endRun(of id: UInt64, _ next: WorkerNext) -> [VirtualWaiter] {
    running.removeAll { $0 == id }
    let ended = waiters.filter { $0.id == id }.map(\.waiter)
    waiters.removeAll { $0.id == id }
    guard let index = index(of: id) else { return ended }
    let wanted: HostTime? =
      switch next {
      case .again: now
      case .at(let moment): max(moment, now)
      case .whenSignalled: nil
      }
    // A signal that came during the run has left the present moment there.
    if entries[index].due == nil { entries[index].due = wanted }
    return ended
  }

  /// Lets time pass, never back, and begins a new round.
  private mutating func move(to moment: HostTime) {
    guard moment > now else { return }
    now = moment
    cursor = 0
    runs = 0
  }

  /// Where a worker stands; nil after it was removed.
  private func index(of id: UInt64) -> Int? {
    entries.firstIndex { $0.id == id }
  }
}

/// A thread that waits for the end of a run.
final class VirtualWaiter: Sendable {
  let semaphore = Semaphore()
}
