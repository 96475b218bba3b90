import Clocks
import CurlTransport
import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import TransferService

/// A service in another process, over a pair of sockets.
@Suite("Transfers in the phone's process", .blocksThread, .timeLimit(.minutes(10)))
struct RemoteTransfersTests {
  /// A phone's side, on a thread of its own.
  private final class Phone: Sendable {
    let wakes = Observed<[String]>([])
    private let ended = DispatchSemaphore(value: 0)
    private let next = Mutex<[(descriptor: Int32, isWoken: Bool)]>([])
    private let came = DispatchSemaphore(value: 0)

    init() {
      Thread.detachNewThread { [self] in
        let host = TransferHost(transport: CurlHTTPTransport(), clock: SystemClock.shared) {
          [weak self] name in
          self?.wakes.update { $0.append(name) }
        }
        while true {
          came.wait()
          guard let (descriptor, isWoken) = next.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            break
          }
          host.connect(descriptor, isWoken: isWoken)
          repeat {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
          } while host.receive()
          // Until the application closes its end.
          var entry = pollfd(fd: descriptor, events: 0, revents: 0)
          poll(&entry, 1, -1)
          host.disconnect()
          ended.signal()
        }
        host.end()
        ended.signal()
      }
    }

    /// The application's end of a connection.
    func connect(isWoken: Bool = false) throws -> Int32 {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      next.withLock { $0.append((ends[1], isWoken)) }
      came.signal()
      return ends[0]
    }

    /// Waits for the end of a connection.
    func disconnected() { ended.wait() }

