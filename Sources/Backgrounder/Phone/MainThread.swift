import AppLifecycle
import Dispatch
import HostTime
import Synchronization

/// The application's main thread. It stands still while the application is suspended, and its objects are
/// released when the application has ended.
///
/// The device makes all its calls through this. A call that ends with the suspension of the application does
/// not return to the main queue before the application runs again, so nothing else begins there: no block, no
/// timer, no task of the main actor.
final class MainThread: DeliveryQueue, Suspendable {
  private struct State {
    var isSuspended = false
    /// Counts the application's lives.
    var life = 1
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let makeApplication: @MainActor () -> AnyObject
  @MainActor private var application: (life: Int, object: AnyObject)?

  /// `makeApplication` is called on the main thread for each life, before the first call into it. What it
  /// returns is kept until that life is over.
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

  /// Waits here while the application is suspended.
  @MainActor private func holdStill() {
    while state.withLock({ $0.isSuspended }) { wakeUp.wait() }
    keepUp(makes: false)
  }

  /// Drops an application whose life is over, and makes the present one if need be.
  @MainActor private func keepUp(makes: Bool) {
    let life = state.withLock { $0.life }
    if let application, application.life != life { self.application = nil }
    if makes, application == nil { application = (life, makeApplication()) }
  }

  // MARK: Suspendable

  func suspend() {
    state.withLock { $0.isSuspended = true }
    // For a suspension that was not decided within a call: it comes when it can.
    DispatchQueue.main.async { MainActor.assumeIsolated { self.holdStill() } }
  }

  func resume() { goOn() }

  // Before `resume`: the application's callback for this needs the thread.
  func enterForeground() { goOn() }

  private func goOn() {
    state.withLock { $0.isSuspended = false }
    wakeUp.signal()
  }

  func terminate() {
    state.withLock { state in
      state.isSuspended = false
      state.life += 1
    }
    wakeUp.signal()
    DispatchQueue.main.async { MainActor.assumeIsolated { self.holdStill() } }
  }
}
