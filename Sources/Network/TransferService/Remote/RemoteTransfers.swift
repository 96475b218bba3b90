package import Clocks
package import Foundation
import Glibc
import Synchronization

/// The transfer service of an application on a phone that is another process: calls and events travel on a
/// socket. The transfers continue while this process is stopped and after its end.
package final class RemoteTransfers: TransferService {
  /// The default timeout for the phone to open the service, between two of its messages, in seconds.
  package static let patience = 10.0

  private struct State {
    var records: [TransferKey: TaskRecord] = [:]
    var clients: [String: any TransferClient] = [:]
    /// The handlers for resume data, by number.
    var handlers: [UInt64: @Sendable (Data?) -> Void] = [:]
    var lastHandler: UInt64 = 0
    /// Whether the phone and this process no longer understand each other, so that tasks fail.
    var isLost = false
    /// The number of requests to open the service that the phone has not answered.
    var unanswered = 0
    /// The bytes read before the service was open.
    var frames = MessageFrames()
    var reader: (any Worker)?
  }

  private let folder: String
  private let descriptor: Int32
  private let clock: any HostClock
  private let sender: MessageSender
  private let state = Mutex(State())

  /// Creates a service that `open` opens. `descriptor`, a stream socket, remains open.
  package init(over descriptor: Int32, folder: String, clock: any HostClock) {
    self.folder = folder
    self.descriptor = descriptor
    self.clock = clock
    // The record of a task returns with a response, and must fit into a message then too.
    sender = MessageSender(descriptor, clock: clock, limit: MessageFrames.limit / 2)
  }

  /// Opens the service. Blocks until the phone has sent the records, or for `patience` seconds without a message.
  /// Throws the phone's reason, or `backgroundSessionWasDisconnected` if the phone does not answer. Must not be called
  /// concurrently; may be called again after an error. `settings` must name the service's folder.
  package func open(_ settings: TransferSettings, patience: Double = patience) throws(URLError) {
    state.withLock { $0.unanswered += 1 }
    sender.send(TransferRequestMessage.open(settings))
    setTimeout(patience)
    let records = try readRecords()
    setTimeout(0)
    let reader = clock.makeWorker("url-notices") { [weak self] in
      self?.read()
      return .whenSignalled
    }
    state.withLock { state in
      state.records = records
      state.reader = reader
    }
    reader.signal()
  }

  private func setTimeout(_ seconds: Double) {
    var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1_000_000) % 1_000_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Returns the records that the phone sends before the answer to the last request.
  private func readRecords() throws(URLError) -> [TransferKey: TaskRecord] {
    var (frames, unanswered) = state.withLock { ($0.frames, $0.unanswered) }
    defer { state.withLock { ($0.frames, $0.unanswered) = (frames, unanswered) } }
    var records: [TransferKey: TaskRecord] = [:]
    while let notice = try? frames.next(TransferNotice.self, from: descriptor) {
      switch notice {
      case .record(let record): records[record.key] = record
      case .opened(let isOpen, let failure):
        unanswered -= 1
        guard unanswered == 0 else {
          records = [:]
          continue
        }
        if isOpen { return records }
        throw .of(
          failure?.code.flatMap { URLError.Code(rawValue: $0) } ?? .backgroundSessionInUseByAnotherProcess,
          nil, failure?.message ?? "the phone does not open the transfers")
      default: break
      }
    }
    throw .of(.backgroundSessionWasDisconnected, nil, "the phone does not answer")
  }

  private func read() {
    var frames = state.withLock { $0.frames }
    while let notice = try? frames.next(TransferNotice.self, from: descriptor) { receive(notice) }
  }

  private func receive(_ notice: TransferNotice) {
    switch notice {
    case .opened: lose()
    case .record(let record): keep(record)?.progressed(record)
    case .resumed(let record, let offset): keep(record)?.resumed(record, at: offset)
    case .ended(let record): keep(record)?.ended(record, file: "\(folder)/\(record.name)")
    case .challenged(let record, let failures): keep(record)?.challenged(record, failures: failures)
    case .becameDue(let record): keep(record)?.becameDue(record)
    case .finishEvents(let session): client(of: session)?.finishEvents()
    case .resumeData(let data, let number): state.withLock { $0.handlers.removeValue(forKey: number) }?(data)
    }
  }

  /// Fails the tasks of all sessions with a client, because the phone and this process no longer understand
  /// each other. Must be called again after each later call.
  private func lose() {
    sender.drop()
    let handlers = state.withLock { state in
      defer { state.handlers = [:] }
      state.isLost = true
      return state.handlers
    }
    for handler in handlers.values { handler(nil) }
    let failure = TaskRecord.Outcome.failed(
      .backgroundSessionWasDisconnected, "the phone no longer serves the background sessions of this process")
    let failed = state.withLock { state in
      state.records.values.sorted { $0.key < $1.key }.compactMap { record in
        guard record.outcome == nil, let client = state.clients[record.session] else { return nil }
        var record = record
        record.outcome = failure
        state.records[record.key] = record
        return (record, client)
      } as [(TaskRecord, any TransferClient)]
    }
    for (record, client) in failed { client.ended(record, file: "\(folder)/\(record.name)") }
  }

  /// Stores a changed record, unless its task is no longer known or the connection has failed. Returns the
  /// client to notify; nil if none.
  private func keep(_ record: TaskRecord) -> (any TransferClient)? {
    state.withLock { state in
      guard state.records[record.key] != nil, !state.isLost else { return nil }
      state.records[record.key] = record
      return state.clients[record.session]
    }
  }

  package var isIdle: Bool { sender.isIdle }

  package func client(of session: String) -> (any TransferClient)? { state.withLock { $0.clients[session] } }

  package func setClient(_ client: any TransferClient, of session: String) {
    let old = state.withLock { $0.clients.updateValue(client, forKey: session) }
    withExtendedLifetime(old) {}
  }

  package func records(of session: String) -> [TaskRecord] {
    state.withLock { state in
      state.records.values.filter { $0.session == session }.sorted { $0.task < $1.task }
    }
  }

  package func knows(_ key: TransferKey) -> Bool { state.withLock { $0.records[key] != nil } }

  package func perform(_ call: TransferCall) {
    let old = state.withLock { state -> (any TransferClient)? in
      switch call {
      case .add(let record, _): state.records[record.key] = record
      case .resume(let key, _, _, _):
        if state.records[key]?.begun == nil { state.records[key]?.begun = Date() }
      case .describe(let key, let text): state.records[key]?.taskDescription = text
      case .heard(let key): state.records[key] = nil
      case .disconnect(let session): return state.clients.removeValue(forKey: session)
      default: break
      }
      return nil
    }
    withExtendedLifetime(old) {}
    send(.call(call))
    // The process is about to be killed, and may have calls that the phone must know.
    if case .application(.gone) = call { sender.close() }
  }

  private func send(_ message: TransferRequestMessage) {
    sender.send(message) { [weak self] in self?.lose() }
    if state.withLock({ $0.isLost }) { lose() }
  }

  package func cancel(_ key: TransferKey, producing handler: (@Sendable (Data?) -> Void)?) {
    let number = handler.map { handler in
      state.withLock { state in
        state.lastHandler += 1
        state.handlers[state.lastHandler] = handler
        return state.lastHandler
      }
    }
    send(.cancel(key, handler: number))
  }

  package func close() {
    sender.close()
    shutdown(descriptor, Int32(SHUT_RDWR))
    state.withLock { $0.reader.take() }?.cancel()
  }
}
