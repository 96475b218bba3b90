import AppLifecycle
import Clocks
import RunTimeline
import TestSupport
import Testing

@testable import ContinuoCommand

/// From what a device records to what is drawn.
@Suite struct TimelineRecordTests {
  static let task = UIBackgroundTaskIdentifier(rawValue: 7)

  @Test(
    arguments: [
      (.state(.suspended), .state(.suspended)), (.happened(.home), .pressed("home")),
      (.happened(.interruptionEnded(shouldResume: false)), .pressed("interrupt end noresume")),
      (.happened(.remoteControl), nil), (.callBegan(.didEnterBackground), nil),
      (.callEnded(.didEnterBackground), nil), (.interruptionBegan, .interruptionBegan),
      (.interruptionEnded(shouldResume: true), .interruptionEnded),
      (.taskBegan(task, name: "upload"), .taskBegan(identifier: 7, name: "upload")),
      (.taskBegan(task, name: nil), .taskBegan(identifier: 7, name: "task 7")),
      (.taskEnded(task, name: nil), .taskEnded(identifier: 7)),
      (.expirationBegan(task, name: nil), .taskExpired(identifier: 7)),
      (.expirationEnded(task, name: nil), nil), (.terminated(nil), nil), (.fetchEnded(.noData), nil),
      (.refused(.fetchNotNow), nil),
    ] as [(LifecycleRecord.Event, Timeline.Entry?)])
  func draws(event: LifecycleRecord.Event, entry: Timeline.Entry?) {
    #expect(Timeline.Entry(event) == entry)
  }

  /// What a device really records: a task that is never ended, in virtual time.
  @MainActor @Test func aTerminationNamesItsCulprit() {
    let clock = VirtualClock()
    let entries = Collected<Timeline.Entry>()
    let device = Device(
      modes: BackgroundModes(), clock: clock, mainQueue: InlineQueue(), isOnMainQueue: { true })
    device.onRecord = { record in
      if let entry = Timeline.Entry(record.event) { entries.add(entry) }
    }
    device.launch() as Void
    let task = device.application.beginBackgroundTask(withName: "upload") {}
    device.pressHomeButton() as Void
    clock.advance(bySeconds: 200)
    #expect(
      entries.all == [
        .pressed("launch"), .state(.inactive), .state(.active),
        .taskBegan(identifier: task.rawValue, name: "upload"), .pressed("home"), .state(.inactive),
        .state(.background), .taskExpired(identifier: task.rawValue), .state(.notRunning),
        .terminated("0x2182bad2: upload still open"),
      ])
  }

  /// Everything at once, on the caller's stack.
  final class InlineQueue: DeliveryQueue {
    func enqueue(_ work: QueuedWork) { work.run() }
  }
}
