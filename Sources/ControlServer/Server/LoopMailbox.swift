internal import ControlProtocol
internal import NIOCore
internal import Synchronization

/// What other threads have for the event loop. However much comes between two turns of the loop, it is woken once.
final class LoopMailbox: Sendable {
  /// A record in the form in which every watcher gets it.
  struct Record {
    let topic: WatchTopic
    let kind: WatchRecord.Kind
    let bytes: ByteBuffer
    /// The one client it is for; nil for all.
    let client: ClientID?
  }
  struct Contents {
    var subsystems: Subsystems = []
    var completions: [(client: ClientID, result: Result<Reply, Ack>)] = []
    var records: [Record] = []
    /// Records of a topic that found no room.
    var overflow: [WatchTopic: WatchBacklog<WatchRecord.Kind, Record>] = [:]
  }
  private struct Guarded {
    var contents = Contents()
    var isOpen = true
    var isScheduled = false
    /// What somebody watches. Other records go no further.
    var topics: Set<WatchTopic> = []
  }

  let eventLoop: any EventLoop
  private let core: NIOLoopBoundBox<ServerCore?>
  private let recordLimit: Int
  private let guarded = Mutex(Guarded())

  init(core: NIOLoopBoundBox<ServerCore?>, eventLoop: any EventLoop, recordLimit: Int) {
    self.core = core
    self.eventLoop = eventLoop
    self.recordLimit = recordLimit
  }

  /// On the loop, it goes its way at once.
  func complete(_ client: ClientID, _ result: Result<Reply, Ack>) {
    if eventLoop.inEventLoop {
      core.value?.complete(client, result)
    } else {
      post { $0.contents.completions.append((client, result)) }
    }
  }

  func notify(_ subsystems: Subsystems) { post { $0.contents.subsystems.formUnion(subsystems) } }

  func broadcast(_ record: WatchRecord, _ topic: WatchTopic, only client: ClientID?) {
    guard guarded.withLock({ $0.topics.contains(topic) }) else { return }
    let kind = record.event.kind
    let formatted = Record(topic: topic, kind: kind, bytes: ByteBuffer(bytes: record.bytes), client: client)
    post { guarded in
      if guarded.contents.records.count < recordLimit, guarded.contents.overflow[topic] == nil {
        guarded.contents.records.append(formatted)
      } else {
        guarded.contents.overflow[topic, default: WatchBacklog()].hold(formatted, of: kind)
      }
    }
  }

  /// Says what somebody watches.
  func setTopics(_ topics: Set<WatchTopic>) { guarded.withLock { $0.topics = topics } }

  /// Takes everything. On the loop.
  func take() -> Contents {
    guarded.withLock { guarded in
      guarded.isScheduled = false
      defer { guarded.contents = Contents() }
      return guarded.contents
    }
  }

  /// Nothing is taken any more: the loop ends.
  func close() { guarded.withLock { $0.isOpen = false } }

  private func post(_ change: (inout Guarded) -> Void) {
    let core = self.core
    guarded.withLock { guarded in
      guard guarded.isOpen else { return }
      change(&guarded)
      guard !guarded.isScheduled else { return }
      guarded.isScheduled = true
      // Under the lock, so that nothing is asked of a loop that has ended meanwhile. It only puts the work in line.
      eventLoop.execute { core.value?.deliver() }
    }
  }
}