    func end() {
      came.signal()
      ended.wait()
    }
  }

  /// What a session hears, a line each.
  private final class Log: TransferClient {
    let lines = Observed<[String]>([])
    private func say(_ line: String) { lines.update { $0.append(line) } }
    func progressed(_ record: TaskRecord) { say("received \(record.received)") }
    func resumed(_ record: TaskRecord, at offset: Int64) { say("resumed \(offset)") }
    func ended(_ record: TaskRecord, file: String) {
      say("ended \(record.outcome?.code ?? record.answer?.status ?? 0) \(TransferBody.size(of: file) ?? -1)")
    }
    func challenged(_ record: TaskRecord, failures: Int) { say("challenged \(failures)") }
    func becameDue(_ record: TaskRecord) { say("due \(record.task)") }
    func finishEvents() { say("all") }
  }

  private let content = [UInt8](repeating: 7, count: 300_000)
  private let key = TransferKey(session: "s", task: 1)

  private func settings(_ folder: TemporaryFolder) -> TransferSettings {
    TransferSettings(
      folder: folder.path, application: .front, discretionaryDelay: 600,
      defaultFields: ["User-Agent": "App/1"])
  }

  private func opened(_ descriptor: Int32, _ settings: TransferSettings) throws -> RemoteTransfers {
    let service = RemoteTransfers(over: descriptor, folder: settings.folder, clock: SystemClock.shared)
    try service.open(settings)
    return service
  }

  private func begin(_ service: RemoteTransfers, _ log: Log, _ url: String, earliest: Date? = nil) {
    service.setClient(log, of: "s")
    service.perform(.connect(session: "s", sendsLaunchEvents: true))
    let record = TaskRecord(key, .download, url: url, method: "GET", fields: [:], timeout: .infinity)
    service.perform(.add(record, resuming: nil))
    service.perform(.resume(key, deadlineIn: 3600, earliest: earliest, isDiscretionary: false))
    #expect(service.knows(key))
  }

  @Test("Credentials, the end of a task, and the deletion of its files")
  func whole() async throws {
    let server = try HostileServer { request in
      if request.fields["authorization"] != "Basic \(Data("me:secret".utf8).base64EncodedString())" {
        return HostileFile.plain("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"r\""])
      }
      return HostileFile(content).answer(request)
    }
    defer { server.stop() }
    let (phone, folder, log) = (Phone(), try TemporaryFolder(), Log())
    let end = try phone.connect()
    let service = try opened(end, settings(folder))
    begin(service, log, server.url("/a"))
    _ = try await log.lines.wait(for: "a challenge") { $0.contains("challenged 0") }
    service.perform(.authenticate(key, user: "me", password: "wrong"))
    _ = try await log.lines.wait(for: "another") { $0.contains("challenged 1") }
    service.perform(.authenticate(key, user: "me", password: "secret"))
    _ = try await log.lines.wait(for: "the end") { $0.contains("ended 200 300000") }
    #expect(server.requests.last?.fields["user-agent"] == "App/1")
    service.perform(.heard(key))
    #expect(!service.knows(key) && service.records(of: "s").isEmpty)
    service.close()
    phone.disconnected()
    close(end)
    phone.end()
    #expect(folder.names == ["lock"])
  }

  @Test("The next phone asks again about a task without an answer, and not about one that has started")
  func delayedByEarlierPhone() async throws {
    let server = try HostileServer { request in
      var file = HostileFile(content)
      if request.number == 1 { (file.cut, file.ending) = (200_000, .hang) }
      return file.answer(request)
    }
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let logs = [Log(), Log(), Log()]
    for (number, log) in logs.enumerated() {
      let phone = Phone()
      let end = try phone.connect()
      let service = try opened(end, settings(folder))
      begin(service, log, server.url("/old"), earliest: Date())
      if number < 2 { _ = try await log.lines.wait(for: "the question") { $0 == ["due 1"] } }
      if number == 1 {
        let new = TaskRecord(
          key, .download, url: server.url("/new"), method: "GET", fields: [:], timeout: .infinity)
        service.perform(.begin(key, new))
        _ = try await log.lines.wait(for: "bytes") { $0.contains("received 200000") }
      }
      if number == 2 { _ = try await log.lines.wait(for: "the end") { $0.contains("ended 206 300000") } }
      service.close()
      phone.disconnected()
      close(end)
      phone.end()
    }
    #expect(!logs[2].lines.value.contains("due 1") && server.requests.allSatisfy { $0.target == "/new" })
  }

  @Test("A delayed task wakes a stopped application, asks, and starts with the new request")
  func delayed() async throws {
    let server = try HostileServer { HostileFile(content).answer($0) }
    defer { server.stop() }
    let (phone, folder, log) = (Phone(), try TemporaryFolder(), Log())
    let end = try phone.connect()
    var settings = settings(folder)
    settings.discretionaryDelay = 0
    let service = try opened(end, settings)
    service.perform(.application(.suspended))
    begin(service, log, server.url("/old"), earliest: Date())
    _ = try await phone.wakes.wait(for: "the wake") { $0 == ["s"] }
    #expect(log.lines.value.isEmpty && server.requests.isEmpty)
    service.perform(.application(.background))
    service.perform(.told(session: "s"))
    _ = try await log.lines.wait(for: "the question") { $0 == ["due 1", "all"] }
    let new = TaskRecord(
      key, .download, url: server.url("/new"), method: "GET", fields: ["X-Key": "1"], timeout: 60)
    service.perform(.begin(key, new))
    _ = try await log.lines.wait(for: "the end") { $0.contains("ended 200 300000") }
    #expect(server.requests.map(\.target) == ["/new"] && server.requests.last?.fields["x-key"] == "1")
    service.close()
    phone.disconnected()
    close(end)
    phone.end()
  }

  @Test("Resume data come from the phone, and its next task goes on with them")
  func resumeData() async throws {
    let server = try HostileServer { request in
      var file = HostileFile(content)
      if request.number == 1 { (file.cut, file.ending) = (200_000, .hang) }
      return file.answer(request)
    }
    defer { server.stop() }
    let (phone, folder, log) = (Phone(), try TemporaryFolder(), Log())
    let end = try phone.connect()
    let service = try opened(end, settings(folder))
    begin(service, log, server.url("/a"))
    _ = try await log.lines.wait(for: "a part") { $0.contains("received 200000") }
    let data = Observed<Data?>(nil)
    service.cancel(key) { given in data.update { $0 = given ?? Data() } }
    let given = try await data.wait(for: "resume data") { $0 != nil }
    _ = try await log.lines.wait(for: "its end") { $0.contains { $0.hasPrefix("ended -999") } }
    service.perform(.heard(key))
    let next = TransferKey(session: "s", task: 2)
    let record = TaskRecord(
      next, .download, url: server.url("/a"), method: "GET", fields: [:], timeout: 60)
    service.perform(.add(record, resuming: given.flatMap { ResumeData($0) }))
    service.perform(.resume(next, deadlineIn: 3600, earliest: nil, isDiscretionary: false))
    let lines = try await log.lines.wait(for: "the end") { $0.contains("ended 206 300000") }
    #expect(lines.contains("resumed 200000") && server.requests.last?.first == 200_000 - 65_536)
    service.close()
    phone.disconnected()
    close(end)
    phone.end()
  }

  @Test("A process that has ended is woken for, and the next one gets the end, once it has heard why")
  func nextProcess() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try HostileServer { request in
      [.call { _ = gate.wait(timeout: .now() + 120) }] + HostileFile(content).answer(request)
    }
    defer { server.stop() }
    let (phone, folder, log) = (Phone(), try TemporaryFolder(), Log())
    let end = try phone.connect()
    let first = try opened(end, settings(folder))
    begin(first, Log(), server.url("/a"))
    first.close()
    phone.disconnected()
    close(end)
    gate.signal()
    _ = try await phone.wakes.wait(for: "a wake") { !$0.isEmpty }
    let other = try phone.connect(isWoken: true)
    var settings = settings(folder)
    // Inactive: the phone knows why it was launched.
    settings.application = nil
    let second = try opened(other, settings)
    #expect(second.records(of: "s").map(\.received) == [300_000])
    second.setClient(log, of: "s")
    second.perform(.connect(session: "s", sendsLaunchEvents: true))
    second.perform(.told(session: "s"))
    let lines = try await log.lines.wait(for: "the end") { $0.contains("all") }
    #expect(lines == ["ended 200 300000", "all"] && phone.wakes.value == ["s"])
    second.close()
    phone.disconnected()
    close(other)
    phone.end()
  }

  @Test(
    "A folder that cannot be used, or that another process has, is refused for that reason, until it can be opened"
  )
  func refusedFolder() throws {
    let (phone, folder) = (Phone(), try TemporaryFolder())
    let end = try phone.connect()
    let service = RemoteTransfers(over: end, folder: folder.path, clock: SystemClock.shared)
    mkdir(folder.file("lock"), 0o700)
    let failure = #expect(throws: URLError.self) { try service.open(settings(folder)) }
    #expect(failure?.code == .cannotCreateFile)
    #expect(
      failure?.localizedDescription.hasPrefix("the folder for background transfers cannot be used") == true)
    rmdir(folder.file("lock"))
    let lock = open(folder.file("lock"), O_RDWR | O_CREAT, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    let other = #expect(throws: URLError.self) { try service.open(settings(folder)) }
    #expect(other?.code == .backgroundSessionInUseByAnotherProcess)
    close(lock)
    try service.open(settings(folder))
    service.close()
    close(end)
    phone.disconnected()
    phone.end()
  }

  @Test("A phone that answers late opens the service at the next request")
  func latePhone() async throws {
    let (application, phone) = try pair()
    let (folder, log) = (try TemporaryFolder(), Log())
    let service = RemoteTransfers(over: application, folder: folder.path, clock: SystemClock.shared)
    let failure = #expect(throws: URLError.self) { try service.open(settings(folder), patience: 0.01) }
    #expect(failure?.code == .backgroundSessionWasDisconnected)
    let record = TaskRecord(
      key, .download, url: "http://localhost/", method: "GET", fields: [:], timeout: 60)
    let notices = [
      TransferNotice.opened(false), .opened(false), .record(record), .opened(true),
      .finishEvents(session: "s"),
    ]
    let bytes = notices.flatMap { MessageFrames.frame($0) ?? [] }
    // Only a part of a message arrives in time.
    #expect(send(phone, bytes, 3, 0) == 3)
    #expect(throws: URLError.self) { try service.open(settings(folder), patience: 0.01) }
    #expect(send(phone, Array(bytes[3...]), bytes.count - 3, 0) == bytes.count - 3)
    service.setClient(log, of: "s")
    try service.open(settings(folder))
    #expect(service.knows(key))
    _ = try await log.lines.wait(for: "a notice") { $0 == ["all"] }
    service.close()
    close(application)
    close(phone)
  }

  @Test("What is no message is refused")
  func garbage() throws {
    let phone = Phone()
    for bytes: [UInt8] in [[255, 255, 255, 255], [2, 0, 0, 0, 1, 2]] {
      let end = try phone.connect()
      #expect(send(end, bytes, bytes.count, 0) == bytes.count)
      close(end)
      phone.disconnected()
    }
    phone.end()
  }

  @Test(
    "A process that has not opened the service is woken all the same, once the phone says that it is suspended"
  )
  func unopened() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try HostileServer { request in
      [.call { _ = gate.wait(timeout: .now() + 120) }] + HostileFile(content).answer(request)
    }
    defer { server.stop() }
    let (folder, wakes) = (try TemporaryFolder(), Observed<[String]>([]))
    let host = TransferHost(transport: CurlHTTPTransport(), clock: SystemClock.shared) { name in
      wakes.update { $0.append(name) }
    }
    defer { host.end() }
    let record = TaskRecord(
      key, .download, url: server.url("/a"), method: "GET", fields: [:], timeout: .infinity)
    let first = try pair()
    host.connect(first.phone, isWoken: false)
    for message in [
      TransferRequestMessage.open(settings(folder)),
      .call(.connect(session: "s", sendsLaunchEvents: true)), .call(.add(record, resuming: nil)),
      .call(.resume(key, deadlineIn: 3600, earliest: nil, isDiscretionary: false)),
    ] {
      let bytes = MessageFrames.frame(message) ?? []
      #expect(send(first.application, bytes, bytes.count, 0) == bytes.count)
    }
    #expect(host.receive())
    // The process reports its state itself.
    host.applicationEntered(.suspended)
    host.disconnect()
    close(first.application)
    let second = try pair()
    host.connect(second.phone, isWoken: false)
    host.applicationEntered(.suspended)
    gate.signal()
    #expect(try await wakes.wait(for: "a wake") { !$0.isEmpty } == ["s"])
    close(second.application)
  }

  @Test("A task that has failed with the connection does not end again, whatever the phone still sends")
  func afterTheLoss() async throws {
    let (application, phone) = try pair()
    let (folder, log) = (try TemporaryFolder(), Log())
    func notify(_ notices: TransferNotice...) {
      let bytes = notices.flatMap { MessageFrames.frame($0) ?? [] }
      #expect(send(phone, bytes, bytes.count, 0) == bytes.count)
    }
    var record = TaskRecord(
      key, .download, url: "http://localhost/", method: "GET", fields: [:], timeout: 60)
    notify(.record(record), .opened(true))
    let service = try opened(application, settings(folder))
    service.setClient(log, of: "s")
    record.outcome = .failed(.timedOut, "late")
    notify(.opened(false), .ended(record), .finishEvents(session: "s"))
    _ = try await log.lines.wait(for: "the last notice") { $0.contains("all") }
    #expect(log.lines.value == ["ended -997 -1", "all"])
    service.close()
    close(application)
    close(phone)
  }

  private func pair() throws -> (application: Int32, phone: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("Records that are longer than a message in all come one by one")
  func longRecords() throws {
    let (phone, folder) = (Phone(), try TemporaryFolder())
    for task in 1...9 {
      let fields = ["X-Long": String(repeating: "a", count: MessageFrames.limit / 8)]
      let record = TaskRecord(
        TransferKey(session: "s", task: task), .download, url: "http://localhost/", method: "GET",
        fields: fields, timeout: 60)
      try #require(record.bytes).write(to: URL(fileURLWithPath: folder.file("\(record.name).task")))
    }
    let end = try phone.connect()
    let service = try opened(end, settings(folder))
    #expect(service.records(of: "s").map(\.task) == Array(1...9))
    service.close()
    phone.disconnected()
    close(end)
    phone.end()
  }

  @Test(
    "A call that is too long, and a stream that the phone does not understand, fail the tasks",
    arguments: [true, false])
  func lost(_ isTooLong: Bool) async throws {
    let (phone, folder, log) = (Phone(), try TemporaryFolder(), Log())
    let end = try phone.connect()
    let service = try opened(end, settings(folder))
    // The transfer itself begins tomorrow.
    begin(service, log, "http://localhost/", earliest: Date(timeIntervalSinceNow: 86_400))
    let data = Observed<[Data?]>([])
    if isTooLong {
      service.perform(.describe(key, String(repeating: "a", count: MessageFrames.limit / 2)))
    } else {
      #expect(send(end, [2, 0, 0, 0, 1, 2] as [UInt8], 6, 0) == 6)
    }
    _ = try await log.lines.wait(for: "the failure") { $0 == ["ended -997 -1"] }
    service.perform(.heard(key))
    // Later calls are answered too.
    begin(service, log, "http://localhost/")
    _ = try await log.lines.wait(for: "another failure") { $0.count == 2 && $0[1] == $0[0] }
    service.cancel(key) { given in data.update { $0.append(given) } }
    #expect(try await data.wait(for: "no resume data") { !$0.isEmpty } == [nil])
    service.close()
    phone.disconnected()
    close(end)
    phone.end()
    #expect(log.lines.value.count == 2 && service.isIdle)
  }

  @Test(
    "A phone that does not read for a while gets every message; one that never does delays only for a time")
  func slowPhone() throws {
    let (application, phone) = try pair()
    defer { close(phone) }
    let sender = MessageSender(application, clock: SystemClock.shared)
    var limit = timeval(tv_sec: 0, tv_usec: 1000)
    setsockopt(application, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let text = String(repeating: "a", count: 100_000)
    for number in 0..<20 { sender.send(TransferRequestMessage.call(.told(session: "\(number) \(text)"))) }
    // Time for many time-outs.
    usleep(100_000)
    #expect(!sender.isIdle)
    var frames = MessageFrames()
    for number in 0..<20 {
      let message = try #require(try frames.next(TransferRequestMessage.self, from: phone))
      guard case .call(.told(let session)) = message else { throw Failure("\(message)") }
      #expect(session.hasPrefix("\(number) "))
    }
    for _ in 0..<20 { sender.send(TransferRequestMessage.call(.told(session: text))) }
    sender.close()
    #expect(sender.isIdle)
    close(application)
  }

  /// A clock that sends a message to the phone whenever the phone's thread asks for the time.
  private final class FeedingClock: HostClock {
    static let limit = 1000
    let application: Int32
    let message: [UInt8]
    let sent = Mutex(0)
    private let thread = pthread_self()

    init(_ application: Int32, _ message: [UInt8]) {
      self.application = application
      self.message = message
    }

    func send() { _ = Glibc.send(application, message, message.count, Int32(MSG_DONTWAIT)) }

    var now: HostTime {
      let feeds = sent.withLock { sent in
        guard pthread_equal(thread, pthread_self()) != 0, sent < Self.limit else { return false }
        sent += 1
        return true
      }
      if feeds { send() }
      return SystemClock.shared.now
    }

    func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
      SystemClock.shared.makeWorker(name, body: body)
    }
  }

  @Test("An application that never stops sending does not keep the phone")
  func endlessMessages() throws {
    let (application, phone) = try pair()
    defer { close(application) }
    let folder = try TemporaryFolder()
    let message = try #require(MessageFrames.frame(TransferRequestMessage.open(settings(folder))))
    let clock = FeedingClock(application, message)
    let host = TransferHost(transport: CurlHTTPTransport(), clock: clock) { _ in }
    defer { host.end() }
    host.connect(phone, isWoken: false)
    clock.send()
    #expect(host.receive())
    #expect(1..<FeedingClock.limit ~= clock.sent.withLock { $0 })
  }

  @Test("Messages come whole, however their bytes arrive")
  func frames() throws {
    let messages = [
      TransferRequestMessage.call(.told(session: "ä\n")), .cancel(key, handler: 3),
      .call(.resume(key, deadlineIn: .infinity, earliest: nil, isDiscretionary: true)),
    ]
    let bytes = messages.flatMap { MessageFrames.frame($0) ?? [] }
    for size in [1, 3, 4, 5, 64, bytes.count] {
      var frames = MessageFrames()
      var read: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        frames.append(bytes[start..<min(start + size, bytes.count)])
        while let message = try frames.next(TransferRequestMessage.self) { read.append("\(message)") }
      }
      #expect(read == messages.map { "\($0)" })
    }
  }
}
