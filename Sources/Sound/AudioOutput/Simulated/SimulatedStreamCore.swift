import AudioCore
import Clocks
import Synchronization

/// Runs the machine's actions on the stream's worker, outside the lock.
final class SimulatedStreamCore: OrderedStreamCore {
  private let clock: any HostClock
  private let machine: Mutex<SimulatedMachine>
  private let source: any RenderSource
  private let events: @Sendable (OutputEvent) -> Void

  init(
    clock: any HostClock, machine: SimulatedMachine, source: any RenderSource,
    events: @escaping @Sendable (OutputEvent) -> Void
  ) {
    self.clock = clock
    self.machine = Mutex(machine)
    self.source = source
    self.events = events
  }

  func run() -> WorkerNext {
    while true {
      let (now, quietUntil) = (clock.now, clock.quietUntil)
      switch machine.withLock({ $0.next(at: now, quietUntil: quietUntil) }) {
      case .emit(let event): events(event)
      case .complete(let completion, let frame): completion(frame)
      case .render(let first, let samples): render(first, samples)
      case .askForReplacement:
        if let frame = source.replacedFrame { machine.withLock { $0.replace(from: frame, at: clock.now) } }
      case .rest(let next): return next
      }
    }
  }

  private func render(_ firstFrame: Int64, _ samples: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: samples) { buffer in
      let frames = source.render(into: buffer, firstFrame: firstFrame)
      let isAtEnd = source.isAtEnd
      machine.withLock { $0.takeRendered(frames, from: buffer, isAtEnd: isAtEnd, at: clock.now) }
    }
  }

  func accept(_ order: StreamOrder) -> Bool { machine.withLock { $0.accept(order) } }

  func timing() -> OutputTiming { machine.withLock { $0.timing(at: clock.now) } }

  func catchUp() { machine.withLock { $0.advance(to: clock.now) } }

  func close() { machine.withLock { $0.close(at: clock.now) } }

  func finish() {}
}
