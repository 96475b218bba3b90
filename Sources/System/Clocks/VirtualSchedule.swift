import Glibc

/// The order of runs in virtual time: the value protected by `VirtualClock`'s lock. Runs no bodies itself.
struct VirtualSchedule: ~Copyable {
  typealias Body = @Sendable () -> WorkerNext

  struct Entry {
    let id: UInt64
    let name: String
    let body: Body
  }

  private(set) var now = HostTime(nanoseconds: 0)
  /// The workers whose bodies are running, the outermost first. Each body but the last is inside an advance, which runs
  /// the next body.
  private(set) var running: [UInt64] = []
  /// The thread that is advancing.
  private(set) var advancing: pthread_t?
  /// The target times of that thread's nested advances, the outermost first.
  private var goals: [HostTime] = []
  /// The threads that wait for the end of a run.
  private var waiters: [(id: UInt64, waiter: Waiter)] = []

  private var entries: [Entry] = []
  /// The due time of each entry in nanoseconds; `never` while it runs unsignalled or waits only for a signal.
  /// A separate array, because each run scans all of it.
  private var dues: [Int64] = []
  private static let never = Int64.max
  private var lastID: UInt64 = 0
  /// The worker that ran last at the present time; the round continues after it.
  private var cursor: UInt64 = 0
  private(set) var runCount = 0
  /// The number of runs at the present time so far.
  private var runs = 0
  private let runLimit: Int

  init(runLimit: Int) { self.runLimit = runLimit }

  /// The earliest due time of all workers that are not running; nil if none has one.
  var nextDeadline: HostTime? {
    let earliest = earliest()
    return earliest == Self.never ? nil : HostTime(nanoseconds: earliest)
  }

  /// The time until which no other worker is due and the innermost advance does not end; nil if that is now.
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

  mutating func beginAdvance(to moment: HostTime, by thread: pthread_t) -> Bool {
    if let advancing, advancing != thread { return false }
    advancing = thread
    goals.append(moment)
    return true
  }

  mutating func endAdvance() {
    goals.removeLast()
    if goals.isEmpty { advancing = nil }
  }

  mutating func addWaiter(for id: UInt64) -> Waiter {
    let waiter = Waiter()
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

  /// Removes and returns a worker. The caller must release the result outside the lock, because a body may
  /// own the last reference to other workers, which then cancel themselves.
  mutating func remove(_ id: UInt64) -> Entry? {
    guard let index = index(of: id) else { return nil }
    dues.remove(at: index)
    return entries.remove(at: index)
  }

  /// Selects the next run and advances the time to it. If no body is due until `limit`, advances to `limit`
  /// and returns nil. Also returns nil if time would have to pass while `isHeld`.
  mutating func beginRun(until limit: HostTime, isHeld: Bool) -> Entry? {
    let due = HostTime(nanoseconds: earliest())
    if isHeld, due > now { return nil }
    guard due.nanoseconds != Self.never, due <= max(limit, now) else {
      move(to: limit)
      return nil
    }
    move(to: due)
    guard let index = nextIndex() else { preconditionFailure("the earliest deadline belongs to an entry") }
    runs += 1
    runCount += 1
    precondition(
      runs <= runLimit,
      "worker \"\(entries[index].name)\" never rests: \(runLimit) runs at one moment, \(now.seconds) s")
    dues[index] = Self.never
    cursor = entries[index].id
    running.append(cursor)
    return entries[index]
  }

  /// Returns the first due worker after the one that ran last at this time, else the first due worker.
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

  /// Records the worker's request after its run. Returns the threads that waited for the end of the run.
  mutating func endRun(of id: UInt64, _ next: WorkerNext) -> [Waiter] {
    if running.last == id { running.removeLast() } else { running.removeAll { $0 == id } }
    var ended: [Waiter] = []
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
    // A signal during the run has already set the due time to now.
    if dues[index] == Self.never { dues[index] = wanted }
    return ended
  }

  /// Advances the time, never back, and begins a new round.
  private mutating func move(to moment: HostTime) {
    guard moment > now else { return }
    now = moment
    cursor = 0
    runs = 0
  }

  private func index(of id: UInt64) -> Int? {
    var index = 0
    while index < entries.count {
      if entries[index].id == id { return index }
      index += 1
    }
    return nil
  }
}
