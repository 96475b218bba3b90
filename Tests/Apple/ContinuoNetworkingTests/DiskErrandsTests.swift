import Clocks
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ContinuoNetworking
@testable import TransferService

@Suite(.timeLimit(.minutes(10))) struct DiskErrandsTests {
  private final class Done: Sendable {
    let numbers = Mutex<[Int]>([])
    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  @Test func allAreDoneOnceAndInOrder() {
    let (done, errands) = (Done(), DiskErrands("disk of a test", on: SystemClock.shared))
    let isOver = DispatchSemaphore(value: 0)
    for number in 0..<1000 { errands.add { done.note(number) } }
    errands.add { isOver.signal() }
    #expect(isOver.wait(timeout: .now() + 120) == .success)
    #expect(done.numbers.withLock { $0 } == Array(0..<1000))
    errands.close()
  }

  /// A clock whose worker has begun with its first job before its maker gets it.
  private final class EagerClock: HostClock {
    let hasBegun = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    var now: HostTime { SystemClock.shared.now }
    var workers: Int { count.withLock { $0 } }

    func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      let made = SystemClock.shared.makeWorker(name, body: body)
      if isFirst { _ = hasBegun.wait(timeout: .now() + 120) }
      return made
    }
  }

  @Test func aJobThatTheFirstOneAddsHasNoWorkerOfItsOwn() {
    let (done, clock, isOver) = (Done(), EagerClock(), DispatchSemaphore(value: 0))
    let errands = DiskErrands("disk of a test", on: clock)
    errands.add {
      errands.add {
        done.note(2)
        isOver.signal()
      }
      done.note(1)
      clock.hasBegun.signal()
    }
    #expect(isOver.wait(timeout: .now() + 120) == .success)
    errands.close()
    #expect(done.numbers.withLock { $0 } == [1, 2] && clock.workers == 1)
  }

  @Test func closingDoesWhatIsLeft() {
    let (done, errands) = (Done(), DiskErrands("disk of a test", on: SystemClock.shared))
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    errands.add {
      hasBegun.signal()
      mayEnd.wait()
    }
    hasBegun.wait()
    errands.add { done.note(1) }
    mayEnd.signal()
    errands.close()
    #expect(done.numbers.withLock { $0 } == [1])
    errands.add { done.note(2) }
    #expect(done.numbers.withLock { $0 } == [1])
    errands.close()
    #expect(done.numbers.withLock { $0 } == [1, 2])
  }
}
