import Clocks
import Synchronization
import TestSupport

@testable import AppLifecycle

/// A device in virtual time with all that is around it; the test's thread is the main queue unless it says otherwise.
final class Stage: Sendable {
  let clock = VirtualClock()
  let mainQueue: ClockQueue
  let device: Device
  let diary = Diary()

  init(
    modes: String = "none", settings: LifecycleSettings = LifecycleSettings(),
    reclaimSockets: @escaping @Sendable () -> [ReclaimedSocket] = { [] }
  ) {
    let mainQueue = ClockQueue(clock: clock)
    self.mainQueue = mainQueue
    device = Device(
      modes: BackgroundModes(list: modes), clock: clock, mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent }, settings: settings, reclaimSockets: reclaimSockets)
    device.onRecord = { [diary] in diary.note($0) }
    device.add(diary)
  }

  /// A stage with a launched application, with nothing in the diary.
  static func launched(modes: String = "none", settings: LifecycleSettings = LifecycleSettings())
    -> Stage
  {
    let stage = Stage(modes: modes, settings: settings)
    stage.device.launch()
    stage.diary.clear()
    return stage
  }

  /// Has the application do this in its calls.
  func inCalls(_ body: @escaping @Sendable (LifecycleCallback) -> Void) {
    device.shared.withLock { $0.application = ScriptedApplication(body: body) }
  }
}

/// Writes down all that a device does, in order.
final class Diary: Suspendable {
  private let entries = Mutex<(lines: [String], records: [LifecycleRecord])>(([], []))
  var lines: [String] { entries.withLock { $0.lines } }
  var records: [LifecycleRecord] { entries.withLock { $0.records } }
  var calls: [String] { lines.filter { $0.hasPrefix("call ") }.map { String($0.dropFirst(5)) } }
  var states: [String] { lines.filter { $0.hasPrefix("state ") }.map { String($0.dropFirst(6)) } }

  func note(_ record: LifecycleRecord) {
    entries.withLock { entries in
      entries.records.append(record)
      entries.lines.append("\(record.event)")
    }
  }

  private func note(_ line: String) { entries.withLock { $0.lines.append(line) } }
  func suspend() { note("* suspend") }
  func resume() { note("* resume") }
  func enterBackground() { note("* enterBackground") }
  func enterForeground() { note("* enterForeground") }
  func beginInterruption() { note("* beginInterruption") }
  func endInterruption(shouldResume: Bool) { note("* endInterruption \(shouldResume)") }
  func terminate() { note("* terminate") }
  func launch() { note("* launch") }
  func clear() { entries.withLock { $0 = ([], []) } }
}

/// An application without Foundation.
final class ScriptedApplication: ApplicationSide {
  private let body: @Sendable (LifecycleCallback) -> Void
  init(body: @escaping @Sendable (LifecycleCallback) -> Void) { self.body = body }
  func receive(_ callback: LifecycleCallback) { body(callback) }
  func handleEvents(ofSession session: String, _ completion: @escaping @Sendable () -> Void) { completion() }

  func performFetch(_ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void) {
    body(.performFetch)
    completion(.newData)
  }
}
