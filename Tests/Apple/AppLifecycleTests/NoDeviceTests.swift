import AppLifecycle
import Foundation
import Synchronization
import Testing

/// A program that sets no device has no life cycle. In processes of their own, because other tests may set one.
@Suite("Without a device", .timeLimit(.minutes(10)))
struct NoDeviceTests {
  @Test("The application is active, with time without end and background tasks")
  func active() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let application = UIApplication.shared
        let calls = Atomic<Int>(0)
        let observer = NotificationCenter.default.addObserver(
          forName: nil, object: application, queue: nil
        ) { _ in calls.add(1, ordering: .relaxed) }
        @MainActor func isAtRest() -> Bool {
          application.applicationState == .active
            && application.backgroundTimeRemaining == .greatestFiniteMagnitude
            && calls.load(ordering: .relaxed) == 0
        }
        precondition(isAtRest())
        let tasks = (0..<3).map { _ in
          application.beginBackgroundTask { calls.add(1, ordering: .relaxed) }
        }
        precondition(!tasks.contains(.invalid) && Set(tasks).count == 3 && isAtRest())
        for task in tasks { application.endBackgroundTask(task) }
        application.endBackgroundTask(tasks[0])
        precondition(application.beginBackgroundTask(withName: "again") != .invalid && isAtRest())
        precondition(Device.current.openTasks.count == 1 && Device.current.state == .active)
        NotificationCenter.default.removeObserver(observer)
      }
    }
  }

  @Test("The home button of the device that is made for it works as on any other")
  func home() async {
    await #expect(processExitsWith: .success) {
      await Device.current.pressHomeButton()
      precondition(Device.current.state == .suspended)
      await Device.current.foreground()
      precondition(Device.current.state == .active)
    }
  }
}
