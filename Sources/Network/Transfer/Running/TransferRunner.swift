package import Clocks
import Synchronization

/// Runs transfers one at a time. Collects inputs for a worker and carries out the commands of its machine.
/// Only `begin`, `tell`, `signal` and `end` may be called outside the worker's body.
package final class TransferRunner: Sendable {
  private struct State {
    var inputs: [TransferInput] = []
    var waitingBytes = 0
    /// Whether a sink paused its transfer because the inputs are full.
    var isFull = false
    /// Whether the machine has paused the transfer.
    var isPaused = false
    var attempt = 0
    var transfer: TransferID?
  }

  /// The number of queued bytes at which the transfer pauses: four events of the maximum size (64 KiB).
  private static let room = 256 * 1024
  /// The number of bytes that an event counts in addition to its body, because a server may send each byte in
  /// its own chunk.
  private static let eventSize = 128

  private let transport: any HTTPTransport
  private let state = Mutex(State())
  private let worker = Mutex<(any Worker)?>(nil)

  package init(transport: any HTTPTransport) { self.transport = transport }

  /// Starts the worker. `body` takes the inputs, passes them to a machine, and returns the next deadline.
  package func begin(_ name: String, on clock: any HostClock, body: @escaping @Sendable () -> WorkerNext) {
    worker.withLock { $0 = clock.makeWorker(name, body: body) }
  }

  package func tell(_ input: TransferInput) {
    state.withLock { $0.inputs.append(input) }
    signal()
  }

  package func signal() { worker.withLock { $0 }?.signal() }

  /// Stops the worker and cancels the transfer in progress. Waits for the worker's body, unless the body
  /// calls this method.
  package func end() {
    worker.withLock { $0 }?.cancel()
    cancelTransfer()
  }

  // MARK: Calls by the worker

  package func takeInputs() -> [TransferInput] {
    state.withLock { state in
      defer {
        state.inputs = []
        state.waitingBytes = 0
      }
      return state.inputs
    }
  }

  /// Carries out a command. Returns false if the command does not concern a transfer.
  package func carryOut(_ command: TransferCommand) -> Bool {
    switch command {
    case .start(let request, let attempt):
      state.withLock { state in
        state.attempt = attempt
        state.isPaused = false
        state.isFull = false
      }
      let transfer = transport.start(request, sink: AttemptSink(self, attempt))
      state.withLock { $0.transfer = transfer }
    case .cancel(let attempt): if state.withLock({ $0.attempt }) == attempt { cancelTransfer() }
    case .setPaused(let isPaused, let attempt):
      let transfer = state.withLock { state -> TransferID? in
        guard state.attempt == attempt, state.transfer != nil else { return nil }
        state.isPaused = isPaused
        return state.transfer
      }
      if let transfer { transport.setPaused(isPaused, transfer) }
    case .store, .forget, .note: return false
    }
    return true
  }

  /// Resumes a transfer that was paused because the inputs were full. To be called after `takeInputs`.
  package func goOn() {
    let transfer = state.withLock { state -> TransferID? in
      guard state.isFull else { return nil }
      state.isFull = false
      return state.isPaused ? nil : state.transfer
    }
    if let transfer { transport.setPaused(false, transfer) }
  }

  package func cancelTransfer() {
    if let transfer = state.withLock({ $0.transfer.take() }) { transport.cancel(transfer) }
  }

  fileprivate func take(_ event: TransferEvent, attempt: Int) -> TransferDemand {
    let demand: TransferDemand = state.withLock { state in
      state.inputs.append(.event(event, attempt: attempt))
      if case .body(let bytes) = event { state.waitingBytes += bytes.count + Self.eventSize }
      guard state.waitingBytes >= Self.room else { return .more }
      state.isFull = true
      return .pause
    }
    signal()
    return demand
  }
}

private final class AttemptSink: TransferSink {
  private let runner: TransferRunner
  private let attempt: Int

  init(_ runner: TransferRunner, _ attempt: Int) {
    self.runner = runner
    self.attempt = attempt
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    runner.take(event, attempt: attempt)
  }
}
