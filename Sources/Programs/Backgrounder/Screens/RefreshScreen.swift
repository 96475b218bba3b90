import Continuo
import Foundation

/// A screen that is updated and tidied up by scheduled tasks, the successor of background fetches.
final class RefreshScreen: Screen {
  /// The identifier of the task that updates the screen.
  nonisolated static let refresh = "org.continuo.backgrounder.refresh"
  /// The identifier of the task that tidies up, which takes twice as long.
  nonisolated static let cleaning = "org.continuo.backgrounder.cleaning"

  // Registrations must be made during the launch.
  override func viewDidLoad() {
    print("Updated: Not yet updated")
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
    let work = Task { [weak self, clock = parts.clock, seconds = parts.work] in
      try await clock.sleep(for: .seconds(seconds * factor))
      // The task may have expired after the sleep had ended.
      try Task.checkCancellation()
      self?.finish(task, name)
    }
    task.expirationHandler = { [print] in
      print("\(name) out of time")
      work.cancel()
      task.setTaskCompleted(success: false)
    }
  }

  private func finish(_ task: BGTask, _ name: String) {
    print("\(name) finished")
    if task is BGAppRefreshTask { print("Updated: Just now") }
    task.setTaskCompleted(success: true)
  }
}
