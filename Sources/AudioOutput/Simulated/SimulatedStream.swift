import AudioCore
import HostTime
import Synchronization

/// The engine's end of a simulated stream: passes orders to the machine and wakes its worker.
final class SimulatedStream: AudioOutputStream {
  private let core: SimulatedStreamCore
  private let worker: any Worker

  init(core: SimulatedStreamCore, worker: any Worker) {
    self.core = core
    self.worker = worker
  }

  func start() { order(.start) }
  func stop() { order(.stop) }
  func flush(completion: @escaping @Sendable (Int64) -> Void) { order(.flush(completion)) }
  func dataAvailable() { order(.data) }
  func setVolume(_ volume: Float, muted: Bool) { order(.volume(volume, muted: muted)) }
  func timing() -> OutputTiming { core.timing() }

  func close() {
    core.close()
    worker.cancel()
  }

  private func order(_ order: SimulatedMachine.Order) {
    if core.accept(order) { worker.signal() }
  }
}

/// Runs a machine's actions on the device's worker, outside of the lock.
final class SimulatedStreamCore: Sendable {
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

  /// The worker's body.
  func run() -> WorkerNext {
    while true {
      switch machine.withLock({ $0.next(at: clock.now) }) {
      case .emit(let event): events(event)
      case .complete(let completion, let frame): completion(frame)
      case .render(let first, let samples): render(first, samples)
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

  /// Queues an order. Returns whether the worker has to know.
  func accept(_ order: SimulatedMachine.Order) -> Bool {
    machine.withLock { $0.accept(order) }
  }

  func timing() -> OutputTiming {
    machine.withLock { $0.timing(at: clock.now) }
  }

  /// Brings the record up to date.
  func catchUp() {
    machine.withLock { $0.advance(to: clock.now) }
  }

  func close() {
    machine.withLock { $0.close(at: clock.now) }
  }
}
