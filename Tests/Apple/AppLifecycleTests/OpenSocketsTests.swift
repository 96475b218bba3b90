import Foundation
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import AppLifecycle

/// What TN2277 says of sockets that were reclaimed, on real ones. One at a time: the process has other tests' sockets too.
@Suite(.timeLimit(.minutes(10))) struct OpenSocketsTests {
  /// T5: everything fails but closing; what was not read is lost; the other end sees that the connection is gone.
  @Test(arguments: [false, true])
  func aDataSocketFailsForGood(isIPv6: Bool) throws {
    let (near, far) = try LoopbackSocket.pair(isIPv6: isIPv6)
    try far.send("unread")
    #expect(try near.events() == POLLIN)

    let reclaimed = try #require(OpenSockets.reclaim(near.descriptor))
    let host = isIPv6 ? "[::1]" : "127.0.0.1"
    #expect(reclaimed.address.hasPrefix("\(host):"))
    #expect(reclaimed.use == .connected(to: "\(host):\(far.port)"))

    #expect(try near.events() & (POLLHUP | POLLERR) == POLLHUP | POLLERR)
    #expect(near.pendingError == ECONNRESET)
    for _ in 0..<2 {
      #expect(throws: POSIXError(.ENOTCONN)) { try near.receive() }
      #expect(throws: POSIXError(.EPIPE)) { try near.send("x") }
    }
    #expect(throws: POSIXError(.ECONNRESET)) { try far.receive() }
    // It has the number still, and nothing more to lose.
    #expect(OpenSockets.reclaim(near.descriptor) == nil)
    let copy = dup(near.descriptor)
    #expect(copy >= 0 && close(copy) == 0)
  }

  /// T5: nobody sleeps on a connection that is gone.
  @Test func aThreadThatReceivesWakesUp() async throws {
    let (near, far) = try LoopbackSocket.pair()
    let blocked = Blocked { try near.receive().count }
    try await blocked.untilItSleeps()
    #expect(OpenSockets.reclaim(near.descriptor) != nil)
    #expect(try await blocked.error() == .EPIPE)
    withExtendedLifetime(far) {}
  }

  /// T4 and T2: a listener is deaf, a thread that accepts wakes up, and clients are refused at once.
  @Test(arguments: [false, true])
  func aListenerIsDeaf(isIPv6: Bool) async throws {
    let listener = try LoopbackSocket.listening(isIPv6: isIPv6)
    let port = listener.port
    let blocked = Blocked { try listener.accept().port }
    try await blocked.untilItSleeps()

    let reclaimed = OpenSockets.reclaim(listener.descriptor)
    #expect(
      reclaimed?.description == (isIPv6 ? "[::1]:\(port) listening" : "127.0.0.1:\(port) listening")
    )

    #expect(try await blocked.error() == .EINVAL)
    #expect(try listener.events() & POLLHUP != 0)
    #expect(throws: POSIXError(.EINVAL)) { try listener.accept() }
    #expect(throws: POSIXError(.ECONNREFUSED)) {
      try LoopbackSocket.connected(to: port, isIPv6: isIPv6)
    }
  }

  /// T2: whether the application hears of the reclaim depends on how it manages the listener. One that does not watch it has the
  /// same descriptor, without an error, and no client comes.
  @Test func onlyAWatchedListenerTells() throws {
    let (watched, other) = (try LoopbackSocket.listening(), try LoopbackSocket.listening())
    let port = other.port
    for listener in [watched, other] { #expect(OpenSockets.reclaim(listener.descriptor) != nil) }
    #expect(try watched.events() & POLLHUP != 0)

    #expect(fcntl(other.descriptor, F_GETFD) >= 0)
    var (error, length) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
    #expect(getsockopt(other.descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0)
    #expect(throws: POSIXError(.ECONNREFUSED)) { try LoopbackSocket.connected(to: port) }
  }

  /// T2: connections that the kernel has accepted for a listener that nobody serves end with it.
  @Test func connectionsThatNobodyAcceptedAreReset() throws {
    let listener = try LoopbackSocket.listening()
    let client = try LoopbackSocket.connected(to: listener.port)
    #expect(OpenSockets.reclaim(listener.descriptor) != nil)
    #expect(throws: POSIXError(.ECONNRESET)) { try client.receive() }
  }

  @Test func whatIsNoConnectionStays() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    var pipes: [Int32] = [-1, -1]
    #expect(pipe(&pipes) == 0)
    let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    let file = open("/dev/null", O_RDONLY)
    let idle = try LoopbackSocket()
    defer { for descriptor in ends + pipes + [datagrams, file] { close(descriptor) } }
    for descriptor in ends + pipes + [datagrams, file, idle.descriptor, -1] {
      #expect(OpenSockets.reclaim(descriptor) == nil)
    }
    #expect(write(ends[0], "x", 1) == 1)
    #expect(write(pipes[1], "x", 1) == 1)
    // One that was not in use can still be used.
    let listener = try LoopbackSocket.listening()
    #expect(throws: Never.self) { try LoopbackSocket.connected(to: listener.port) }
  }

  @Test func theSystemsSocketsStay() throws {
    let (near, far) = try LoopbackSocket.pair()
    SystemSockets.register(near.descriptor)
    let copy = dup(near.descriptor)
    defer { close(copy) }
    #expect(OpenSockets.reclaim(near.descriptor) == nil)
    #expect(OpenSockets.reclaim(copy) == nil)
    try far.send("x")
    #expect(try near.receive() == Array("x".utf8))
  }

  /// A number that is given again does not stand for what it stood for.
  @Test func aRegistrationEndsWithItsSocket() throws {
    let first = try LoopbackSocket()
    let number = first.descriptor
    SystemSockets.register(number)
    #expect(SystemSockets.contain(number))
    let (near, far) = try LoopbackSocket.pair()
    // In its place and in one step: a number that is free for a moment may become another test's.
    #expect(dup2(near.descriptor, number) == number && !SystemSockets.contain(number))
    #expect(OpenSockets.reclaim(number) != nil)
    #expect(throws: POSIXError(.ECONNRESET)) { try far.receive() }
    withExtendedLifetime(first) {}
  }

  @Test func descriptionsName() {
    let connected = ReclaimedSocket(address: "10.0.0.2:51234", use: .connected(to: "10.0.0.1:80"))
    let listening = ReclaimedSocket(address: "127.0.0.1:8000", use: .listening)
    #expect(
      ReclaimedSocket(address: "10.0.0.2:1", use: .connecting).description
        == "10.0.0.2:1 connecting")
    #expect(
      LifecycleRecord.Event.socketsReclaimed([listening, connected]).description
        == "sockets reclaimed: 127.0.0.1:8000 listening, 10.0.0.2:51234 → 10.0.0.1:80")
  }
}

