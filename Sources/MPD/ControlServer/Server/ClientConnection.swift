internal import ControlProtocol
internal import Dispatch
internal import Glibc
internal import NIOCore
internal import SystemSupport

/// The connection of one client: connects the pure ``ConnectionMachine`` to a channel. Runs on the event
/// loop.
///
/// The machine decides what is sent, performed and closed; this class decides when. It reads and performs
/// nothing while the client has many unread bytes, so the memory for a client is bounded.
final class ClientConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let info: ClientInfo
  /// The origin by which the client's wrong passwords are counted.
  let origin: PasswordGuesses.Origin
  private let core: ServerCore
  private var machine: ConnectionMachine
  private var context: ChannelHandlerContext?
  /// The channel's socket. Nothing is sent to it without `context`.
  var descriptor: Int32 = -1

  /// Bytes that were read but not passed to the machine yet. After the client has closed its side, at most
  /// the size of the kernel's buffer.
  private var input = ByteBuffer()
  /// Bytes of the machine that were not passed to the channel yet.
  private var output = ByteBuffer()
  /// The buffer capacity kept for the next reply, in bytes: enough for a `status` and almost every song.
  private static let keptOutput = 512
  /// Whether the channel was writable at its last notification.
  private var isWritable = true
  /// Whether the channel was ever not writable, so that the client's output took much memory.
  private(set) var hasPiledUp = false
  /// Whether the connection is closed. Commands may still be in progress.
  private(set) var hasDisconnected = false
  private var isInputEnded = false
  private var isRunning = false
  private var isInLine = false
  /// The end of the client's turn. Nil before the first command of a turn, and if no further command waits.
  private var turnEnd: NIODeadline?
  /// Whether the connection only sends its remaining output.
  private var isClosing = false

  private(set) var topics: Set<WatchTopic> = []
  private var backlog = WatchBacklog<String, [UInt8]>()
  private var watcherSocket: WatcherSocket?

  private var timer: Scheduled<Void>?
  private var timerDeadline = NIODeadline.distantFuture
  private var clock: ClientClock
  private var linesTaken: UInt64 = 0
  /// Whether a command has completed, or a piece of an answer was sent, since the last update of the clock.
  private var hasCompleted = false
  private var sent = 0

  init(
    core: ServerCore, info: ClientInfo, origin: PasswordGuesses.Origin,
    configuration: ConnectionMachine.Configuration
  ) {
    (self.core, self.info, self.origin) = (core, info, origin)
    machine = ConnectionMachine(configuration: configuration)
    clock = ClientClock(limits: core.limits, now: .now())
  }

  // MARK: Channel events

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    run()
    updateTimer()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0, machine.wantsInput {
      bytes.withUnsafeReadableBytes { machine.append($0) }
    } else {
      input.writeBuffer(&bytes)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) { run() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event as? ChannelEvent == .inputClosed else { return }
    isInputEnded = true
    core.handler.inputEnded(info)
    run()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable
    guard isWritable else { return hasPiledUp = true }
    sendBacklog()
    run()
  }

  /// Handles the end of the connection. Received commands are still performed, unless the server closed it.
  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    hasDisconnected = true
    isWritable = true
    isInputEnded = true
    timer?.cancel()
    machine.dropAnswer()
    core.handler.connectionClosed(info)
    // Commands after a password are dropped: performing them before the delayed answer would reveal the
    // result.
    if machine.isAwaitingPassword { return core.forget(self) }
    run()
  }

  /// Closes a connection that has failed; `channelInactive` follows.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: Calls from the server core

  func complete(_ result: Result<Reply, Ack>) {
    machine.complete(result)
    // After a disconnection nobody reads the rest of a long answer.
    if context == nil { machine.dropAnswer() }
    goOn()
  }

  /// Sends the answer to the client's password. Called when the answer is due.
  func answerPassword() {
    machine.answerPassword()
    goOn()
  }

  func setPasswords(_ passwords: [Argument: Permissions]) { machine.setPasswords(passwords) }

  private func goOn() {
    hasCompleted = true
    run()
  }

  func notify(_ subsystems: Subsystems) {
    let wasIdle = machine.isIdle
    machine.notify(subsystems)
    guard wasIdle, !machine.isIdle else { return }
    clock.lineTaken(at: .now())
    run()
  }

  /// Continues after the other clients' turns.
  func turn() {
    isInLine = false
    run()
  }

  /// Ends the connection when the server stops. No more input is read; commands in progress or already in the
  /// machine are still answered.
  func end() {
    isInputEnded = true
    input.clear()
    run()
  }

  /// Closes the connection, even with a command in progress.
  func abandon() {
    isClosing = true
    if let context { context.close(promise: nil) } else { core.forget(self) }
  }

  // MARK: Actions

  private func run() {
    guard !isRunning else { return }
    isRunning = true
    while mayGoOn {
      if let action = machine.next() {
        carryOut(action)
      } else if !feed() {
        break
      }
    }
    isRunning = false
    turnEnd = nil
    if machine.linesTaken != linesTaken || hasCompleted {
      linesTaken = machine.linesTaken
      hasCompleted = false
      clock.lineTaken(at: .now())
    }
    flush()
    if isClosing { closeWhenSent() } else { readOn() }
    // The timer is off while there is no deadline, and the client's new state may have one.
    if timerDeadline == .distantFuture { updateTimer() }
    // The client has disconnected, and all its commands are complete.
    if context == nil, !machine.isPerforming, !isInLine { core.forget(self) }
  }

  /// Whether the client has its turn and its channel has room. Requests another turn once this one is over.
  private var mayGoOn: Bool {
    if isClosing || isInLine || !isWritable { return false }
    if let turnEnd, machine.hasMore, NIODeadline.now() >= turnEnd {
      waitForTurn()
      return false
    }
    return true
  }

  private func waitForTurn() {
    isInLine = true
    core.takeTurn(self)
  }

  /// Passes input to the machine if it wants more. Returns whether the machine may have more actions.
  private func feed() -> Bool {
    if input.readableBytes > 0, machine.wantsInput {
      input.withUnsafeReadableBytes { machine.append($0) }
      input.clear()
      return true
    }
    return isInputEnded && input.readableBytes == 0 && machine.endInput()
  }

  private func carryOut(_ action: ConnectionMachine.Action) {
    switch action {
    case .send(let bytes):
      output.writeBytes(bytes)
      if let refusal = machine.refusal.take() { core.handler.report(.debug, "\(info.id): \(refusal)") }
      if machine.isAnswering {
        // The time limit for the next line restarts with each piece of the answer.
        hasCompleted = true
        beginTurn()
      }
      if output.readableBytes >= core.limits.pauseBytes { flush() }
    case .perform(let command, let context):
      if machine.hasMore { beginTurn() }
      if case .channels(let command) = command {
        complete(core.channelReply(command, info.id))
      } else {
        let completion = Completion(client: info.id, mailbox: core.mailbox)
        core.handler.perform(command, context, for: info, completion: completion)
      }
    case .makePiece(let rest):
      let completion = Completion(client: info.id, mailbox: core.mailbox)
      DispatchQueue(label: "continuo.answer").async { completion(rest.next()) }
    case .checkPassword(let isRight): core.passwordGiven(isRight: isRight, by: self)
    case .beginWatch(let request):
      topics = WatchTopic.all(of: request)
      setMark(core.limits.watchMark)
      clock.recordSent(at: .now())
      core.watchBegan(self)
      updateTimer()
    case .endWatch: endWatch()
    case .yield: waitForTurn()
    case .close: isClosing = true
    }
  }

  private func beginTurn() {
    if turnEnd == nil { turnEnd = .now() + TimeAmount(seconds: core.limits.turn) }
  }

  private func endWatch() {
    sendBacklog()
    topics = []
    backlog = WatchBacklog()
    setMark(core.limits.pauseBytes)
    core.watchEnded(self)
    watcherSocket = nil
  }

  private func setMark(_ bytes: Int) {
    try? context?.channel.syncOptions?.setOption(.writeBufferWaterMark, value: .full(at: bytes))
  }

  /// Sends the output, or passes to the channel what the client's socket does not take. Closes a client with
  /// more unread bytes than `outputBytes`.
  private func flush() {
    guard output.readableBytes > 0 else { return }
    guard let context else { return output.clear() }
    sent += output.readableBytes
    // The channel holds no bytes. A write through it costs more than a short command. After an error it fails
    // too, and closes the channel.
    if !clock.isStalled {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      output.readWithUnsafeReadableBytes { max(0, Glibc.send(descriptor, $0.baseAddress, $0.count, flags)) }
      if output.readableBytes == 0 {
        return output.capacity > Self.keptOutput ? output = ByteBuffer() : output.clear()
      }
    }
    var bytes = ByteBuffer()
    swap(&bytes, &output)
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    let situation = self.situation
    clock.flushed(situation, at: .now())
    if situation.pending > core.limits.outputBytes { return abandon() }
    if situation.pending > 0 { updateTimer() }
  }

  private func readOn() {
    guard let context, !isInputEnded, !isInLine, isWritable, input.readableBytes == 0, machine.wantsInput
    else { return }
    context.read()
  }

  private func closeWhenSent() {
    guard let context else {
      // A command in progress ends soon, because the handler knows that the connection is closed. The server's end
      // waits for none.
      if !machine.isPerforming || core.isEnding { core.forget(self) }
      return
    }
    guard pending > 0 else { return context.close(promise: nil) }
    // The stall limit applies to these bytes too.
    let sent = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    sent.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.context?.close(promise: nil) }
  }

  /// The bytes that the channel holds because the client does not read.
  private var pending: Int {
    (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  // MARK: Records

  /// Sends a record of a watched topic, or adds it to the backlog if the client has too many unread bytes. A
  /// quarter of the room is reserved for events, because a time step has a successor and an event has none.
  func send(_ record: LoopMailbox.Record) {
    guard topics.contains(record.topic), !isClosing else { return }
    let isEvent = record.topic == .events, reserve = isEvent ? 0 : core.limits.watchBytes / 4
    guard isEvent || backlog.isEmpty, hasRoom(for: record.bytes.count + reserve) else {
      return backlog.hold(record.bytes, of: record.kind)
    }
    sendBacklog()
    output.writeBytes(record.bytes)
  }

  /// Counts records of a watched topic that were coalesced in the mailbox.
  func leaveOut(_ count: Int, of topic: WatchTopic) { if topics.contains(topic) { backlog.leaveOut(count) } }

  /// Sends a batch of records. Called after the last `send(_:)` of the batch.
  func flushRecords() {
    // Records stay pending until the channel is writable again.
    guard !topics.isEmpty, context != nil, isWritable else { return }
    sendBacklog()
    guard output.readableBytes > 0 else { return }
    clock.recordSent(at: .now())
    flush()
  }

  /// Returns the client as a watcher that gets records directly; nil if it is remote or behind.
  func asPresentWatcher() -> LoopMailbox.Watcher? {
    let isPresent = context != nil && !isClosing && !clock.isStalled && output.readableBytes == 0
    guard info.isLocal, isPresent, backlog.isEmpty else { return nil }
    watcherSocket = watcherSocket ?? WatcherSocket(descriptor)
    return watcherSocket.map { LoopMailbox.Watcher(client: info.id, topics: topics, socket: $0) }
  }

  private func sendBacklog() {
    guard !topics.isEmpty else { return }
    let (leftOut, entries) = backlog.take()
    if leftOut > 0 { output.writeBytes(WatchRecord(.coalesced(steps: leftOut)).bytes) }
    for entry in entries { output.writeBytes(entry.record) }
    if leftOut > 0 || !entries.isEmpty { clock.recordSent(at: .now()) }
  }

  private func hasRoom(for count: Int) -> Bool {
    (clock.isStalled ? pending : 0) + output.readableBytes + count <= core.limits.watchBytes
  }

  // MARK: Timer

  /// Schedules the timer for the next deadline, unless it fires before that and then schedules itself again.
  private func updateTimer() {
    guard context != nil else { return }
    let next = clock.next(situation, at: .now())
    guard next < timerDeadline else { return }
    timer?.cancel()
    timerDeadline = next
    timer = core.eventLoop.assumeIsolated().scheduleTask(deadline: next) { [weak self] in self?.timePassed() }
  }

  private func timePassed() {
    timerDeadline = .distantFuture
    guard context != nil else { return }
    if let watcherSocket { clock.recordSent(at: watcherSocket.lastRecord) }
    switch clock.due(situation, at: .now()) {
    case .nothing: break
    case .end: return abandon()
    case .heartbeat:
      let record = WatchRecord(.alive).bytes
      if backlog.isEmpty, hasRoom(for: record.count) { output.writeBytes(record) }
      flushRecords()
    }
    updateTimer()
  }

  private var situation: ClientClock.Situation {
    ClientClock.Situation(
      isWatching: !topics.isEmpty && !isClosing && !isInputEnded, mayTimeOut: machine.mayTimeOut,
      isPerforming: machine.isPerforming, pending: pending, sent: sent)
  }
}
