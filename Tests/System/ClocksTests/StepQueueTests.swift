import Clocks
import Testing

/// The steps of a machine, which one run at a time takes out.
@Suite struct StepQueueTests {
  /// The steps that a run takes, up to `count`; nil if no run begins.
  private func run(_ queue: inout StepQueue<Int>, count: Int = .max) -> [Int]? {
    guard queue.begin() else { return nil }
    var taken: [Int] = []
    while taken.count < count, let step = queue.next() { taken.append(step) }
    return taken
  }

  @Test func oneRunTakesAllStepsInOrder() {
    var queue = StepQueue([1])
    queue.append(2)
    let first = run(&queue, count: 1)
    #expect(first == [1])
    queue.append(contentsOf: [3, 4])
    // The run in progress takes these too.
    let second = run(&queue)
    #expect(second == nil)
    queue.removeAll { $0 == 3 }
    let rest = [queue.next(), queue.next(), queue.next()]
    #expect(rest == [2, 4, nil])
    let none = run(&queue)
    #expect(none == nil)
    queue.append(5)
    let last = run(&queue)
    #expect(last == [5])
  }

  @Test func heldStepsStay() {
    var queue = StepQueue([1, 2])
    let first = run(&queue, count: 1)
    #expect(first == [1])
    queue.isHeld = true
    let held = queue.next()
    #expect(held == nil)
    let second = run(&queue)
    #expect(second == nil)
    queue.isHeld = false
    let rest = run(&queue)
    #expect(rest == [2])
  }

  @Test func anEndedRunLeavesItsStepsToTheNext() {
    var queue = StepQueue([1, 2])
    let first = run(&queue, count: 1)
    queue.end()
    let rest = run(&queue)
    #expect(first == [1] && rest == [2])
  }
}
