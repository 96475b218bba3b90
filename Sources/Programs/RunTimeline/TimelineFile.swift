package import Clocks
package import MusicFiles
import Synchronization
package import SystemSupport

/// The timeline of a run, and the file of its drawing. Thread-safe.
package final class TimelineFile: Sendable {
  private let path: MediaPath
  private let title: RunTitle
  private let clock: any HostClock
  private let timeline: Mutex<Timeline>

  /// Creates a timeline that begins now. Throws if its drawing cannot be written to `path`. May block on the
  /// disk.
  package init(path: MediaPath, title: RunTitle, clock: any HostClock) throws(FileBytes.Problem) {
    try AtomicFile.check(path)
    self.path = path
    self.title = title
    self.clock = clock
    timeline = Mutex(Timeline(start: clock.now))
  }

  /// Records an event at `time`, by default now. Never blocks for long.
  package func record(_ entry: Timeline.Entry, at time: HostTime? = nil) {
    let time = time ?? clock.now
    timeline.withLock { $0.record(entry, at: time) }
  }

  /// Draws the timeline up to now, and writes the drawing. May block on the disk.
  package func write() throws(FileBytes.Problem) {
    let document = TimelineDrawing.document(timeline.withLock { $0 }, end: clock.now, title: title)
    try AtomicFile.write(document.utf8, to: path, mode: 0o666)
  }
}