extension LoopbackSocket {
  /// What `poll` says of it, at once or within 120 s.
  fileprivate func events() throws -> Int32 {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 120_000) == 1 else { throw POSIXError(.ETIMEDOUT) }
    return Int32(entry.revents)
  }
}

/// A call on a thread of its own that is expected to block, and then to fail.
private final class Blocked: Sendable {
  /// The thread's folder below `/proc`.
  private let thread = Mutex<String?>(nil)
  private let errors: AsyncStream<POSIXErrorCode?>

  init(_ call: @escaping @Sendable () throws -> Int) {
    let (errors, continuation) = AsyncStream.makeStream(of: POSIXErrorCode?.self)
    self.errors = errors
    Thread.detachNewThread { [self] in
      let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      thread.withLock { $0 = folder }
      do {
        _ = try call()
        continuation.yield(nil)
      } catch {
        continuation.yield((error as? POSIXError)?.code)
      }
      continuation.finish()
    }
  }

  /// Returns when the thread sleeps, which it does nowhere else.
  func untilItSleeps() async throws {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      if let folder = thread.withLock({ $0 }),
        let status = try? String(contentsOfFile: "/proc/\(folder)/stat", encoding: .utf8),
        status[(status.lastIndex(of: ")") ?? status.startIndex)...].hasPrefix(") S")
      {
        return
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    throw POSIXError(.ETIMEDOUT)
  }

  /// What the call failed with.
  func error() async throws -> POSIXErrorCode? {
    for await error in errors { return error }
    throw POSIXError(.ETIMEDOUT)
  }
}
