import Dispatch
import HostTime

/// Cancels workers whose threads may be busy.
enum WorkerEnd {
  private static let queue = DispatchQueue(label: "continuo-location-end", attributes: .concurrent)

  /// Cancels `worker` without waiting for its run in progress. Any thread, including the worker's own.
  static func cancel(_ worker: any Worker) {
    queue.async { worker.cancel() }
  }
}
