/// The loads of a session. Each waits until its host has a free connection.
struct LoadQueue {
  private var members: [ObjectIdentifier: TaskLoad] = [:]
  /// The loads that wait for a connection, oldest first.
  private var waiting: [TaskLoad] = []
  /// The number of transfers in progress, by the host of their first request.
  private var active: [String: Int] = [:]

  var all: [TaskLoad] { Array(members.values) }

  /// The loads that have begun.
  var begun: [TaskLoad] {
    let waiting = Set(waiting.map(ObjectIdentifier.init))
    return members.filter { !waiting.contains($0.key) }.map(\.value)
  }

  mutating func add(_ load: TaskLoad) {
    members[ObjectIdentifier(load)] = load
    waiting.append(load)
  }

  mutating func remove(_ load: TaskLoad) {
    guard members.removeValue(forKey: ObjectIdentifier(load)) != nil else { return }
    if let index = waiting.firstIndex(where: { $0 === load }) {
      waiting.remove(at: index)
    } else {
      active[load.task.host, default: 1] -= 1
      if active[load.task.host] == 0 { active[load.task.host] = nil }
    }
  }

  /// Dequeues and returns the waiting load with the highest priority, the oldest among equals, whose host has
  /// fewer than `limit` transfers in progress; nil if none.
  mutating func next(limit: Int) -> TaskLoad? {
    let ready = waiting.filter { active[$0.task.host, default: 0] < limit }
    guard let first = ready.max(by: { $0.task.priority < $1.task.priority }) else { return nil }
    let next = ready.first { $0.task.priority == first.task.priority } ?? first
    waiting.removeAll { $0 === next }
    active[next.task.host, default: 0] += 1
    return next
  }
}
