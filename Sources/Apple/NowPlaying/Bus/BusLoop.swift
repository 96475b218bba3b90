import Clocks
import Dispatch
import Glibc
import SystemSupport

/// A connection driven by its queue. Unchecked because all members except `queue` are used on that queue
/// only.
final class BusLoop: @unchecked Sendable {
  /// The maximum number of received calls whose reply is pending. Further calls are refused.
  static let waitingLimit = 64
  /// The timeout of outgoing calls, in microseconds.
  private static let callLimit: UInt64 = 10_000_000

  let queue = DispatchQueue(label: "continuo-bus")
  private let calls: SystemdLibrary
  private var bus: BusHandle?
  private var socket: DescriptorSource?
  private var wantsToWrite = false
  private var timer: (any DispatchSourceTimer)?
  /// The time at which the timer fires, in microseconds of the monotonic clock; `.max` means never.
  private var moment: UInt64 = .max
  private var waiting: [UInt64: KeptMessage] = [:]
  private var expected: [UInt64: ExpectedReply] = [:]
  private var lastNumber: UInt64 = 0
  private let onCall: @Sendable (BusMessage, UInt64) -> BusAnswer
  private let onSignal: @Sendable (BusMessage) -> Void
  private let onEnd: @Sendable () -> Void

  /// A received call, retained until it is answered.
  private final class KeptMessage {
    let handle: MessageHandle
    init(_ handle: consuming MessageHandle) { self.handle = handle }
  }

  /// A pending reply. libsystemd has a pointer to this object until the reply arrives or the connection is
  /// freed.
  private final class ExpectedReply {
    unowned let loop: BusLoop
    let number: UInt64
    let completion: @Sendable (Result<[BusValue], BusError>) -> Void

    init(
      _ loop: BusLoop, _ number: UInt64,
      _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
      self.loop = loop
      self.number = number
      self.completion = completion
    }
  }

  init(
    address: String?, onCall: @escaping @Sendable (BusMessage, UInt64) -> BusAnswer,
    onSignal: @escaping @Sendable (BusMessage) -> Void, onEnd: @escaping @Sendable () -> Void
  ) throws(BusError) {
    guard let calls = SystemdLibrary.loaded else { throw .disconnected("libsystemd.so.0 is not installed") }
    self.calls = calls
    self.onCall = onCall
    self.onSignal = onSignal
    self.onEnd = onEnd
    bus = try BusHandle(calls, address: address)
  }

  /// Starts the connection. Must be called once, on the queue.
  func start() {
    guard let pointer = bus?.pointer else { return }
    let handler: SystemdLibrary.Handler = { message, userdata, _ in
      guard let message, let userdata else { return 0 }
      // The loop frees the connection before the loop itself is deallocated, so the pointer is valid.
      return Unmanaged<BusLoop>.fromOpaque(userdata).takeUnretainedValue().take(message)
    }
    _ = calls.addFilter(pointer, nil, handler, Unmanaged.passUnretained(self).toOpaque())
    let descriptor = calls.getFD(pointer)
    socket = DescriptorSource(descriptor: descriptor, queue: queue) { [weak self] in self?.process() }
    if socket == nil { end() } else { process() }
  }

  /// Closes the connection. Must be called on the queue; idempotent.
  func close() {
    guard bus != nil else { return }
    socket?.cancel()
    timer?.cancel()
    socket = nil
    timer = nil
    waiting = [:]
    let remains = Remains(bus.take(), expected)
    expected = [:]
    for reply in remains.replies.values {
      reply.completion(.failure(.disconnected("the connection was closed")))
    }
    // Deferred, because the caller may be a callback of libsystemd.
    queue.async { [self] in
      remains.drop()
      withExtendedLifetime(self) {}
    }
  }

  /// A closed connection and the objects to which the connection points until it is freed. Unchecked because
  /// it is used on the loop's queue only.
  private final class Remains: @unchecked Sendable {
    private var bus: BusHandle?
    private(set) var replies: [UInt64: ExpectedReply]

    init(_ bus: consuming BusHandle?, _ replies: [UInt64: ExpectedReply]) {
      self.bus = bus
      self.replies = replies
    }

    func drop() {
      bus = nil
      replies = [:]
    }
  }

  // MARK: Sending

  func send(signal: BusMessage) throws(BusError) {
    guard let pointer = bus?.pointer else { throw .disconnected("the connection was closed") }
    try transmit(try MessageHandle.signal(calls, pointer, signal))
  }

