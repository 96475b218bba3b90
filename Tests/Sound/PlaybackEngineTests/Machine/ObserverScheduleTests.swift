import MediaTime
import TestSupport
import Testing

@testable import PlaybackEngine

struct ObserverScheduleTests {
  private func steps(_ schedule: inout ObserverSchedule, from: Double, to: Double, isItemEnd: Bool = false)
    -> [Int64]
  {
    var result: [Int64] = []
    schedule.advance(from: from, to: to, isItemEnd: isItemEnd) { due in
      if case .steps(let run) = due {
        for index in 0..<run.count { result.append(run.first + index * run.stride) }
      }
    }
    return result
  }

  private func schedule(every interval: CMTime, from position: Double = 0) -> ObserverSchedule {
    var schedule = ObserverSchedule()
    schedule.addPeriodic(1, interval: interval, position: position)
    return schedule
  }

  @Test func deliversEachHundredthOnceHoweverItIsCutUp() {
    var random = RandomSource(seed: 7)
    var schedule = schedule(every: CMTime(value: 1, timescale: 100))
    var all: [Int64] = []
    var place = 0.0
    while place < 20 {
      let next = min(20, place + Double(random.next() % 50_000) / 1e6)
      all += steps(&schedule, from: place, to: next, isItemEnd: next == 20)
      place = next
    }
    #expect(all == Array(0..<2000))
  }

  @Test func leavesTheEndItselfOut() {
    var schedule = schedule(every: CMTime(value: 1, timescale: 2))
    #expect(steps(&schedule, from: 0, to: 2, isItemEnd: true) == [0, 1, 2, 3])
  }

  @Test func startsAtTheFirstStepFromThePlace() {
    var schedule = schedule(every: CMTime(value: 1, timescale: 100), from: 5)
    #expect(schedule.nextDue(after: 5) == 5)
    schedule.reset(to: 5.003)
    #expect(steps(&schedule, from: 5.003, to: 5.02) == [501, 502])
  }

  @Test func aJumpToAStepDeliversThatStepAndNoOther() {
    var schedule = schedule(every: CMTime(value: 1, timescale: 100))
    schedule.reset(to: 5)
    let calls = schedule.calls(at: 5)
    #expect(calls.steps.map(\.first) == [500] && calls.exact.isEmpty)
    // The start that follows does not bring it a second time.
    let again = schedule.calls(at: 5)
    #expect(again.steps.isEmpty && again.exact.isEmpty)
    #expect(steps(&schedule, from: 5, to: 5.02) == [501, 502])
  }

  @Test func aJumpBetweenStepsGivesTheExactTime() {
    var schedule = schedule(every: CMTime(value: 1, timescale: 100))
    schedule.reset(to: 5.0071)
    let calls = schedule.calls(at: 5.0071)
    #expect(calls.steps.isEmpty && calls.exact == [1])
  }

  @Test func thinsWhatIsShorterThanAMillisecond() {
    var schedule = schedule(every: CMTime(value: 1, timescale: 10_000))
    #expect(steps(&schedule, from: 0, to: 0.003, isItemEnd: true) == [0, 10, 20])
  }

  @Test func interleavesObserversByTime() {
    var schedule = ObserverSchedule()
    schedule.addPeriodic(1, interval: CMTime(value: 1, timescale: 2), position: 0)
    schedule.addPeriodic(2, interval: CMTime(value: 1, timescale: 3), position: 0)
    schedule.addBoundary(3, times: [CMTime(value: 2, timescale: 5)])
    var order: [ObserverID] = []
    schedule.advance(from: 0, to: 1, isItemEnd: true) { due in
      if let observer = due.observer { order.append(observer) }
    }
    // 0: 1, 2; 1/3: 2; 2/5: 3; 1/2: 1; 2/3: 2
    #expect(order == [1, 2, 2, 3, 1, 2])
  }

  @Test("Boundaries of several observers come in the order of their times, then of registration")
  func boundariesOfSeveralObservers() {
    func second(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 10) }
    for isPeriodic in [false, true] {
      var schedule = ObserverSchedule()
      if isPeriodic { schedule.addPeriodic(9, interval: CMTime(value: 1, timescale: 1), position: 0) }
      schedule.addBoundary(1, times: [second(5), second(2)])
      schedule.addBoundary(2, times: [second(3), second(1), second(5)])
      schedule.addBoundary(3, times: [second(2)])
      var order: [ObserverID] = []
      schedule.advance(from: 0, to: 0.9, isItemEnd: false) { due in
        if let observer = due.observer, observer != 9 { order.append(observer) }
      }
      #expect(order == [2, 1, 3, 2, 1, 2])
      #expect(schedule.nextDue(after: 0.2) == 0.3)
      schedule.remove(2)
      #expect(schedule.nextDue(after: 0.2) == 0.5)
    }
  }

  @Test func boundariesFireWhenPassedAndNotWhereAPlayStarts() {
    var schedule = ObserverSchedule()
    schedule.addBoundary(1, times: [.init(value: 0, timescale: 1), .init(value: 1, timescale: 1)])
    var count = 0
    schedule.advance(from: 0, to: 0.999, isItemEnd: false) { _ in count += 1 }
    #expect(count == 0)
    schedule.advance(from: 0.999, to: 1.0, isItemEnd: false) { _ in count += 1 }
    #expect(count == 1)
    schedule.advance(from: 1, to: 1.5, isItemEnd: false) { _ in count += 1 }
    #expect(count == 1)
  }

  @Test func survivesAbsurdIntervals() {
    for interval in [CMTime(value: .max, timescale: 1), CMTime(value: 1, timescale: .max)] {
      var schedule = schedule(every: interval)
      #expect(steps(&schedule, from: 0, to: 1).first == 0)
      #expect(schedule.nextDue(after: 1) != nil)
    }
  }
}
