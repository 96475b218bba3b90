package import ControlProtocol
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import SystemSupport

/// The server of the control socket and, optionally, of network ports: one thread, one event loop. It serves
/// until ``stop()``, even if no reference to it is left.
package final class MPDServer: Sendable {
  /// The path of the socket; empty if systemd passed a socket without a path.
  package let path: String
  private let group: MultiThreadedEventLoopGroup
  private let core: NIOLoopBoundBox<ServerCore?>
  private let mailbox: LoopMailbox
  private let channel: any Channel
  private let networkChannels = Mutex<[any Channel]>([])
  private let file: SocketFile?
  private let limits: ServerLimits
  private let isStopped = Atomic(false)

  /// Starts to serve `socket`; `configuration` sets the permissions of its clients. Blocks until the server's thread
  /// runs. Any thread but a server's own.
  ///
  /// - Throws: `ListenError.system` with the system's error.
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
          return socket.peerUser().flatMapThrowing { peer in
            try Self.add(box.value?.admit(user: peer), to: channel)
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

  /// Notifies every client, idle or not, of changes. Any thread; does not block.
  package func notify(_ subsystems: Subsystems) { mailbox.notify(subsystems) }

  /// Sends a record to all watchers of `topic`, or only to `client` if it watches the topic. A topic's
  /// records arrive in the order of the calls; some are dropped if too many wait. The record is formatted on
  /// the calling thread, and not at all without a watcher. Any thread; does not block.
  package func broadcast(_ record: WatchRecord, to topic: WatchTopic, only client: ClientID? = nil) {
    mailbox.broadcast(record, topic, only: client)
  }

  /// Ends the server: stops accepting, and removes the socket's file unless another server has replaced the file.
  /// Then waits for commands in progress and pending replies, and closes everything. Blocks for at most slightly
  /// longer than ``ServerLimits/ending``, and up to 2 s more while another server starts. Any thread but the
  /// server's own. A second call returns immediately.
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

  /// Serves clients from the network too, at a numeric address or at all addresses of the machine (`*`);
  /// `access` sets their permissions. Returns the bound address: port 0 selects a free port. Throws `notAnAddress`,
  /// `addressInUse` or `system`. Blocks for system calls. Any thread but the server's own.
  package func listen(on address: NetworkAddress, access: NetworkAccess) throws(ListenError) -> NetworkAddress
  {
    let isAny = address.host == NetworkAddress.anyHost
    var bound = address
    if isAny { bound.host = "0.0.0.0" }
    var channels = [try bind(bound, access)]
    bound.port = UInt16(clamping: channels[0].localAddress?.port ?? Int(address.port))
    do {
      if isAny { channels.append(try bind(NetworkAddress(host: "::", port: bound.port), access)) }
    } catch .system(let error, _) where [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code) {
      // The machine has no IPv6.
    } catch {
      try? channels[0].close().wait()
      throw error
    }
    networkChannels.withLock { [channels] in $0 += channels }
    return NetworkAddress(host: address.host, port: bound.port)
  }

  /// Replaces the passwords of network clients. A connected client keeps its permissions until it gives a correct
  /// password. Any thread; does not block.
  package func setPasswords(_ passwords: [Argument: Permissions]) {
    channel.eventLoop.execute { [core] in core.value?.setPasswords(passwords) }
  }

  private func bind(_ address: NetworkAddress, _ access: NetworkAccess) throws(ListenError) -> any Channel {
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
    // Accepts IPv6 only, so that no IPv4 address appears in its IPv6-mapped form. For `*`, IPv4 has its own socket.
    if case .v6 = socketAddress {
      bootstrap = bootstrap.serverChannelOption(
        ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 1)
    }
    do {
      return try bootstrap.bind(to: socketAddress).wait()
    } catch {
      let code = (error as? IOError)?.errnoCode ?? EINVAL
      throw code == EADDRINUSE
        ? .addressInUse(address) : .system(SystemCallError("bind", code: code), path: "\(address)")
    }
  }

  /// Returns the bootstrap that accepts clients. `admit` adds the client, or fails so that the connection is
  /// closed.
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
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytes))
      .childChannelOption(.writeBufferWaterMark, value: .full(at: limits.pauseBytes))
      .childChannelInitializer(admit)
  }

  /// Registers the channel's socket, so that it is not reclaimed with the sockets of a suspended application.
  private static func registerAsSystems(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      SystemSockets.register($0)
    }
  }

  private static func add(_ connection: ClientConnection?, to channel: any Channel) throws {
    guard let connection else { throw NotAdmitted() }
    let pipeline = channel.pipeline.syncOperations
    try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { connection.descriptor = $0 }
    try pipeline.addHandler(connection)
  }

  /// The reason to close a connection before anything is sent.
  private struct NotAdmitted: Error {}
}

extension ChannelOptions.Types.WriteBufferWaterMark {
  /// Returns the water marks of a channel that becomes unwritable above `bytes`, and writable again below half of
  /// that.
  static func full(at bytes: Int) -> Self { Self(low: (bytes + 1) / 2, high: max(1, bytes)) }
}

/// Stops accepting for a second after a system error, as when the process has no descriptors left.
///
/// NIO's own back-off handler postpones the next read, but the failed connection is still pending. So the
/// loop finds the listening socket ready again immediately, and uses 100 % of a processor until a descriptor
/// is free. Seen with NIO 2.101.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = Any

  /// The length of the pause. Descriptors become free only when clients leave, so a second's delay goes
  /// unnoticed.
  static let length = TimeAmount.seconds(1)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Any other error concerns one connection, which is closed already.
    guard error is IOError, let options = context.channel.syncOptions else { return }
    try? options.setOption(.autoRead, value: false)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.length) {
      try channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
