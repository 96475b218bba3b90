package import HostTime
import Synchronization

/// Runs the transfers of one machine after the other: collects what comes for a worker, and carries out what the machine
/// says of transfers.
///
/// `begin`, `tell`, `signal` and `end`: any thread. The others are called by the worker's body only.
package final class TransferRunner: Sendable {
  private struct State {
    var inputs: [TransferInput] = []
    /// Bytes that the bodies among the inputs take.
    var waitingBytes = 0
    /// Whether a sink answered that there is no room.
    var isFull = false
    /// Whether the machine wants no body.
    var isPaused = false
    var attempt = 0
    var transfer: TransferID?
  }

  /// Bytes that may wait for the worker: as many as a few reads of a socket.
  private static let room = 256 * 1024
  /// Bytes that an event takes beside those of the body: a server may send each byte of it in a chunk of its own.
  private static let eventSize = 128

  private let transport: any HTTPTransport
  private let state = Mutex(State())
  private let worker = Mutex<(any Worker)?>(nil)

  /// A runner that has no worker yet.
  package init(transport: any HTTPTransport) { self.transport = transport }

  /// Starts the worker; `body` takes the inputs, tells them to a machine, and says when the machine wants the time.
  package func begin(_ name: String, on clock: any HostClock, body: @escaping @Sendable () -> WorkerNext) {
    worker.withLock { $0 = clock.makeWorker(name, body: body) }
  }

  /// Has the worker tell the machine something.
  package func tell(_ input: TransferInput) {
    state.withLock { $0.inputs.append(input) }
    signal()
  }

  /// Has the worker run.
  package func signal() { worker.withLock { $0 }?.signal() }

  /// Ends the worker and the transfer that runs. Waits for a run of the body, unless called by it.
  package func end() {
    worker.withLock { $0 }?.cancel()
    cancelTransfer()
  }

  // MARK: For the worker

  /// What came since the last call.
  package func takeInputs() -> [TransferInput] {
    state.withLock { state in
      defer {
        state.inputs = []
        state.waitingBytes = 0
      }
      return state.inputs
    }
  }

  /// Carries a command out; false if it is none about a transfer.
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
    case .cancel(let attempt):
      if state.withLock({ $0.attempt }) == attempt { cancelTransfer() }
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

  /// Lets a transfer go on that was stopped because inputs waited. To be called when they were taken.
  package func goOn() {
    let transfer = state.withLock { state -> TransferID? in
      guard state.isFull else { return nil }
      state.isFull = false
      return state.isPaused ? nil : state.transfer
    }
    if let transfer { transport.setPaused(false, transfer) }
  }

  /// Ends the transfer that runs, if any.
  package func cancelTransfer() {
    if let transfer = takeTransfer() { transport.cancel(transfer) }
  }

  private func takeTransfer() -> TransferID? {
    state.withLock { state in
      defer { state.transfer = nil }
      return state.transfer
    }
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

/// Takes the events of one attempt.
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
