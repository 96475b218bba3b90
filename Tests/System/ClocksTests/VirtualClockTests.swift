import Clocks
import Foundation
import Synchronization
import TestSupport
import Testing

/// A place for a worker that its own body wants to reach.
final class Slot: Sendable {
  private let worker = Mutex<(any Worker)?>(nil)
  func set(_ new: (any Worker)?) {
    let old = worker.withLock { worker in
      defer { worker = new }
      return worker
    }
    withExtendedLifetime(old) {}
  }
  func signal() { worker.withLock { $0 }?.signal() }
  func cancel() { worker.withLock { $0 }?.cancel() }
}

@Suite(.timeLimit(.minutes(10)))
struct VirtualClockTests {
  private let clock = VirtualClock()
  private let log = Collected<String>()

  private func seconds(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  @Test func startsAtZeroAndMovesOnlyWhenTold() {
    #expect(clock.now.nanoseconds == 0)
    #expect(clock.nextDeadline == nil)
    clock.advance(bySeconds: 1.5)
    #expect(clock.now == seconds(1.5))
    clock.advance(to: seconds(1))
    #expect(clock.now == seconds(1.5))
  }

  @Test func aWorkerRunsOnceAfterItsCreation() {
    let worker = clock.makeWorker("a") { [log] in
      log.add("a")
      return .whenSignalled
    }
    #expect(log.all == [])
    #expect(clock.nextDeadline == clock.now)
    clock.runUntilIdle()
    clock.advance(bySeconds: 10)
    #expect(log.all == ["a"])
    #expect(clock.nextDeadline == nil)
    worker.cancel()
  }

  @Test func deadlinesRunInOrderAndTiesInOrderOfCreation() {
    let times: [(String, [Double])] = [("a", [3, 4]), ("b", [1, 4]), ("c", [2, 4])]
    let workers = times.map { name, moments in
      let left = Mutex(moments)
      return clock.makeWorker(name) { [log, clock] in
        log.add("\(name)\(Int(clock.now.seconds))")
        let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return next.map { .at(HostTime(nanoseconds: 0).advanced(bySeconds: $0)) } ?? .whenSignalled
      }
    }
    clock.advance(bySeconds: 10)
    #expect(log.all == ["a0", "b0", "c0", "b1", "c2", "a3", "a4", "b4", "c4"])
    #expect(clock.now == seconds(10))
    withExtendedLifetime(workers) {}
  }

  @Test func aDeadlineAtTheEndOfTheAdvanceIsIncluded() {
    let worker = clock.makeWorker("a") { [log, clock] in
      log.add("\(clock.now.seconds)")
      return .at(clock.now.advanced(bySeconds: 0.5))
    }
    clock.advance(bySeconds: 1)
    #expect(log.all == ["0.0", "0.5", "1.0"])
    #expect(clock.nextDeadline == seconds(1.5))
    worker.cancel()
  }

  @Test func aSignalRunsTheBodyAtThePresentMoment() {
    let worker = clock.makeWorker("a") { [log, clock] in
      log.add("\(clock.now.seconds)")
      return .at(clock.now.advanced(bySeconds: 100))
    }
    clock.advance(bySeconds: 1)
    worker.signal()
    worker.signal()
    #expect(log.all == ["0.0"])
    clock.advance(bySeconds: 1)
    #expect(log.all == ["0.0", "1.0"])
    #expect(clock.nextDeadline == seconds(101))
  }

  @Test func aSignalFromABodyRunsAtTheSameMoment() {
    let slot = Slot()
    let second = clock.makeWorker("b") { [log, clock] in
      log.add("b\(clock.now.seconds)")
      return .whenSignalled
    }
    slot.set(second)
    let first = clock.makeWorker("a") { [log, clock] in
      log.add("a\(clock.now.seconds)")
      slot.signal()
      return clock.now.seconds < 1 ? .at(clock.now.advanced(bySeconds: 1)) : .whenSignalled
    }
    clock.advance(bySeconds: 5)
    #expect(log.all == ["b0.0", "a0.0", "b0.0", "a1.0", "b1.0"])
    first.cancel()
  }

  @Test func aSignalToTheRunningBodyRunsItAgain() {
    let slot = Slot()
    let runs = Atomic(0)
    slot.set(
      clock.makeWorker("a") {
        if runs.add(1, ordering: .relaxed).newValue < 3 { slot.signal() }
        return .whenSignalled
      })
    clock.runUntilIdle()
    #expect(runs.load(ordering: .relaxed) == 3)
    slot.set(nil)
  }

  @Test func whoRunsAgainLetsOthersRunInBetween() {
    let workers = ["a", "b"].map { name in
      let left = Mutex(3)
      return clock.makeWorker(name) { [log] in
        log.add(name)
        return left.withLock {
          $0 -= 1
          return $0 > 0 ? .again : .whenSignalled
        }
      }
    }
    clock.runUntilIdle()
    #expect(log.all == ["a", "b", "a", "b", "a", "b"])
    withExtendedLifetime(workers) {}
  }

  @Test func aWorkerMadeInABodyRunsAtTheSameMoment() {
    let slot = Slot()
    let worker = clock.makeWorker("a") { [log, clock] in
      slot.set(
        clock.makeWorker("b") {
          log.add("b\(clock.now.seconds)")
          return .whenSignalled
        })
      return .whenSignalled
    }
    clock.advance(bySeconds: 1)
    #expect(log.all == ["b0.0"])
    worker.cancel()
  }

  @Test func cancelledWorkersDoNotRun() {
    let slot = Slot()
    let first = clock.makeWorker("a") { [log] in
      log.add("a")
      slot.cancel()
      return .whenSignalled
    }
    slot.set(
      clock.makeWorker("b") { [log] in
        log.add("b")
        return .whenSignalled
      })
    let itself = Slot()
    itself.set(
      clock.makeWorker("c") { [log] in
        log.add("c")
        itself.cancel()
        itself.cancel()
        itself.signal()
        return .again
      })
    clock.advance(bySeconds: 1)
    #expect(log.all == ["a", "c"])
    first.cancel()
    first.signal()
    clock.advance(bySeconds: 1)
    #expect(log.all == ["a", "c"])
    #expect(clock.nextDeadline == nil)
  }

  @Test func theLastReferenceEndsAWorkerAndItsBody() {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let strong = Token()
      token = strong
      let worker = clock.makeWorker("a") {
        withExtendedLifetime(strong) { .whenSignalled }
      }
      clock.runUntilIdle()
      withExtendedLifetime(worker) {}
    }
    #expect(token == nil)
    #expect(clock.nextDeadline == nil)
  }

