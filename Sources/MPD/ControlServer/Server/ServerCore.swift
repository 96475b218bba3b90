internal import CThreads
internal import ControlProtocol
internal import NIOCore
internal import SystemSupport

/// The state of the server, on its event loop.
final class ServerCore {
  let limits: ServerLimits
  let access: SocketAccess
  let configuration: ConnectionMachine.Configuration
  let user: UInt32
  let handler: any ControlHandler
  let mailbox: LoopMailbox
  let eventLoop: any EventLoop

  private(set) var connections: [ClientID: ClientConnection] = [:]
  private var board: ChannelBoard
  private var guesses = PasswordGuesses()
  /// The passwords of network clients since the last ``setPasswords(_:)``; nil before.
  private var passwords: [Argument: Permissions]?
  private var lastNumber: UInt64 = 0
  /// Clients that wait for their next turn, in order.
  private var waiting: [ClientID] = []
  private var isTurnScheduled = false
  private var isReleaseScheduled = false
  private var ending: EventLoopPromise<Void>?

  /// The pause between turns, long enough for the loop to check its sockets, which it does not do while a
  /// scheduled task is due.
  static let turnPause = TimeAmount.microseconds(50)
  /// The delay before memory is released. The release takes 1 ms, which is negligible once a second.
  static let releaseDelay = TimeAmount.seconds(1)

  init(
    limits: ServerLimits, access: SocketAccess, configuration: ConnectionMachine.Configuration, user: UInt32,
    handler: any ControlHandler, mailbox: LoopMailbox
  ) {
    self.limits = limits
    self.access = access
    self.configuration = configuration
    self.user = user
    self.handler = handler
    self.mailbox = mailbox
    eventLoop = mailbox.eventLoop
    board = ChannelBoard(subscriptionLimit: limits.subscriptions, messageLimit: limits.messages)
  }

  /// Returns the connection of a new client on the Unix socket; nil if it must be closed without an answer.
  func admit(user peer: UInt32) -> ClientConnection? {
    guard access.admits(user: peer, server: user) else { return nil }
    return admit(
      isLocal: true, isSameUser: peer == user || peer == 0, origin: PasswordGuesses.Origin(user: peer),
      configuration)
  }

  /// Returns the connection of a new client from the network; nil if it must be closed without an answer.
  func admit(from address: IPAddress, _ access: NetworkAccess) -> ClientConnection? {
    let others = connections.values.count { !$0.info.isLocal && !$0.hasDisconnected }
    guard others < limits.networkClients else { return nil }
    var access = access
    if let passwords { access.passwords = passwords }
    return admit(
      isLocal: false, isSameUser: false, origin: PasswordGuesses.Origin(address),
      access.configuration(for: address))
  }

  private func admit(
    isLocal: Bool, isSameUser: Bool, origin: PasswordGuesses.Origin,
    _ configuration: ConnectionMachine.Configuration
  ) -> ClientConnection? {
    guard ending == nil, connections.count < limits.clients + limits.departed,
      connections.values.count(where: { !$0.hasDisconnected }) < limits.clients
    else { return nil }
    lastNumber += 1
    let info = ClientInfo(id: ClientID(number: lastNumber), isLocal: isLocal, isSameUser: isSameUser)
    let connection = ClientConnection(core: self, info: info, origin: origin, configuration: configuration)
    connections[info.id] = connection
    handler.report(.debug, "\(info.id) connected (\(origin.name))")
    return connection
  }

  func forget(_ connection: ClientConnection) {
    guard connections.removeValue(forKey: connection.info.id) != nil else { return }
    if board.remove(connection.info.id) { notify(.subscription) }
    if !connection.topics.isEmpty { watchEnded(connection) }
    handler.clientLeft(connection.info)
    handler.report(.debug, "\(connection.info.id) left")
    if connection.hasPiledUp { releaseMemory() }
    if connections.isEmpty { ending?.succeed() }
  }

  /// Returns free memory to the system after clients that did not read have left; glibc would keep it. Runs
  /// once for clients that leave within `releaseDelay`.
  private func releaseMemory() {
    guard !isReleaseScheduled else { return }
    isReleaseScheduled = true
    eventLoop.assumeIsolated().scheduleTask(in: Self.releaseDelay) { [weak self] in
      self?.isReleaseScheduled = false
      _ = continuo_malloc_trim(0)
    }
  }

