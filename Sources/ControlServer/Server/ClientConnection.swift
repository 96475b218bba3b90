internal import ControlProtocol
internal import NIOCore

/// One client: joins the pure ``ConnectionMachine`` to a channel. On the event loop, as everything here.
///
/// The machine decides what is sent, performed and closed; this decides when. It reads no more and performs no more
/// while the client has much to read, so that what a client costs is bounded whatever it does.
final class ClientConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let info: ClientInfo
  /// Where its passwords come from; nil where there are none to be guessed.
  let guessOrigin: PasswordGuesses.Origin?
  private let core: ServerCore
  private var machine: ConnectionMachine
  private var context: ChannelHandlerContext?

  /// Read, but not given to the machine yet. Bounded by what the kernel holds for a client that has closed its side.
  private var input = ByteBuffer()
  /// Decided, but not given to the channel yet.
  private var output = ByteBuffer()
  /// The memory that is kept for the next reply, in bytes: a `status` and nearly every song fits.
  private static let keptOutput = 512
  /// Whether the channel has room, as it said last.
  private var isWritable = true
  /// Whether the channel ever had no room: the client took much memory.
  private(set) var hasPiledUp = false
  private var isInputEnded = false
  private var isEndKnown = false
  private var isRunning = false
  private var isInLine = false
  /// When its turn is over; nil before the first command of a turn, and for one that nothing follows.
  private var turnEnd: NIODeadline?
  /// Nothing more is done but sending what was decided.
  private var isClosing = false

  /// What it watches.
  private(set) var topics: Set<WatchTopic> = []
  private var backlog = WatchBacklog<ByteBuffer>()
  private var leftOut = 0

  private var timer: Scheduled<Void>?
  private var timerDeadline = NIODeadline.distantFuture
  private var clock: ClientClock
  private var linesTaken: UInt64 = 0
  /// Whether a command was completed that the clock has not been told of.
  private var hasCompleted = false
  private var sent = 0

  init(
    core: ServerCore, info: ClientInfo, origin: PasswordGuesses.Origin,
    configuration: ConnectionMachine.Configuration
  ) {
    self.core = core
    self.info = info
    guessOrigin = configuration.passwords.isEmpty ? nil : origin
    machine = ConnectionMachine(configuration: configuration)
    clock = ClientClock(limits: core.limits, now: .now())
  }

  // MARK: From the channel

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
    if let event = event as? ChannelEvent, event == .inputClosed {
      isInputEnded = true
      core.handler.inputEnded(info)
      run()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable
    guard isWritable else {
      hasPiledUp = true
      return
    }
    sendBacklog()
    run()
  }

  /// The client has gone for good. What it had sent before is still done.
  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    isWritable = true
    isInputEnded = true
    timer?.cancel()
    machine.dropAnswer()
    core.handler.connectionClosed(info)
    // What was sent behind a password is not done: to do it before the answer is due would be the answer.
    if machine.isAwaitingPassword { return core.forget(self) }
    run()
    leaveIfDone()
  }

  /// A connection that fails is one that ends: `channelInactive` follows.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: From the core

  func complete(_ result: Result<Reply, Ack>) {
    machine.complete(result)
    goOn()
  }

  /// The answer to its password is due.
  func answerPassword() {
    machine.answerPassword()
    goOn()
  }

  private func goOn() {
    hasCompleted = true
    run()
    leaveIfDone()
  }

  func notify(_ subsystems: Subsystems) {
    let wasIdle = machine.isIdle
    machine.notify(subsystems)
    guard wasIdle, !machine.isIdle else { return }
    clock.lineTaken(at: .now())
    run()
  }

  /// The others had their turn.
  func turn() {
    isInLine = false
    run()
    leaveIfDone()
  }

  /// The server ends: no more input, a last command under way is answered.
  func end() {
    isInputEnded = true
    input.clear()
    run()
    leaveIfDone()
  }

  /// Closes, whatever is under way.
  func abandon() {
    isClosing = true
    if let context { context.close(promise: nil) } else { core.forget(self) }
  }

  // MARK: Doing what was decided

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
    // It waited, for ever, and may do so no longer.
    if timerDeadline == .distantFuture { updateTimer() }
  }

  /// Whether it is this client's turn and it has not too much to read already.
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

  /// Gives the machine what was read, if it wants more. True if there may be more to do.
  private func feed() -> Bool {
    if input.readableBytes > 0, machine.wantsInput {
      input.withUnsafeReadableBytes { machine.append($0) }
      input.clear()
      return true
    }
    if isInputEnded, !isEndKnown, input.readableBytes == 0 {
      isEndKnown = true
      machine.endInput()
      return true
    }
    return false
  }

  private func carryOut(_ action: ConnectionMachine.Action) {
    switch action {
    case .send(let bytes):
      output.writeBytes(bytes)
      if machine.isAnswering {
        // Its next line may take its time from the last piece on.
        hasCompleted = true
        beginTurn()
      }
      if output.readableBytes >= core.limits.pauseBytes { flush() }
    case .perform(let command, let context):
      if machine.hasMore { beginTurn() }
      core.perform(command, context, for: self)
    case .checkPassword(let isRight): core.passwordGiven(isRight: isRight, by: self)
    case .beginWatch(let request):
      topics = WatchTopic.all(of: request)
      setMark(core.limits.watchMark)
      clock.recordSent(at: .now())
      core.watchBegan(self)
      updateTimer()
    case .endWatch:
      endWatch()
    case .yield:
      waitForTurn()
    case .close:
      isClosing = true
    }
  }

  private func beginTurn() {
    if turnEnd == nil { turnEnd = .now() + TimeAmount(seconds: core.limits.turn) }
  }

  private func endWatch() {
    sendBacklog()
    topics = []
    backlog = WatchBacklog()
    leftOut = 0
    setMark(core.limits.pauseBytes)
    core.watchEnded(self)
  }

  private func setMark(_ bytes: Int) {
    try? context?.channel.syncOptions?.setOption(.writeBufferWaterMark, value: .full(at: bytes))
  }

  /// Gives the channel what is to be sent. A client that lets too much pile up is dropped.
  private func flush() {
    guard output.readableBytes > 0 else { return }
    guard let context else { return output.clear() }
    sent += output.readableBytes
    var bytes = ByteBuffer()
    swap(&bytes, &output)
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    // What the channel still holds is left to it, and no memory taken in its place.
    bytes.clear(minimumCapacity: 0)
    if bytes.capacity > 0 {
      if bytes.capacity <= Self.keptOutput, output.readableBytes == 0 { output = bytes }
      // Nearly always: it holds nothing, as the kernel has taken all. To ask it costs as much as a short command.
      if !clock.isStalled { return }
    }
    let situation = self.situation
    clock.flushed(situation, at: .now())
    if situation.pending > core.limits.outputBytes {
      isClosing = true
      context.close(promise: nil)
    } else if situation.pending > 0 {
      updateTimer()
    }
  }

  private func readOn() {
    guard let context, !isInputEnded, !isInLine, isWritable, input.readableBytes == 0, machine.wantsInput
    else { return }
    context.read()
  }

  private func closeWhenSent() {
    guard let context else { return core.forget(self) }
    guard pending > 0 else { return context.close(promise: nil) }
    // The stall limit holds for these bytes too.
    let sent = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    sent.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.context?.close(promise: nil) }
  }

  /// After the client has gone: once nothing of what it had sent is left to do.
  private func leaveIfDone() {
    guard context == nil, !isRunning, !machine.isPerforming, !isInLine else { return }
    core.forget(self)
  }

  /// Bytes that the channel holds because the client does not read.
  private var pending: Int {
    guard let options = context?.channel.syncOptions else { return 0 }
    return (try? options.getOption(.bufferedWritableBytes)) ?? 0
  }

  // MARK: Records

  /// Sends a record that it watches, or keeps it back if the client has too much to read already. A quarter of the room
  /// is left to what is no time step: an event is worth more than a step that has a successor.
  func send(_ record: LoopMailbox.Record) {
    guard topics.contains(record.topic), !isClosing else { return }
    let size = record.bytes.readableBytes
    if record.topic == .events {
      guard hasRoom(for: size) else { return backlog.hold(record.bytes, of: record.kind) }
      sendBacklog()
    } else {
      let reserve = core.limits.watchBytes / 4
      guard backlog.isEmpty, leftOut == 0, hasRoom(for: size + reserve) else {
        return backlog.hold(record.bytes, of: record.kind)
      }
    }
    output.writeImmutableBuffer(record.bytes)
  }

  /// Records that it would have had, but that were coalesced before they came here.
  func leaveOut(_ count: Int) { leftOut += count }

  /// After the last record of a batch.
  func flushRecords() {
    guard !topics.isEmpty else { return }
    // Until the channel has room again the records wait here.
    guard context != nil, isWritable else { return }
    sendBacklog()
    guard output.readableBytes > 0 else { return }
    clock.recordSent(at: .now())
    flush()
  }

  private func sendBacklog() {
    guard !topics.isEmpty else { return }
    let (dropped, records) = backlog.take()
    let count = leftOut + dropped
    leftOut = 0
    if count > 0 { output.writeBytes(WatchRecord(.coalesced(steps: count)).bytes) }
    for (_, record) in records { output.writeImmutableBuffer(record) }
    if count > 0 || !records.isEmpty { clock.recordSent(at: .now()) }
  }

  private func hasRoom(for count: Int) -> Bool {
    let size = output.readableBytes + count
    // Asking the channel costs more than the rest; one that is writable holds less than the mark.
    if context != nil, isWritable, core.limits.watchMark + size <= core.limits.watchBytes {
      return true
    }
    return pending + size <= core.limits.watchBytes
  }

  // MARK: Time

  /// Sees to it that the next deadline is met; one that is later than the timer is found when the timer fires.
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
      isWatching: !topics.isEmpty, mayTimeOut: machine.mayTimeOut, isPerforming: machine.isPerforming,
      pending: pending, sent: sent)
  }
}
