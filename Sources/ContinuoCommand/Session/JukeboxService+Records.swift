import AppLifecycle
import MPDService
import RunTimeline

extension JukeboxService {
  /// Lets what runs on the device follow its states. What it records goes to the drawing, into a report and to clients
  /// on the thread that records it, since the main one may be what hangs; then to `take`.
  func connectDevice(
    timeline: TimelineRecorder?, take: @escaping @MainActor (LifecycleRecord) -> Void
  ) {
    let reports = Reports()
    connectDevice(
      onRecord: { record in
        if let entry = Timeline.Entry(record.event) { timeline?.record(entry, at: record.time) }
        if case .terminated(let report?) = record.event { reports.write(report) }
      }, take: take)
  }
}
