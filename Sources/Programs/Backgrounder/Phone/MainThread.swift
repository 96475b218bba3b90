import AppLifecycle
import Clocks
import Dispatch
import Synchronization

/// The application's main thread. Blocked while the application is suspended; the application's objects are
/// released after its end.
///
/// The device makes all its calls through this class. A call during which the application is suspended
/// returns to the main queue only when the application runs again. Until then, no block, timer or main-actor
/// task starts there.
final class MainThread: DeliveryQueue, Suspendable {
  private struct State {
    var isSuspended = false
    /// The number of the application's current life.
    var life = 1
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let makeApplication: @MainActor () -> AnyObject
  @MainActor private var application: (life: Int, object: AnyObject)?

  /// Creates the thread. `makeApplication` is called on the main thread for each life of the application,
  /// before the first call into it. Its result is retained until that life ends.
  init(makeApplication: @escaping @MainActor () -> AnyObject) { self.makeApplication = makeApplication }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        self.keepUp(makes: true)
        work()
        self.holdStill()
      }
    }
  }

  /// Blocks while the application is suspended.
  @MainActor private func holdStill() {
    while state.withLock({ $0.isSuspended }) { wakeUp.wait() }
    keepUp(makes: false)
  }

  /// Releases an application whose life has ended, and creates the current one if needed.
  @MainActor private func keepUp(makes: Bool) {
    let life = state.withLock { $0.life }
    if let application, application.life != life { self.application = nil }
    if makes, application == nil { application = (life, makeApplication()) }
  }

  // MARK: Suspendable

  func suspend() {
    state.withLock { $0.isSuspended = true }
    // A suspension that was not decided during a call takes effect as soon as the main queue is free.
    DispatchQueue.main.async { MainActor.assumeIsolated { self.holdStill() } }
  }

  func resume() {
    state.withLock { $0.isSuspended = false }
    wakeUp.signal()
  }

  // Called before `resume`. Already resumes the thread, which the application's callback for the foreground
  // needs.
  func enterForeground() { resume() }

  func terminate() {
    state.withLock { state in
      state.isSuspended = false
      state.life += 1
    }
    wakeUp.signal()
    DispatchQueue.main.async { MainActor.assumeIsolated { self.holdStill() } }
  }
}
