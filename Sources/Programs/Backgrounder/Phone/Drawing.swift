import AppLifecycle
import Clocks
import MusicFiles
import RunTimeline
import Synchronization
import SystemSupport

/// A timeline drawing of the run. Written when the phone is switched off, and whenever the application is
/// terminated for a fault.
final class Drawing: Sendable {
  private let path: MediaPath
  private let title: RunTitle
  private let timeline: Mutex<Timeline>

  /// Creates a drawing at `path` that begins now. Throws if the file cannot be written.
  init(path: String, title: RunTitle, clock: any HostClock) throws(FileBytes.Problem) {
    self.path = MediaPath(path)
    self.title = title
    timeline = Mutex(Timeline(start: clock.now))
    try write(until: clock.now)
  }

  /// Records an event, if the drawing shows events of its kind. Any thread.
  func record(_ event: LifecycleRecord) {
    if let entry = Timeline.Entry(event.event) { record(entry, at: event.time) }
  }

  func record(_ entry: Timeline.Entry, at time: HostTime) { timeline.withLock { $0.record(entry, at: time) } }

  /// Writes the drawing. Blocks on the disk.
  func write(until end: HostTime) throws(FileBytes.Problem) {
    let document = TimelineDrawing.document(timeline.withLock { $0 }, end: end, title: title)
    try AtomicFile.write(document.utf8, to: path, mode: 0o666)
  }
}
