import Glibc

/// Who runs next in virtual time: the value behind `VirtualClock`'s lock. It runs nothing itself.
struct VirtualSchedule: ~Copyable {
  typealias Body = @Sendable () -> WorkerNext

  /// A worker.
  struct Entry {
    let id: UInt64
    let name: String
    let body: Body
  }

  private(set) var now = HostTime(nanoseconds: 0)
  /// The workers whose bodies run, each but the first within an advance by the body before it.
  private(set) var running: [UInt64] = []
  /// The thread that advances.
  private(set) var advancing: pthread_t?
  /// Where its advances lead that are within each other, the outermost first.
  private var goals: [HostTime] = []
  /// Threads that wait for the end of a run.
  private var waiters: [(id: UInt64, waiter: VirtualWaiter)] = []

  /// In the order of creation.
  private var entries: [Entry] = []
  /// When each is to run, in nanoseconds; `never` while it waits for a signal only, or runs. Apart from `entries`, because
  /// they are gone through for each run.
  private var dues: [Int64] = []
  private static let never = Int64.max
  private var lastID: UInt64 = 0
  /// The worker that ran last at this moment: where the round goes on.
  private var cursor: UInt64 = 0
  /// Runs of all workers so far.
  private(set) var runCount = 0
  /// Runs at this moment so far.
  private var runs = 0
  private let runLimit: Int

  init(runLimit: Int) {
    self.runLimit = runLimit
  }

  /// The earliest moment at which anyone wants to run who does not run already.
  var nextDeadline: HostTime? {
    let earliest = earliest()
    return earliest == Self.never ? nil : HostTime(nanoseconds: earliest)
  }

  /// The moment before which nobody else wants to run, and the innermost advance does not end; nil if that is now.
  var quietUntil: HostTime? {
    let moment = min(earliest(), goals.last?.nanoseconds ?? now.nanoseconds)
    return moment > now.nanoseconds ? HostTime(nanoseconds: moment) : nil
  }

  private func earliest() -> Int64 {
    var result = Self.never
    var index = 0
    while index < dues.count {
      if dues[index] < result, running.isEmpty || !running.contains(entries[index].id) {
        result = dues[index]
      }
      index += 1
    }
    return result
  }

  /// Notes that `thread` begins to advance. False if another one does already.
  mutating func beginAdvance(to moment: HostTime, by thread: pthread_t) -> Bool {
    if let advancing, advancing != thread { return false }
    advancing = thread
    goals.append(moment)
    return true
  }

  /// Notes that the innermost advance is at its end.
  mutating func endAdvance() {
    goals.removeLast()
    if goals.isEmpty { advancing = nil }
  }

  /// Adds someone who waits for the end of the run of `id`.
  mutating func addWaiter(for id: UInt64) -> VirtualWaiter {
    let waiter = VirtualWaiter()
    waiters.append((id, waiter))
    return waiter
  }

  mutating func add(_ name: String, _ body: @escaping Body) -> UInt64 {
    lastID += 1
    entries.append(Entry(id: lastID, name: name, body: body))
    dues.append(now.nanoseconds)
    return lastID
  }

  mutating func signal(_ id: UInt64) {
    if let index = index(of: id) { dues[index] = now.nanoseconds }
  }

  /// Takes a worker out. The caller releases what it gets outside of the lock: with a body may go the last reference
  /// to other workers, which then cancel themselves.
  mutating func remove(_ id: UInt64) -> Entry? {
    guard let index = index(of: id) else { return nil }
    dues.remove(at: index)
    return entries.remove(at: index)
  }

  /// Picks what runs next and moves the time to its moment. If nothing is due until `limit`, moves the time to that
  /// and returns nil; also if time would have to pass and must not.
  mutating func beginRun(until limit: HostTime, isHeld: Bool) -> (id: UInt64, body: Body)? {
    let due = HostTime(nanoseconds: earliest())
    if isHeld, due > now { return nil }
    guard due.nanoseconds != Self.never, due <= max(limit, now) else {
      move(to: limit)
      return nil
    }
    move(to: due)
    guard let index = nextIndex() else { preconditionFailure("the earliest deadline belongs to an entry") }
    let entry = entries[index]
    runs += 1
    runCount += 1
    precondition(
      runs <= runLimit,
      "worker \"\(entry.name)\" never rests: \(runLimit) runs at one moment, \(now.seconds) s")
    dues[index] = Self.never
    cursor = entry.id
    running.append(entry.id)
    return (entry.id, entry.body)
  }

  /// The first one due behind the one that ran last at this moment, or the first of all.
  private func nextIndex() -> Int? {
    var first: Int?
    var index = 0
    while index < dues.count {
      if dues[index] <= now.nanoseconds, running.isEmpty || !running.contains(entries[index].id) {
        if entries[index].id > cursor { return index }
        if first == nil { first = index }
      }
      index += 1
    }
    return first
  }

  /// Notes what the worker wants after its run, and returns who waited for its end.
  mutating func endRun(of id: UInt64, _ next: WorkerNext) -> [VirtualWaiter] {
    if running.last == id { running.removeLast() } else { running.removeAll { $0 == id } }
    var ended: [VirtualWaiter] = []
    if !waiters.isEmpty {
      ended = waiters.filter { $0.id == id }.map(\.waiter)
      waiters.removeAll { $0.id == id }
    }
    guard let index = index(of: id) else { return ended }
    let wanted =
      switch next {
      case .again: now.nanoseconds
      case .at(let moment): max(moment, now).nanoseconds
      case .whenSignalled: Self.never
      }
    // A signal that came during the run has left the present moment there.
    if dues[index] == Self.never { dues[index] = wanted }
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
    var index = 0
    while index < entries.count {
      if entries[index].id == id { return index }
      index += 1
    }
    return nil
  }
}

/// A thread that waits for the end of a run.
final class VirtualWaiter: Sendable {
  let semaphore = Semaphore()
}
