import Continuo
import Dispatch
import Foundation
import Synchronization

/// A screen that is updated and tidied up by scheduled tasks, the successor of background fetches.
final class RefreshScreen: Screen {
  /// The identifier of the task that updates the screen.
  nonisolated static let refresh = "org.continuo.backgrounder.refresh"
  /// The identifier of the task that tidies up, which takes twice as long.
  nonisolated static let cleaning = "org.continuo.backgrounder.cleaning"

  private let seconds: Double
  private let updateLabel = Label("Updated")

  /// Creates a screen whose update takes `seconds`.
  init(seconds: Double) { self.seconds = seconds }

  // Registrations must be made during the launch.
  override func viewDidLoad() {
    updateLabel.text = "Not yet updated"
    for (identifier, factor) in [(Self.refresh, 1.0), (Self.cleaning, 2.0)] {
      let isPermitted = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) {
        [weak self] task in MainActor.assumeIsolated { self?.begin(task, factor) }
      }
      if !isPermitted { print("\(identifier) is not permitted") }
    }
  }

  override func didEnterBackground(_ application: UIApplication) { schedule() }

  private func schedule() {
    let requests = [
      BGAppRefreshTaskRequest(identifier: Self.refresh), BGProcessingTaskRequest(identifier: Self.cleaning),
    ]
    for request in requests {
      do { try BGTaskScheduler.shared.submit(request) } catch {
        print("Could not schedule: \(error.localizedDescription)")
      }
    }
  }

  private func begin(_ task: BGTask, _ factor: Double) {
    let name = task is BGAppRefreshTask ? "Refresh" : "Cleaning"
    print("\(name) begun")
    // Schedules the next run, since a request is valid only once.
    schedule()
    let work = DispatchWorkItem { [weak self] in
      MainActor.assumeIsolated { self?.finish(task, name) }
    }
    // Called on the main thread only.
    let cancel = SendableCall { work.cancel() }
    task.expirationHandler = {
      print("\(name) out of time")
      cancel.call()
      task.setTaskCompleted(success: false)
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds * factor, execute: work)
  }

  private func finish(_ task: BGTask, _ name: String) {
    print("\(name) finished")
    if task is BGAppRefreshTask { updateLabel.text = "Just now" }
    task.setTaskCompleted(success: true)
  }
}

/// A sendable reference to a closure that runs on the main thread.
private final class SendableCall: Sendable {
  private let body: @MainActor @Sendable () -> Void
  init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
  func call() { MainActor.assumeIsolated { body() } }
}
