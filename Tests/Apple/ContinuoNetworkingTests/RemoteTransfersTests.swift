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
    let wakes = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)
    private let next = Mutex<[(descriptor: Int32, isWoken: Bool)]>([])
    private let came = DispatchSemaphore(value: 0)

    init() {
      Thread.detachNewThread { [self] in
        let host = TransferHost(transport: CurlHTTPTransport(), clock: SystemClock.shared) {
          [weak self] name in
          self?.wakes.withLock { $0.append(name) }
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
    func finishEvents() { say("all") }
  }

  private let content = [UInt8](repeating: 7, count: 300_000)
  private let key = TransferKey(session: "s", task: 1)

  private func settings(_ folder: TemporaryFolder) -> TransferSettings {
    TransferSettings(
      folder: folder.path, application: .front, discretionaryDelay: 600,
      defaultFields: ["User-Agent": "App/1"])
  }

  private func begin(_ service: RemoteTransfers, _ log: Log, _ url: String) {
    service.setClient(log, of: "s")
    service.perform(.connect(session: "s", sendsLaunchEvents: true))
    let record = TaskRecord(key, .download, url: url, method: "GET", fields: [:], timeout: .infinity)
    service.perform(.add(record, resuming: nil))
    service.perform(.resume(key, deadlineIn: 3600, earliest: nil, isDiscretionary: false))
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
    let service = try #require(RemoteTransfers(over: end, settings(folder), clock: SystemClock.shared))
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
    let service = try #require(RemoteTransfers(over: end, settings(folder), clock: SystemClock.shared))
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
    let first = try #require(RemoteTransfers(over: end, settings(folder), clock: SystemClock.shared))
    begin(first, Log(), server.url("/a"))
    first.close()
    phone.disconnected()
    close(end)
    gate.signal()
    while phone.wakes.withLock({ $0 }).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let other = try phone.connect(isWoken: true)
    var settings = settings(folder)
    // Inactive: the phone knows why it was launched.
    settings.application = nil
    let second = try #require(RemoteTransfers(over: other, settings, clock: SystemClock.shared))
    #expect(second.records(of: "s").map(\.received) == [300_000])
    second.setClient(log, of: "s")
    second.perform(.connect(session: "s", sendsLaunchEvents: true))
    second.perform(.told(session: "s"))
    let lines = try await log.lines.wait(for: "the end") { $0.contains("all") }
    #expect(lines == ["ended 200 300000", "all"] && phone.wakes.withLock { $0 } == ["s"])
    second.close()
    phone.disconnected()
    close(other)
    phone.end()
  }

  @Test("A folder that another process has, and what is no message, are refused")
  func refused() throws {
    let (phone, folder) = (Phone(), try TemporaryFolder())
    let lock = open(folder.file("lock"), O_RDWR | O_CREAT, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    let end = try phone.connect()
    #expect(RemoteTransfers(over: end, settings(folder), clock: SystemClock.shared) == nil)
    close(lock)
    close(end)
    phone.disconnected()
    for bytes: [UInt8] in [[255, 255, 255, 255], [2, 0, 0, 0, 1, 2]] {
      let end = try phone.connect()
      #expect(send(end, bytes, bytes.count, 0) == bytes.count)
      phone.disconnected()
      close(end)
    }
    phone.end()
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