  func reply(to number: UInt64, _ result: Result<[BusValue], BusError>) {
    guard let call = waiting.removeValue(forKey: number) else { return }
    answer(call.handle, result)
    process()
  }

  func call(_ call: BusMessage, _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
    do throws(BusError) {
      guard let pointer = bus?.pointer else { throw .disconnected("the connection was closed") }
      let message = try MessageHandle.call(calls, pointer, call)
      lastNumber += 1
      let reply = ExpectedReply(self, lastNumber, completion)
      let handler: SystemdLibrary.Handler = { message, userdata, _ in
        guard let message, let userdata else { return 0 }
        let reply = Unmanaged<ExpectedReply>.fromOpaque(userdata).takeUnretainedValue()
        reply.loop.take(message, for: reply)
        return 1
      }
      let code = calls.callAsync(
        pointer, nil, message.pointer, handler, Unmanaged.passUnretained(reply).toOpaque(), Self.callLimit)
      if code < 0 { throw .disconnected(SystemError.message(-code)) }
      expected[reply.number] = reply
      process()
    } catch { completion(.failure(error)) }
  }

  private func transmit(_ message: borrowing MessageHandle) throws(BusError) {
    guard let pointer = bus?.pointer else { return }
    let code = calls.send(pointer, message.pointer, nil)
    if code < 0 { throw .disconnected(SystemError.message(-code)) }
  }

  private func answer(_ call: borrowing MessageHandle, _ result: Result<[BusValue], BusError>) {
    // If sending fails, the connection has failed, which `process` detects.
    do throws(BusError) { try transmit(try call.reply(result)) } catch {
      guard case .success = result else { return }
      // The values are not allowed in a message, such as an invalid object path.
      answer(call, .failure(error))
    }
  }

  // MARK: Receiving

  /// Processes all available messages and arranges the next wake-up.
  func process() {
    while let pointer = bus?.pointer {
      let code = calls.process(pointer, nil)
      if code > 0 { continue }
      // Handlers may have closed the connection.
      guard bus != nil else { return }
      if code < 0 || calls.isOpen(pointer) <= 0 { return end() }
      return arrange(pointer)
    }
  }

  private func arrange(_ pointer: OpaquePointer) {
    let wantsToWrite = calls.getEvents(pointer) & POLLOUT != 0
    if wantsToWrite != self.wantsToWrite {
      self.wantsToWrite = wantsToWrite
      socket?.wait(for: wantsToWrite ? [.readable, .writable] : .readable)
    }
    var next: UInt64 = .max
    if calls.getTimeout(pointer, &next) < 0 { next = .max }
    guard next != moment else { return }
    moment = next
    if timer == nil { timer = makeTimer() }
    let (nanoseconds, overflow) = next.multipliedReportingOverflow(by: 1000)
    // The deadline and the timer use the same monotonic clock.
    timer?.schedule(
      deadline: overflow ? .distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds),
      leeway: .milliseconds(10))
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in
      self?.moment = .max
      self?.process()
    }
    timer.activate()
    return timer
  }

  private func end() {
    close()
    onEnd()
  }

  /// Handles a received call or signal. Returns 1 for a call, which libsystemd then processes no further, and
  /// 0 for all other messages.
  private func take(_ pointer: OpaquePointer) -> Int32 {
    let message = MessageHandle(calls, borrowed: pointer)
    switch message.kind {
    case .call:
      guard waiting.count < Self.waitingLimit else {
        answer(message, .failure(.tooMuch))
        return 1
      }
      let content = message.read()
      lastNumber += 1
      let number = lastNumber
      // A deferred answer may arrive before `onCall` returns, but then waits for this queue.
      switch onCall(content, number) {
      case .values(let values): answer(message, .success(values))
      case .failure(let error): answer(message, .failure(error))
      case .later: waiting[number] = KeptMessage(MessageHandle(calls, borrowed: pointer))
      }
      return 1
    case .signal:
      onSignal(message.read())
      return 0
    case .reply, .failure, nil: return 0
    }
  }

  private func take(_ pointer: OpaquePointer, for reply: ExpectedReply) {
    guard expected.removeValue(forKey: reply.number) != nil else { return }
    let message = MessageHandle(calls, borrowed: pointer)
    reply.completion(message.error.map { .failure($0) } ?? .success(message.read().arguments))
  }
}
