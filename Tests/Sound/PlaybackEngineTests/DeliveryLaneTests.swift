import Clocks
import Dispatch
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import PlaybackEngine

/// A queue that keeps what it is given until told to run it.
final class HeldQueue: DeliveryQueue {
  private let pending = Mutex<[QueuedWork]>([])
  func enqueue(_ work: QueuedWork) { pending.withLock { $0.append(work) } }
  var count: Int { pending.withLock { $0.count } }
  func run() {
    let work = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    for item in work { item.run() }
  }
}

struct DeliveryLaneTests {
  private func run(_ first: Int64, _ count: Int64) -> Delivery {
    .steps(
      StepRun(
        observer: 1, interval: StepInterval(value: 1, timescale: 100), first: first, stride: 1, count: count))
  }

  private func lane(
    gate: CallGate = CallGate()
  ) -> (lane: DeliveryLane, queue: HeldQueue, steps: Collected<Int64>) {
    let queue = HeldQueue()
    let steps = Collected<Int64>()
    let lane = DeliveryLane(queue: queue, gate: gate) { delivery in
      if case .steps(let run) = delivery { steps.add(run.first) }
      if case .call = delivery { steps.add(-1) }
    }
    return (lane, queue, steps)
  }

  @Test func putsOneBlockOnTheQueueHoweverMuchThereIs() {
    let (lane, queue, steps) = lane()
    for step in 0..<50 {
      lane.append(run(Int64(step), 1))
      lane.wake()
    }
    #expect(queue.count == 1)
    queue.run()
    #expect(steps.all == Array(0..<50))
    lane.append(run(50, 1))
    lane.wake()
    #expect(queue.count == 1)
  }

  @Test func whatComesDuringATurnLeavesOneToOthers() {
    let queue = HeldQueue()
    let steps = Collected<Int64>()
    let lanes = Collected<DeliveryLane>()
    // While each step is delivered the next one comes, as where a client takes longer than the interval.
    let lane = DeliveryLane(queue: queue, gate: CallGate()) { delivery in
      guard case .steps(let step) = delivery else { return }
      steps.add(step.first)
      guard step.first < 3 else { return }
      for lane in lanes.all {
        lane.append(self.run(step.first + 1, 1))
        lane.wake()
        // Otherwise a concurrent queue would run the next turn beside this one.
        #expect(queue.count == 0)
      }
    }
    lanes.add(lane)
    lane.append(run(0, 1))
    lane.wake()
    for turn in 0..<4 {
      #expect(queue.count == 1 && steps.all.count == turn)
      queue.run()
    }
    #expect(queue.count == 0 && steps.all == [0, 1, 2, 3])
  }

  @Test func oneCallAtATimeOnAConcurrentQueue() {
    let queue = ObserverQueue(DispatchQueue(label: "concurrent", attributes: .concurrent))
    let lane = DeliveryLane(queue: queue, gate: CallGate())
    let numbers = Collected<Int>()
    let overlaps = Collected<Int>()
    let isBusy = Mutex(false)
    let end = DispatchSemaphore(value: 0)
    for number in 0..<2000 {
      lane.append {
        if isBusy.withLock({ busy in
          defer { busy = true }
          return busy
        }) {
          overlaps.add(number)
        }
        numbers.add(number)
        isBusy.withLock { $0 = false }
        if number == 1999 { end.signal() }
      }
      lane.wake()
    }
    #expect(end.wait(timeout: .now() + 120) == .success)
    #expect(numbers.all == Array(0..<2000) && overlaps.all.isEmpty)
    lane.close()
  }

  @Test func keepsTheOrderAmongSteps() {
    let (lane, queue, steps) = lane()
    lane.append(run(0, 2))
    lane.append(.call(1, .indefinite))
    lane.append(run(2, 2))
    lane.wake()
    queue.run()
    #expect(steps.all == [0, 1, -1, 2, 3])
  }

  @Test func aSecondOfBacklogIsKeptAndMoreCoalescesToTheNewest() {
    let (lane, queue, steps) = lane()
    for step in 0..<100 { #expect(lane.append(run(Int64(step), 1)) == 0) }
    #expect(lane.append(run(100, 1)) == 100)
    lane.append(run(101, 1))
    lane.wake()
    queue.run()
    #expect(steps.all == [100, 101])
    #expect(lane.backlogSeconds == 0)
  }

  @Test func nothingIsDeliveredWhileGatedAndNothingIsLost() {
    let gate = CallGate()
    let (lane, queue, steps) = lane(gate: gate)
    lane.append(run(0, 3))
    lane.wake()
    gate.close()
    queue.run()
    #expect(steps.all.isEmpty)
    lane.append(run(3, 1))
    gate.open()
    lane.wake()
    queue.run()
    #expect(steps.all == [0, 1, 2, 3])
  }

  @Test func aForgottenObserverGetsNothingMore() {
    let (lane, queue, steps) = lane()
    lane.append(run(0, 3))
    lane.wake()
    lane.forget(1)
    queue.run()
    #expect(steps.all.isEmpty)
  }

  @Test func aLateRunOfAnyLengthIsDeliveredWholeIfTheQueueIsNotBehind() {
    let (lane, queue, steps) = lane()
    #expect(lane.append(run(0, 500)) == 0)
    lane.wake()
    queue.run()
    #expect(steps.all == Array(0..<500))
  }
}