  @Test func cancelFromAnotherThreadWaitsForTheRun() async {
    let slot = Slot()
    let entered = AsyncStream<Void>.makeStream()
    let released = DispatchSemaphore(value: 0)
    slot.set(
      clock.makeWorker("a") { [log] in
        entered.continuation.yield()
        released.wait()
        log.add("body ends")
        return .again
      })
    let thread = Thread { [clock] in clock.runUntilIdle() }
    thread.start()
    var iterator = entered.stream.makeAsyncIterator()
    await iterator.next()
    // Lets the body go on only after the cancel below has most likely begun; either order must give this log.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { released.signal() }
    slot.cancel()
    log.add("cancelled")
    #expect(log.all == ["body ends", "cancelled"])
  }

  @Test func endlessLoopsAtOneMomentAreCaught() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = VirtualClock(runLimit: 1000)
      let worker = clock.makeWorker("busybody") { .again }
      clock.runUntilIdle()
      worker.cancel()
    }
    // An optimised build stops without a text.
    #if DEBUG
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("busybody"))
    #else
      #expect(result != nil)
    #endif
  }

  @Test func aBodyThatTakesTimeLetsOthersRunMeanwhile() {
    let tick = clock.makeWorker("tick") { [log, clock] in
      log.add("tick \(clock.now.seconds)")
      return .at(clock.now.advanced(bySeconds: 1))
    }
    let slow = clock.makeWorker("slow") { [log, clock] in
      guard clock.now.seconds >= 1.5 else { return .at(HostTime(nanoseconds: 1_500_000_000)) }
      log.add("begin \(clock.now.seconds)")
      clock.advance(bySeconds: 2.25)
      log.add("end \(clock.now.seconds)")
      return clock.now.seconds < 5 ? .at(HostTime(nanoseconds: 5_000_000_000)) : .whenSignalled
    }
    clock.advance(bySeconds: 2)
    // The advance that ran the body asked for 2 s only; time does not go back for that.
    #expect(clock.now == seconds(3.75))
    clock.advance(to: seconds(5))
    let end = clock.now
    #expect(
      log.all == [
        "tick 0.0", "tick 1.0", "begin 1.5", "tick 2.0", "tick 3.0", "end 3.75", "tick 4.0", "tick 5.0",
        "begin 5.0", "tick 6.0", "tick 7.0", "end 7.25",
      ])
    #expect(end == seconds(7.25))
    tick.cancel()
    slow.cancel()
  }

  @Test func aBodyIsNotRunAgainWithinItsRun() {
    let slot = Slot()
    let other = clock.makeWorker("other") { [log, clock] in
      log.add("other \(clock.now.seconds)")
      slot.signal()
      return clock.now.seconds < 1 ? .at(clock.now.advanced(bySeconds: 0.5)) : .whenSignalled
    }
    let isFirst = Mutex(true)
    let body = clock.makeWorker("body") { [log, clock] in
      log.add("begin \(clock.now.seconds)")
      defer { log.add("end \(clock.now.seconds)") }
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if first { clock.advance(bySeconds: 2) }
      return .whenSignalled
    }
    slot.set(body)
    clock.advance(bySeconds: 1)
    // The signals that came during the run make one more.
    #expect(
      log.all == ["other 0.0", "begin 0.0", "other 0.5", "other 1.0", "end 2.0", "begin 2.0", "end 2.0"])
    #expect(clock.nextDeadline == nil)
    other.cancel()
    slot.cancel()
  }

  @Test func advancesWithinEachOtherGoDeep() {
    let workers = (0..<20).map { depth in
      clock.makeWorker("\(depth)") { [log, clock] in
        guard clock.now.seconds >= 1 else { return .at(HostTime(nanoseconds: 1_000_000_000)) }
        log.add("begin \(depth)")
        clock.advance(bySeconds: 1)
        log.add("end \(depth)")
        return .whenSignalled
      }
    }
    clock.advance(bySeconds: 1)
    // All are due at 1 s and take one: like threads side by side they end at 2 s, the last one first.
    #expect(log.all == (0..<20).map { "begin \($0)" } + (0..<20).reversed().map { "end \($0)" })
    #expect(clock.now == seconds(2))
    withExtendedLifetime(workers) {}
  }

  @Test func cancelFromAnotherThreadWaitsForTheOuterRun() async {
    let slot = Slot()
    let isCancelled = DispatchSemaphore(value: 0)
    let inner = clock.makeWorker("inner") { [clock] in
      clock.now.seconds == 0 ? .at(HostTime(nanoseconds: 1_000_000_000)) : .whenSignalled
    }
    let outer = clock.makeWorker("outer") { [log, clock] in
      Thread.detachNewThread {
        slot.cancel()
        log.add("cancelled")
        isCancelled.signal()
      }
      // Runs of others that end meanwhile do not let it go on.
      clock.advance(bySeconds: 2)
      log.add("end")
      return .whenSignalled
    }
    slot.set(outer)
    clock.advance(bySeconds: 1)
    #expect(isCancelled.wait(timeout: .now() + 120) == .success)
    #expect(log.all == ["end", "cancelled"])
    inner.cancel()
  }

  @Test func oneThreadAtATimeAdvances() async {
    // What it says on the way is not looked at: a release build, as for the sanitizer, stops without a word.
    await #expect(processExitsWith: .failure) {
      let clock = VirtualClock()
      let worker = clock.makeWorker("body") {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          clock.advance(bySeconds: 1)
          isDone.signal()
        }
        isDone.wait()
        return .whenSignalled
      }
      clock.advance(bySeconds: 1)
      worker.cancel()
    }
  }

  @Test func aHundredThousandDeadlinesTakeNoTime() {
    let runs = Atomic(0)
    let worker = clock.makeWorker("a") { [clock] in
      runs.add(1, ordering: .relaxed)
      return .at(clock.now.advanced(bySeconds: 0.01))
    }
    clock.advance(bySeconds: 1000)
    #expect(runs.load(ordering: .relaxed) == 100_001)
    worker.cancel()
  }
}
