internal import ControlProtocol
internal import NIOCore
internal import Synchronization

/// Messages from other threads to the event loop. Each batch wakes the loop once, regardless of the number of
/// messages. Records need no wake-up while all watchers keep up.
final class LoopMailbox: Sendable {
  /// A record in the form in which every watcher gets it.
  struct Record {
    let topic: WatchTopic
    let kind: String
    let bytes: [UInt8]
    /// The only client that gets the record; nil for all watchers.
    var client: ClientID?
  }
  /// A watcher that has taken all earlier records.
  struct Watcher {
    let client: ClientID
    let topics: Set<WatchTopic>
    let socket: WatcherSocket

    func gets(_ record: Record) -> Bool {
      topics.contains(record.topic) && record.client.map { $0 == client } ?? true
    }
  }
  /// Records of one kind replace each other in the overflow.
  struct RecordKind: Equatable {
    let name: String
    let client: ClientID?
  }
  struct Contents {
    var subsystems: Subsystems = []
    var completions: [(client: ClientID, result: Result<Reply, Ack>)] = []
    var records: [Record] = []
    /// The coalesced records above the limit, by topic.
    var overflow: [WatchTopic: WatchBacklog<RecordKind, Record>] = [:]
  }
  private struct Guarded {
    var contents = Contents()
    var isOpen = true
    var isScheduled = false
    /// The topics that have a watcher. Records of other topics are dropped.
    var topics: Set<WatchTopic> = []
  }

  let eventLoop: any EventLoop
  private let core: NIOLoopBoundBox<ServerCore?>
  private let recordLimit: Int
  private let guarded = Mutex(Guarded())
  /// All watchers, or none if one of them is behind, so that the loop has to send the records. Locked while a
  /// record is sent, which keeps the order.
  private let watchers = Mutex<[Watcher]>([])

  init(core: NIOLoopBoundBox<ServerCore?>, eventLoop: any EventLoop, recordLimit: Int) {
    self.core = core
    self.eventLoop = eventLoop
    self.recordLimit = recordLimit
  }

  /// Completes a command: immediately on the loop, otherwise through the mailbox.
  func complete(_ client: ClientID, _ result: Result<Reply, Ack>) {
    if eventLoop.inEventLoop {
      core.value?.connections[client]?.complete(result)
    } else {
      post { $0.contents.completions.append((client, result)) }
    }
  }

  func notify(_ subsystems: Subsystems) { post { $0.contents.subsystems.formUnion(subsystems) } }

  func broadcast(_ record: WatchRecord, _ topic: WatchTopic, only client: ClientID?) {
    guard guarded.withLock({ $0.topics.contains(topic) }) else { return }
    let record = Record(topic: topic, kind: record.event.name, bytes: record.bytes, client: client)
    watchers.withLock { watchers in
      guard !watchers.isEmpty else { return post(record) }
      var isSent = true
      for watcher in watchers where watcher.gets(record) {
        isSent = isSent && watcher.socket.send(record.bytes)
        var rest = record
        rest.client = watcher.client
        if !isSent { post(rest) }
      }
      if !isSent { watchers = [] }
    }
  }

  private func post(_ record: Record) {
    post { guarded in
      if guarded.contents.records.count < recordLimit, guarded.contents.overflow[record.topic] == nil {
        guarded.contents.records.append(record)
      } else {
        guarded.contents.overflow[record.topic, default: WatchBacklog()]
          .hold(record, of: RecordKind(name: record.kind, client: record.client))
      }
    }
  }

  /// Sets the topics that have a watcher. Records go through the loop until the next `setWatchers(_:)`.
  func setTopics(_ topics: Set<WatchTopic>) {
    watchers.withLock { $0 = [] }
    guarded.withLock { $0.topics = topics }
  }

  /// Sends later records directly to these watchers, which must be all, unless a record waits. Called on the
  /// loop.
  func setWatchers(_ present: [Watcher]) {
    watchers.withLock { watchers in
      let isEmpty = guarded.withLock { $0.contents.records.isEmpty && $0.contents.overflow.isEmpty }
      watchers = isEmpty ? present : []
    }
  }

  /// Returns and removes all messages. Called on the loop.
  func take() -> Contents {
    guarded.withLock { guarded in
      guarded.isScheduled = false
      defer { guarded.contents = Contents() }
      return guarded.contents
    }
  }

  /// Closes the mailbox before the loop ends. Later messages are dropped.
  func close() { guarded.withLock { $0.isOpen = false } }

  private func post(_ change: (inout Guarded) -> Void) {
    let core = self.core
    guarded.withLock { guarded in
      guard guarded.isOpen else { return }
      change(&guarded)
      guard !guarded.isScheduled else { return }
      guarded.isScheduled = true
      // Under the lock, so that no work is enqueued after the loop has ended. `execute` only enqueues.
      eventLoop.execute { core.value?.deliver() }
    }
  }
}

/// Records that cannot be sent yet: the newest of each kind, and the number of dropped ones.
///
/// A client that missed two records of a kind needs only the newer one.
struct WatchBacklog<Kind: Equatable, Record> {
  struct Entry {
    let kind: Kind
    let record: Record
    /// The number of dropped records of this kind.
    fileprivate(set) var leftOut = 0
  }

  private var newest: [Entry] = []
  /// The number of records that were dropped before they reached this backlog.
  private var leftOutBefore = 0

  var isEmpty: Bool { newest.isEmpty && leftOutBefore == 0 }

  /// Adds a record and drops an earlier one of its kind. The kept records stay in the order in which they
  /// were added.
  mutating func hold(_ record: Record, of kind: Kind) {
    let index = newest.firstIndex { $0.kind == kind }
    let leftOut = index.map { newest.remove(at: $0).leftOut + 1 } ?? 0
    newest.append(Entry(kind: kind, record: record, leftOut: leftOut))
  }

  /// Counts records that were dropped elsewhere.
  mutating func leaveOut(_ count: Int) { leftOutBefore += count }

  /// Returns and removes the kept records, oldest first, with the number of all dropped ones.
  mutating func take() -> (leftOut: Int, entries: [Entry]) {
    defer { self = WatchBacklog() }
    return (newest.reduce(leftOutBefore) { $0 + $1.leftOut }, newest)
  }
}
