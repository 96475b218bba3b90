import Clocks
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SystemClockTests {
  private let clock = SystemClock.shared

  /// What bodies report, to be awaited.
  private struct Reports: Sendable {
    let stream: AsyncStream<String>
    let continuation: AsyncStream<String>.Continuation
    init() { (stream, continuation) = AsyncStream<String>.makeStream() }
  }

  @Test func timeGoesForwardInNanoseconds() {
    let first = clock.now
    var last = first
    for _ in 0..<1000 {
      let now = clock.now
      #expect(now >= last)
      last = now
    }
    #expect(last > first)
    #expect(abs(clock.now.seconds - ProcessInfo.processInfo.systemUptime) < 10)
  }

  @Test func theBodyRunsOnceAtFirstOnANamedThreadWithSignalsBlocked() async {
    let reports = Reports()
    let worker = clock.makeWorker("a-name-longer-than-15-bytes") {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      var stack = 0
      let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
      defer { attributes.deallocate() }
      pthread_attr_init(attributes)
      pthread_attr_getstacksize(attributes, &stack)
      let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "?"
      reports.continuation.yield(
        name.trimmingCharacters(in: .newlines)
          + " \(sigismember(&mask, SIGINT)) \(sigismember(&mask, SIGTERM)) \(sigismember(&mask, SIGSEGV))")
      return .whenSignalled
    }
    var iterator = reports.stream.makeAsyncIterator()
    #expect(await iterator.next() == "a-name-longer-t 1 1 0")
    worker.cancel()
  }

  @Test func everySignalIsFollowedByARun() async {
    let reports = Reports()
    let value = Atomic(0)
    let worker = clock.makeWorker("signals") {
      reports.continuation.yield("\(value.load(ordering: .relaxed))")
      return .whenSignalled
    }
    var iterator = reports.stream.makeAsyncIterator()
    #expect(await iterator.next() == "0")
    for number in 1...2000 {
      value.store(number, ordering: .relaxed)
      worker.signal()
      worker.signal()
      // A second run for the same number may come in between.
      while await iterator.next() != "\(number)" {}
    }
    worker.cancel()
  }

  @Test func signalsFromManyThreadsAreNotLost() async {
    let total = 4 * 20_000
    let sent = Atomic(0)
    let done = AsyncStream<Void>.makeStream()
    let worker = clock.makeWorker("many") {
      if sent.load(ordering: .relaxed) == total { done.continuation.yield() }
      // Both ways of waiting take part.
      return sent.load(ordering: .relaxed) % 2 == 0
        ? .whenSignalled : .at(SystemClock.shared.now.advanced(bySeconds: 3600))
    }
    let threads = (0..<4).map { _ in
      Thread {
        for _ in 0..<20_000 {
          sent.add(1, ordering: .relaxed)
          worker.signal()
        }
      }
    }
    for thread in threads { thread.start() }
    var iterator = done.stream.makeAsyncIterator()
    await iterator.next()
    #expect(sent.load(ordering: .relaxed) == total)
    worker.cancel()
  }

  @Test func signalsThatMeetATimeoutAreNotLost() async {
    // Deadlines so near that time-out and signal cross again and again.
    let seen = Atomic(0)
    let sent = Atomic(0)
    let reports = Reports()
    let worker = clock.makeWorker("crossing") {
      let value = sent.load(ordering: .acquiring)
      if seen.exchange(value, ordering: .relaxed) != value { reports.continuation.yield("\(value)") }
      return value % 2 == 1 ? .at(SystemClock.shared.now.advanced(bySeconds: 30e-6)) : .whenSignalled
    }
    var iterator = reports.stream.makeAsyncIterator()
    for number in 1...4000 {
      sent.store(number, ordering: .releasing)
      worker.signal()
      while await iterator.next() != "\(number)" {}
    }
    worker.cancel()
  }

  @Test func momentsAreNotEarly() async {
    let early = Atomic(0)
    let runs = Atomic(0)
    let due = Atomic<Int64>(0)
    let done = AsyncStream<Void>.makeStream()
    let worker = clock.makeWorker("moments") { [clock] in
      let now = clock.now
      if now.nanoseconds < due.load(ordering: .relaxed) { early.add(1, ordering: .relaxed) }
      if runs.add(1, ordering: .relaxed).newValue == 100 {
        done.continuation.yield()
        return .whenSignalled
      }
      let next = clock.now.advanced(bySeconds: 0.001)
      due.store(next.nanoseconds, ordering: .relaxed)
      return .at(next)
    }
    var iterator = done.stream.makeAsyncIterator()
    await iterator.next()
    #expect(early.load(ordering: .relaxed) == 0)
    worker.cancel()
  }

  @Test func aPastMomentAndAgainRunAtOnce() async {
    let runs = Atomic(0)
    let done = AsyncStream<Void>.makeStream()
    let worker = clock.makeWorker("past") {
      switch runs.add(1, ordering: .relaxed).newValue {
      case 1: return .at(HostTime(nanoseconds: -5))
      case 2: return .at(HostTime(nanoseconds: 0))
      case 3: return .again
      default:
        done.continuation.yield()
        return .at(.distantFuture)
      }
    }
    var iterator = done.stream.makeAsyncIterator()
    await iterator.next()
    #expect(runs.load(ordering: .relaxed) == 4)
    worker.cancel()
  }

  @Test func noRunAfterCancelWhateverThreadCancels() async {
    for _ in 0..<200 {
      let cancelled = Atomic(false)
      let late = Atomic(0)
      let worker = clock.makeWorker("cancelled") {
        if cancelled.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
        return .again
      }
      let others = DispatchGroup()
      DispatchQueue.global().async(group: others) { worker.cancel() }
      worker.cancel()
      cancelled.store(true, ordering: .releasing)
      worker.signal()
      await withCheckedContinuation { done in others.notify(queue: .global()) { done.resume() } }
      #expect(late.load(ordering: .relaxed) == 0)
    }
  }

  @Test func aBodyMayCancelItself() async {
    let slot = Slot()
    let gate = DispatchSemaphore(value: 0)
    let done = AsyncStream<Int>.makeStream()
    let runs = Atomic(0)
    slot.set(
      clock.makeWorker("itself") {
        gate.wait()
        slot.cancel()
        slot.cancel()
        done.continuation.yield(runs.add(1, ordering: .relaxed).newValue)
        return .again
      })
    gate.signal()
    var iterator = done.stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    // Waits for the thread.
    slot.cancel()
    #expect(runs.load(ordering: .relaxed) == 1)
  }

  @Test func aBodyMayReleaseItsOwnWorker() async {
    let slot = Slot()
    let gate = DispatchSemaphore(value: 0)
    let done = AsyncStream<Void>.makeStream()
    slot.set(
      clock.makeWorker("last") {
        gate.wait()
        slot.set(nil)
        done.continuation.yield()
        return .again
      })
    gate.signal()
    var iterator = done.stream.makeAsyncIterator()
    await iterator.next()
  }

  @Test func theBodyIsReleasedBeforeCancelReturns() {
    final class Token: Sendable {}
    weak var token: Token?
    let worker: any Worker
    do {
      let strong = Token()
      token = strong
      worker = clock.makeWorker("release") { withExtendedLifetime(strong) { .whenSignalled } }
    }
    worker.cancel()
    #expect(token == nil)
  }
}
