import DequeModule

/// The steps that a state machine has requested, in order. One thread at a time carries them out, outside the
/// lock. The owner appends steps under its lock. If `begin` then returns true, the owner carries out each
/// step that `next` returns, until `next` returns nil. Steps that are appended meanwhile belong to the same
/// run.
package struct StepQueue<Step> {
  private var steps = Deque<Step>()
  private var isRunning = false
  /// Whether the steps stay in the queue: no run begins, and the current run ends before its next step.
  package var isHeld = false

  package init(_ steps: [Step] = []) { self.steps = Deque(steps) }

  package mutating func append(_ step: Step) { steps.append(step) }

  package mutating func append(contentsOf more: [Step]) { steps.append(contentsOf: more) }

  package mutating func removeAll(where isObsolete: (Step) -> Bool) { steps.removeAll(where: isObsolete) }

  /// Begins a run. Returns false without a step, while the steps are held, or while another run is in
  /// progress.
  package mutating func begin() -> Bool {
    guard !steps.isEmpty, !isRunning, !isHeld else { return false }
    isRunning = true
    return true
  }

  /// Removes and returns the next step of the run. Ends the run and returns nil if there is none, or if the
  /// steps are held.
  package mutating func next() -> Step? {
    if !isHeld, let step = steps.popFirst() { return step }
    isRunning = false
    return nil
  }

  /// Ends the run; another one may begin.
  package mutating func end() { isRunning = false }
}
