public import Foundation
import Synchronization

/// A task started by `BGTaskScheduler`: a `BGAppRefreshTask` or a `BGProcessingTask`. The application is
/// terminated if it does not complete a task with an expiration handler in time. Any thread.
public class BGTask: NSObject, @unchecked Sendable {
  // Unchecked because the class is not final: its subclasses here add no state, and its initializer is
  // internal, so no others exist.
  private struct State {
    var expirationHandler: (@Sendable () -> Void)?
    var isOver = false
  }

  /// The identifier of the task.
  public let identifier: String
  let number: UInt64
  private let state = Mutex(State())
  /// Weak, since the table retains the running tasks.
  private weak let table: ScheduledTaskTable?

  init(_ task: ScheduledTask, table: ScheduledTaskTable) {
    identifier = task.request.identifier
    number = task.number
    self.table = table
    super.init()
  }

  /// The handler called when the task's time is nearly over: `LifecycleSettings.expirationWarning` before its
  /// end, or earlier if the system ends the task. The handler must complete the task and runs on the queue of
  /// the launch handler. Nil after the call and after completion of the task. A task that has no handler when
  /// it expires ends unsuccessfully.
  public var expirationHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set {
      var handler = newValue
      // Releasing the old handler may run foreign code (a deinit), so that must not happen under the lock.
      state.withLock { state in if !state.isOver { swap(&state.expirationHandler, &handler) } }
      table?.setExpirationHandler(of: self, newValue != nil)
    }
  }

  /// Ends the task. The application may be suspended after its last task ends, once the code running on the
  /// main queue has returned. Only the first call has an effect.
  public func setTaskCompleted(success: Bool) {
    end()
    table?.complete(self, success: success)
  }

  /// Removes and returns the handler, which is called only once.
  func takeExpirationHandler() -> (@Sendable () -> Void)? { state.withLock { $0.expirationHandler.take() } }

  func end() {
    let old = state.withLock { state in
      state.isOver = true
      return state.expirationHandler.take()
    }
    withExtendedLifetime(old) {}
  }
}

/// A task that refreshes the application's content, for at most `LifecycleSettings.refreshTaskTime`.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A task for minutes of processing, for at most `LifecycleSettings.processingTaskTime`.
public final class BGProcessingTask: BGTask, @unchecked Sendable {}
