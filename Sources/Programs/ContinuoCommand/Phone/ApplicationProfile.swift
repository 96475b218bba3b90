import AppLifecycle
import Clocks

/// The facts about an application that its phone keeps: they are shown to clients, and decide which events resume
/// a stopped application.
struct ApplicationProfile {
  struct BackgroundTask: Hashable {
    var id: UIBackgroundTaskIdentifier
    var name: String?
    var beganAt: HostTime
  }

  var modes = BackgroundModes()
  private(set) var tasks: [BackgroundTask] = []
  var lastFault: PhoneReport.Fault?
  private(set) var isInterrupted = false
  /// Whether the event `unlock` brings the stopped application to the foreground, as the application has reported.
  var returnsOnUnlock = false

  /// Records an event of the user or the system before the application handles it.
  mutating func note(_ happening: LifecycleHappening) {
    switch happening {
    case .interruptionBegan: isInterrupted = true
    case .interruptionEnded: isInterrupted = false
    default: break
    }
  }

  /// Records an event that the application has reported.
  mutating func record(_ event: LifecycleRecord.Event, _ time: HostTime) {
    switch event {
    case .taskBegan(let id, let name):
      if tasks.count < LifecycleMachine.taskLimit {
        tasks.append(BackgroundTask(id: id, name: name, beganAt: time))
      }
    case .taskEnded(let id, _): tasks.removeAll { $0.id == id }
    default: break
    }
  }

  /// Clears the background tasks and `returnsOnUnlock`, which end with the application's process.
  mutating func end() {
    tasks = []
    returnsOnUnlock = false
  }

  /// Whether the event launches an application that is not running, without showing it.
  func launchesInBackground(_ happening: LifecycleHappening) -> Bool {
    happening.launchesInBackground && wakes(happening)
  }

  /// Whether the event resumes the stopped application.
  func wakes(_ happening: LifecycleHappening) -> Bool {
    switch happening {
    case .launch, .home, .lock, .interruptionBegan, .interruptionEnded(shouldResume: false),
      .memoryWarning, .touch, .expireTask, .refreshStatusChanged:
      false
    case .unlock: returnsOnUnlock
    case .interruptionEnded(shouldResume: true), .remoteControl: modes.contains(.audio)
    case .fetch: modes.contains(.fetch)
    case .voipData, .keepAlive: modes.contains(.voip)
    case .foreground, .terminate, .quit, .locationChanged, .launchTask, .backgroundSession: true
    }
  }
}

extension LifecycleHappening {
  /// Whether a phone may launch an application for the event, without showing it.
  var launchesInBackground: Bool {
    switch self {
    case .backgroundSession, .fetch: true
    default: false
    }
  }
}
