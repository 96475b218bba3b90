import CThreads
import Clocks
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

/// T5, "Data Socket": what clients see whose connection is reclaimed when the application is suspended. The thread that is
/// blocked in `recv` is in `OpenSocketsTests`. With real sockets and a real suspension.
@Suite(.timeLimit(.minutes(10))) struct ReclaimedClientTests {
  /// Suspends an application that has these descriptors, and returns what was reclaimed.
  private func suspend(_ descriptors: [Int32]) async -> [ReclaimedSocket] {
    var settings = LifecycleSettings()
    settings.socketReclaim = .whenSuspended
    let taken = Mutex<[ReclaimedSocket]>([])
    let device = Device(
      modes: BackgroundModes(), clock: SystemClock.shared, settings: settings,
      reclaimSockets: { descriptors.compactMap(OpenSockets.reclaim) })
    device.onRecord = { record in
      if case .socketsReclaimed(let sockets) = record.event { taken.withLock { $0 += sockets } }
    }
    await device.launch()
    await device.pressHomeButton()
    #expect(device.state == .suspended)
    return taken.withLock { $0 }
  }

  /// A client that waits with epoll wakes up with an error and a hang-up, every operation fails, and after `close` epoll is
  /// silent.
  @Test func aClientThatWaitsWithEpoll() async throws {
    let (near, far) = try LoopbackSocket.pair()
    try far.send("unread")
    _ = try near.receive()
    let epoll = continuo_epoll_create(O_CLOEXEC)
    defer { close(epoll) }
    let copy = fcntl(near.descriptor, F_DUPFD_CLOEXEC, 0)
    // EPOLLIN and EPOLLRDHUP.
    var event = continuo_epoll_event(events: 0x2001, data: 7)
    #expect(continuo_epoll_ctl(epoll, 1, copy, &event) == 0)
    let (events, continuation) = AsyncStream.makeStream(of: UInt32.self)
    Thread.detachNewThread {
      var event = continuo_epoll_event()
      let count = continuo_epoll_wait(epoll, &event, 1, 120_000)
      continuation.yield(count == 1 && event.data == 7 ? event.events : 0)
      continuation.finish()
    }
    #expect(await suspend([copy]).map(\.use) == [.connected(to: "127.0.0.1:\(far.port)")])
    for await seen in events {
      // EPOLLERR, EPOLLHUP.
      #expect(seen & 0x18 == 0x18, "\(seen)")
    }
    var byte: UInt8 = 0
    #expect(recv(copy, &byte, 1, 0) == -1 && errno == ECONNRESET)
    for _ in 0..<2 { #expect(recv(copy, &byte, 1, 0) == -1 && errno == ENOTCONN) }
    #expect(send(copy, &byte, 1, Int32(MSG_NOSIGNAL)) == -1 && errno == EPIPE)
    // Whoever does not close it is told for ever.
    #expect(continuo_epoll_wait(epoll, &event, 1, 0) == 1)
    #expect(close(copy) == 0)
    #expect(throws: POSIXError(.ECONNRESET)) { try far.receive() }
  }

  /// What a handler of SwiftNIO is told.
  private final class Log: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let seen = Mutex<[String]>([])
    let inactive = AsyncStream.makeStream(of: Void.self)
    var lines: [String] { seen.withLock { $0 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      seen.withLock { $0.append(text) }
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      seen.withLock { $0.append("error \((error as? IOError)?.errnoCode ?? -1)") }
    }
    func channelInactive(context: ChannelHandlerContext) {
      seen.withLock { $0.append("inactive") }
      inactive.continuation.finish()
    }
  }

  /// A client of SwiftNIO is told of the error, then that the channel is inactive; writing fails, and nothing is left open.
  @Test func aClientOfSwiftNIO() async throws {
    let listener = try LoopbackSocket.listening()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let log = Log()
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { $0.pipeline.addHandler(log) }
      .connect(host: "127.0.0.1", port: listener.port).get()
    let server = try listener.accept()
    try server.send("hello")
    try await channel.writeAndFlush(ByteBuffer(string: "x")).get()
    #expect(try server.receive() == Array("x".utf8))
    let descriptors = LoopbackSocket.descriptors(at: listener.port, isOtherEnd: true)
    #expect(await suspend(descriptors).count == 1)
    for await _ in log.inactive.stream {}
    #expect(log.lines.first == "hello" && log.lines.last == "inactive", "\(log.lines)")
    #expect(log.lines.dropFirst().dropLast() == ["error \(ECONNRESET)"], "\(log.lines)")
    await #expect(throws: ChannelError.ioOnClosedChannel) {
      try await channel.writeAndFlush(ByteBuffer(string: "y")).get()
    }
    try await channel.closeFuture.get()
    #expect(throws: POSIXError(.ECONNRESET)) { try server.receive() }
    #expect(LoopbackSocket.descriptors(at: listener.port, isOtherEnd: true).isEmpty)
    try await group.shutdownGracefully()
  }
}
