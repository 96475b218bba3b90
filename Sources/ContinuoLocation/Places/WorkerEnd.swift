import Dispatch
import HostTime

/// Ends workers whose threads may be in the middle of something.
enum WorkerEnd {
  private static let queue = DispatchQueue(label: "continuo-location-end", attributes: .concurrent)

  /// Ends `worker` without waiting for the run that may be in progress. Any thread, that of the worker too.
  static func cancel(_ worker: any Worker) {
    queue.async { worker.cancel() }
  }
}
