import AppLifecycle
import Clocks

/// Describes the device's records in words that are the same in each run. Task identifiers differ between
/// runs, so a task without a known name is described by its number in the order of beginning.
struct RecordDescriber {
  private var numbers: [UIBackgroundTaskIdentifier: Int] = [:]
  private var callBegan: HostTime?

  /// Returns the text of a record; nil for the return of a call that took no time.
  mutating func text(of record: LifecycleRecord) -> String? {
    switch record.event {
    case .happened(let happening): return "\(happening)"
    case .callBegan(let callback):
      callBegan = record.time
      return "call \(Self.method(callback))"
    case .callEnded(let callback): return returned(Self.method(callback), at: record.time)
    case .taskBegan(let id, let name):
      numbers[id] = numbers.count + 1
      return "\(task(id, name)) begun"
    case .taskEnded(let id, let name): return "\(task(id, name)) ended"
    case .expirationBegan(let id, let name):
      callBegan = record.time
      return "\(task(id, name)) expires"
    case .expirationEnded(let id, let name):
      return returned("the expiration handler of \(task(id, name))", at: record.time)
    case .interruptionEnded(let shouldResume):
      return "interruption ended" + (shouldResume ? ", should resume" : "")
    case .terminated(let report): return "terminated" + (report.map { " \($0.code): \(reason($0))" } ?? "")
    case .refused(.noSuchTask(let id)): return "refused: \(task(id, nil)) is not open"
    default: return "\(record.event)"
    }
  }

  private static func method(_ callback: LifecycleCallback) -> String {
    switch callback {
    case .didFinishLaunching: "application(didFinishLaunchingWithOptions:)"
    case .keepAlive: "the keep-alive handler"
    case .performFetch: "application(performFetchWithCompletionHandler:)"
    case .backgroundRefreshStatusDidChange: "backgroundRefreshStatusDidChange"
    case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground, .willTerminate,
      .didReceiveMemoryWarning:
      "application\(callback.rawValue.prefix(1).uppercased())\(callback.rawValue.dropFirst())"
    }
  }

  private mutating func returned(_ what: String, at moment: HostTime) -> String? {
    defer { callBegan = nil }
    guard let callBegan, moment > callBegan else { return nil }
    return "\(what) returned after \(Self.seconds(moment.seconds(since: callBegan)))"
  }

  private func reason(_ report: TerminationReport) -> String {
    let took = Self.seconds(report.took)
    return switch report.culprit {
    case .callback(let callback): "\(Self.method(callback)) had not returned after \(took)"
    case .expirationHandler(let culprit):
      "the expiration handler of \(task(culprit.id, culprit.name)) had not returned after \(took)"
    case .tasks(let tasks):
      "\(tasks.map { task($0.id, $0.name) }.joined(separator: ", ")) not ended after \(took)"
    case .scheduledTask(let identifier): "scheduled task \(identifier) not completed after \(took)"
    case .backgroundSession(let session): "events of session \(session) not handled after \(took)"
    case .fetch: "fetch not completed after \(took)"
    case .observer: "an observer of the device had not returned after \(took)"
    }
  }

  private func task(_ id: UIBackgroundTaskIdentifier, _ name: String?) -> String {
    if let name { return "task \"\(name)\"" }
    return numbers[id].map { "task number \($0)" } ?? "task"
  }

  private static func seconds(_ seconds: Double) -> String {
    "\(HostTime(nanoseconds: 0).advanced(bySeconds: seconds).inSeconds) s"
  }
}
