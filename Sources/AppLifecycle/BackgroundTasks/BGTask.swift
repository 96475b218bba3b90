public import Foundation
import Synchronization

/// A task that `BGTaskScheduler` has begun: a `BGAppRefreshTask` or a `BGProcessingTask`. It has to be completed in time, or the
/// application is terminated. Any thread.
public class BGTask: NSObject, @unchecked Sendable {
  // Unchecked: the class is not final, but its subclasses here add nothing, and nobody else can derive from it.
  private struct State {
    var expirationHandler: (@Sendable () -> Void)?
    var isOver = false
  }

  /// Which task it is.
  public let identifier: String
  let number: UInt64
  private let state = Mutex(State())
  private let table: WeakTable

  init(_ task: ScheduledTask, table: ScheduledTaskTable) {
    identifier = task.request.identifier
    number = task.number
    self.table = WeakTable(table: table)
    super.init()
  }

  /// Called when the time of the task is nearly over: `LifecycleSettings.expirationWarning` before its end, or when the system
  /// needs the time for something else. It must complete the task. Called on the queue of the launch handler. Nil after it was
  /// called, and after the task was completed. A task that has none at that moment is over, without success.
  public var expirationHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set {
      let old = state.withLock { state in
        // Releasing it may run foreign code (a deinit), so that must not happen under the lock.
        let old = state.expirationHandler
        if !state.isOver { state.expirationHandler = newValue }
        return old
      }
      withExtendedLifetime(old) {}
      table.table?.setExpirationHandler(of: self, newValue != nil)
    }
  }

  /// Ends the task. After the last one the application may be suspended, but not before the code that now runs on the main
  /// queue has returned. Only the first call counts.
  public func setTaskCompleted(success: Bool) {
    end()
    table.table?.complete(self, success: success)
  }

  /// Takes the handler away for its only call.
  func takeExpirationHandler() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.expirationHandler = nil }
      return state.expirationHandler
    }
  }

  /// It is over: it keeps nothing alive from here on.
  func end() {
    let old = state.withLock { state in
      state.isOver = true
      let old = state.expirationHandler
      state.expirationHandler = nil
      return old
    }
    withExtendedLifetime(old) {}
  }
}

/// A task that brings the application up to date, for at most `LifecycleSettings.refreshTaskTime`.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A task that takes minutes, for at most `LifecycleSettings.processingTaskTime`.
public final class BGProcessingTask: BGTask, @unchecked Sendable {}

/// A weak reference to the table, which keeps the tasks that run.
private final class WeakTable: Sendable {
  weak let table: ScheduledTaskTable?
  init(table: ScheduledTaskTable) { self.table = table }
}
