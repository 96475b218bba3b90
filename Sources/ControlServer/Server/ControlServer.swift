package import ControlProtocol
internal import ControlSocket
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The server of the control socket: one thread, one event loop. It serves until ``stop()``, whoever holds it.
package final class ControlServer: Sendable {
  /// Where clients find it; empty if systemd passed a socket without a path.
  package let path: String
  private let group: MultiThreadedEventLoopGroup
  private let core: NIOLoopBoundBox<ServerCore?>
  private let mailbox: LoopMailbox
  private let channel: any Channel
  private let file: SocketFile?
  private let limits: ServerLimits
  private let isStopped = Atomic(false)

  /// Serves `socket` from now on; `configuration` says what clients may do. Throws what the system refuses. Blocks until
  /// the server's thread runs. Any thread but a server's own.
  package init(
    socket: consuming ListeningSocket, handler: any ControlHandler,
    configuration: ConnectionMachine.Configuration = ConnectionMachine.Configuration(),
    limits: ServerLimits = ServerLimits()
  ) throws(ListenError) {
    let path = socket.path
    let access = socket.access
    let file = socket.file
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let box = NIOLoopBoundBox<ServerCore?>.makeEmptyBox(valueType: ServerCore.self, eventLoop: eventLoop)
    let mailbox = LoopMailbox(core: box, eventLoop: eventLoop, recordLimit: limits.broadcastRecords)
    let descriptor = socket.takeDescriptor()
    do {
      channel = try eventLoop.submit {
        box.value = ServerCore(
          limits: limits, access: access, configuration: configuration, user: geteuid(), handler: handler,
          mailbox: mailbox)
      }.flatMap { Self.accept(on: descriptor, group: group, core: box, limits: limits) }.wait()
    } catch {
      file?.removeIfOwn()
      try? group.syncShutdownGracefully()
      throw .system(SystemCallError("listen", code: (error as? IOError)?.errnoCode ?? EINVAL), path: path)
    }
    self.path = path
    self.group = group
    core = box
    self.mailbox = mailbox
    self.file = file
    self.limits = limits
  }

  /// Tells every client, idle or not, that something changed. Any thread; does not block.
  package func notify(_ subsystems: Subsystems) { mailbox.notify(subsystems) }

  /// Sends a record to all who watch `topic`, or to `client` alone if it does. Records arrive in the order in which
  /// they are given. It is formatted on the calling thread, and not at all if nobody watches. Any thread; does not
  /// block.
  package func broadcast(_ record: WatchRecord, to topic: WatchTopic, only client: ClientID? = nil) {
    mailbox.broadcast(record, topic, only: client)
  }

  /// Ends the server: accepts nobody, removes the socket's file if it is still this server's, lets commands under way
  /// finish and replies go out, and closes everything. Blocks, at most some time more than ``ServerLimits/ending``.
  /// Any thread but the server's own. A second call does nothing.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    file?.removeIfOwn()
    let core = self.core
    let channel = self.channel
    let limit = TimeAmount(seconds: limits.ending)
    let ended = channel.eventLoop.flatSubmit {
      channel.close(promise: nil)
      guard let server = core.value else { return channel.eventLoop.makeSucceededVoidFuture() }
      let timer = channel.eventLoop.scheduleTask(in: limit) { core.value?.abandon() }
      return server.end().always { _ in timer.cancel() }
    }
    try? ended.wait()
    mailbox.close()
    try? channel.eventLoop.submit { core.value = nil }.wait()
    try? group.syncShutdownGracefully()
  }

  private static func accept(
    on descriptor: CInt, group: MultiThreadedEventLoopGroup, core: NIOLoopBoundBox<ServerCore?>,
    limits: ServerLimits
  ) -> EventLoopFuture<any Channel> {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: ListeningSocket.backlog)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause())
        }
      }
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytes)
      )
      .childChannelOption(.writeBufferWaterMark, value: .full(at: limits.pauseBytes))
      .childChannelInitializer { channel in
        guard let socket = channel as? any SocketOptionProvider else {
          return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return PeerCredentials.read(from: socket).flatMapThrowing { peer in
          guard let connection = core.value?.admit(peer) else { throw NotAdmitted() }
          try channel.pipeline.syncOperations.addHandler(connection)
        }
      }
      .withBoundSocket(descriptor)
  }

  /// Closes the connection before anything is sent.
  private struct NotAdmitted: Error {}
}

extension ChannelOptions.Types.WriteBufferWaterMark {
  /// A channel that is full at `bytes` and has room again at half of it.
  static func full(at bytes: Int) -> Self { Self(low: (bytes + 1) / 2, high: max(1, bytes)) }
}
