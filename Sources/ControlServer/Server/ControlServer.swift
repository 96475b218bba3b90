package import ControlProtocol
package import ControlSocket
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import SystemSockets

/// The server of the control socket, and of network ports if it is told to: one thread, one event loop. It serves until ``stop()``, whoever holds it.
package final class ControlServer: Sendable {
  /// Where clients find it; empty if systemd passed a socket without a path.
  package let path: String
  private let group: MultiThreadedEventLoopGroup
  private let core: NIOLoopBoundBox<ServerCore?>
  private let mailbox: LoopMailbox
  private let channel: any Channel
  private let networkChannels = Mutex<[any Channel]>([])
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
      }.flatMap {
        Self.bootstrap(group, limits) { channel in
          guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
          }
          return PeerCredentials.read(from: socket).flatMapThrowing { peer in
            try Self.add(box.value?.admit(peer), to: channel)
          }
        }.withBoundSocket(descriptor)
      }.wait()
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
    let networkChannels = self.networkChannels.withLock { $0 }
    let limit = TimeAmount(seconds: limits.ending)
    let ended = channel.eventLoop.flatSubmit {
      for channel in networkChannels + [channel] { channel.close(promise: nil) }
      guard let server = core.value else { return channel.eventLoop.makeSucceededVoidFuture() }
      let timer = channel.eventLoop.scheduleTask(in: limit) { core.value?.abandon() }
      return server.end().always { _ in timer.cancel() }
    }
    try? ended.wait()
    mailbox.close()
    try? channel.eventLoop.submit { core.value = nil }.wait()
    try? group.syncShutdownGracefully()
  }

  /// Serves clients from the network too, at a numeric address, or at all that the machine has (`*`); `access` says
  /// what they may do. Returns where that is: port 0 stands for any that is free. Blocks for the system's calls. Any
  /// thread but the server's own.
  package func listen(on address: NetworkAddress, access: NetworkAccess) throws(ListenError) -> NetworkAddress
  {
    guard address.host == NetworkAddress.anyHost else { return try bind(address, access) }
    var bound = try bind(NetworkAddress(host: "0.0.0.0", port: address.port), access)
    do {
      bound = try bind(NetworkAddress(host: "::", port: bound.port), access)
    } catch .system(let error, _) where [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code) {
      // A machine without IPv6.
    }
    return NetworkAddress(host: NetworkAddress.anyHost, port: bound.port)
  }

  private func bind(_ address: NetworkAddress, _ access: NetworkAccess) throws(ListenError) -> NetworkAddress
  {
    guard let socketAddress = try? SocketAddress(ipAddress: address.host, port: Int(address.port)) else {
      throw .notAnAddress(address)
    }
    let limits = self.limits
    var bootstrap = Self.bootstrap(group, limits) { [core] channel in
      channel.eventLoop.makeCompletedFuture {
        try Self.registerAsSystems(channel)
        guard let from = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else {
          throw NotAdmitted()
        }
        try Self.add(core.value?.admit(from: from, access), to: channel)
      }
    }
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelOption(.socketOption(.so_keepalive), value: 1)
    .childChannelOption(
      .socketOption(.so_sndbuf), value: ChannelOptions.Types.SocketOption.Value(limits.networkBuffer))
    for (option, value) in [
      (TCP_KEEPIDLE, limits.keepAlive.idle), (TCP_KEEPINTVL, limits.keepAlive.interval),
      (TCP_KEEPCNT, limits.keepAlive.count),
    ] {
      bootstrap = bootstrap.childChannelOption(
        .tcpOption(NIOBSDSocket.Option(rawValue: option)), value: value)
    }
    // IPv4 has a socket of its own, so that no address comes in IPv6's clothes.
    if case .v6 = socketAddress {
      bootstrap = bootstrap.serverChannelOption(
        ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 1)
    }
    do {
      let channel = try bootstrap.bind(to: socketAddress).wait()
      networkChannels.withLock { $0.append(channel) }
      return NetworkAddress(
        host: address.host, port: UInt16(clamping: channel.localAddress?.port ?? Int(address.port)))
    } catch {
      let code = (error as? IOError)?.errnoCode ?? EINVAL
      throw code == EADDRINUSE
        ? .addressInUse(address) : .system(SystemCallError("bind", code: code), path: "\(address)")
    }
  }

  /// What accepts clients; `admit` makes them, or fails and so has the connection closed.
  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ limits: ServerLimits,
    admit: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: ListeningSocket.backlog)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try registerAsSystems(channel)
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
      .childChannelInitializer(admit)
  }

  /// Keeps the channel's socket from being reclaimed with those of a suspended application.
  private static func registerAsSystems(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      SystemSockets.register($0)
    }
  }

  private static func add(_ connection: ClientConnection?, to channel: any Channel) throws {
    guard let connection else { throw NotAdmitted() }
    try channel.pipeline.syncOperations.addHandler(connection)
  }

  /// Closes the connection before anything is sent.
  private struct NotAdmitted: Error {}
}

extension ChannelOptions.Types.WriteBufferWaterMark {
  /// A channel that is full at `bytes` and has room again at half of it.
  static func full(at bytes: Int) -> Self { Self(low: (bytes + 1) / 2, high: max(1, bytes)) }
}