  /// Replaces the passwords of network clients, at every address. A client keeps its permissions until it gives a
  /// correct password.
  func setPasswords(_ passwords: [Argument: Permissions]) {
    self.passwords = passwords
    for connection in connections.values where !connection.info.isLocal {
      connection.setPasswords(passwords)
    }
  }

  // MARK: Commands

  /// Answers a client's password, immediately or after the delay for its origin. Other clients do not wait.
  func passwordGiven(isRight: Bool, by connection: ClientConnection) {
    let now = NIODeadline.now()
    let (due, report) = guesses.take(isRight: isRight, from: connection.origin, at: now)
    if let report { handler.report(.warning, report) }
    guard due > now else { return connection.answerPassword() }
    eventLoop.assumeIsolated().scheduleTask(deadline: due) { [weak self, id = connection.info.id] in
      self?.connections[id]?.answerPassword()
    }
  }

  func takeTurn(_ connection: ClientConnection) {
    waiting.append(connection.info.id)
    scheduleTurn()
  }

  private func scheduleTurn() {
    guard !isTurnScheduled, !waiting.isEmpty else { return }
    isTurnScheduled = true
    eventLoop.assumeIsolated().scheduleTask(in: Self.turnPause) { [weak self] in self?.turn() }
  }

  private func turn() {
    isTurnScheduled = false
    let present = waiting
    waiting = []
    for client in present { connections[client]?.turn() }
    scheduleTurn()
  }

  func channelReply(_ command: Command.Channels, _ client: ClientID) -> Result<Reply, Ack> {
    do throws(Ack) {
      var reply = Reply()
      switch command {
      case .subscribe(let channel):
        try board.subscribe(client, to: channel)
        notify(.subscription)
      case .unsubscribe(let channel):
        try board.unsubscribe(client, from: channel)
        notify(.subscription)
      case .channels:
        for channel in board.channels { reply.append("channel", channel) }
      case .sendmessage(let channel, let text):
        for client in try board.send(text, to: channel) { connections[client]?.notify(.message) }
      case .readmessages:
        for message in board.read(client) {
          reply.append("channel", message.channel)
          reply.append("message", message.text)
        }
      }
      return .success(reply)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Messages from other threads

  func deliver() {
    let contents = mailbox.take()
    for (client, result) in contents.completions { connections[client]?.complete(result) }
    if !contents.subsystems.isEmpty { notify(contents.subsystems) }
    for record in contents.records { send(record) }
    for var backlog in contents.overflow.values {
      let entries = backlog.take().entries
      for entry in entries where entry.leftOut > 0 {
        forEachAddressee(of: entry.record) { $0.leaveOut(entry.leftOut, of: entry.record.topic) }
      }
      for entry in entries { send(entry.record) }
    }
    guard !contents.records.isEmpty || !contents.overflow.isEmpty else { return }
    for connection in connections.values { connection.flushRecords() }
    let watching = connections.values.filter { !$0.topics.isEmpty }
    let present = watching.compactMap { $0.asPresentWatcher() }
    mailbox.setWatchers(present.count == watching.count ? present : [])
  }

  private func send(_ record: LoopMailbox.Record) { forEachAddressee(of: record) { $0.send(record) } }

  /// Calls `body` with the client of a record, or else with all clients, watching or not.
  private func forEachAddressee(of record: LoopMailbox.Record, _ body: (ClientConnection) -> Void) {
    if let client = record.client {
      if let connection = connections[client] { body(connection) }
    } else {
      for connection in connections.values { body(connection) }
    }
  }

  private func notify(_ subsystems: Subsystems) {
    for connection in connections.values { connection.notify(subsystems) }
  }

  // MARK: Watching

  func watchBegan(_ connection: ClientConnection) {
    updateTopics()
    handler.watchBegan(connection.topics, by: connection.info)
  }

  func watchEnded(_ connection: ClientConnection) {
    updateTopics()
    handler.watchEnded(by: connection.info)
  }

  private func updateTopics() {
    mailbox.setTopics(connections.values.reduce(into: []) { $0.formUnion($1.topics) })
  }

  // MARK: Shutdown

  /// Ends all clients: commands in progress are completed and their output is sent. The future succeeds when
  /// the last client has disconnected.
  func end() -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: Void.self)
    ending = promise
    for connection in connections.values { connection.end() }
    if connections.isEmpty { promise.succeed() }
    return promise.futureResult
  }

  /// Whether the server's end has begun.
  var isEnding: Bool { ending != nil }

  func abandon() { for connection in connections.values { connection.abandon() } }
}
