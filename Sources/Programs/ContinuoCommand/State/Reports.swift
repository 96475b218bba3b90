import AppLifecycle
import Foundation
import Glibc

/// Reports terminations to a person: on standard error, and in a file that outlives the terminal.
final class Reports: Sendable {
  private let store = ReportStore { name in getenv(name).map { String(cString: $0) } }

  /// Writes the report to standard error and to a file. A file that cannot be written is a warning. Any
  /// thread; may block on the disk.
  func write(_ report: TerminationReport) {
    StandardOutput.complain("\(report)")
    guard let store else {
      StandardOutput.complain("no file for the report: neither XDG_STATE_HOME nor HOME is set")
      return
    }
    do {
      let path = try store.write("\(report)", code: "\(report.code)", at: Date())
      StandardOutput.complain("the report is in \(path)")
    } catch {
      StandardOutput.complain("no file for the report in \(store.folder): \(error)")
    }
  }
}
