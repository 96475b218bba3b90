import AppLifecycle
import Foundation
import Glibc
import MusicFiles
import SystemSupport
import TextFormatting

/// A folder of the user for the newest termination reports.
struct ReportStore {
  static let limit = 20
  private static let prefix = "termination-"
  private static let suffix = ".txt"

  let folder: MediaPath

  /// Uses `reports` in `StateDirectory.standardPath`; nil if that throws.
  init?(environment: (String) -> String?) {
    guard let state = try? StateDirectory.standardPath(environment: environment) else { return nil }
    folder = state.appending("reports".utf8)
  }

  /// Writes a report to standard error, and if possible to a file that outlives the terminal. Any thread; may
  /// block on the disk.
  static func write(_ report: TerminationReport) { write("\(report)", code: "\(report.code)") }

  /// Writes a report that is given as text, as `write(_:)` does. `code` is the code of the termination.
  static func write(_ report: String, code: String) {
    StandardOutput.complain(report)
    guard let store = ReportStore(environment: ProcessEnvironment.value) else {
      StandardOutput.complain("the report was not saved: neither XDG_STATE_HOME nor HOME is set")
      return
    }
    do {
      let path = try store.write(report, code: code, at: Date())
      StandardOutput.complain("the report is in \(path)")
    } catch {
      StandardOutput.complain("cannot save the report in \(store.folder): \(error)")
    }
  }

  /// Writes a report about a termination with `code` at `time`, and removes the oldest others above the
  /// limit. Creates the folder for this user only. Returns the file. May block on the disk.
  func write(_ report: String, code: String, at time: Date) throws(FileBytes.Problem) -> MediaPath {
    try folder.makeDirectory()
    let name = Self.prefix + Self.text(time) + "-\(getpid())-\(code)" + Self.suffix
    let path = folder.appending(name.utf8)
    try AtomicFile.write("\(report)\n".utf8, to: path, mode: 0o600)
    removeOldest(keeping: name)
    return path
  }

  /// Returns UTC to the microsecond, so that names sort in the order of time: `20261121T134502.123456Z`.
  private static func text(_ time: Date) -> String {
    let microseconds = Int64((time.timeIntervalSince1970 * 1_000_000).rounded(.down))
    let utc = UTCTime(secondsSince1970: microseconds / 1_000_000)
    let date = utc.year.digits(4) + utc.month.digits(2) + utc.day.digits(2)
    let time = utc.hour.digits(2) + utc.minute.digits(2) + utc.second.digits(2)
    return "\(date)T\(time).\((microseconds % 1_000_000).digits(6))Z"
  }

  /// Removes the oldest files with a report's name, until `limit` are left. `kept` stays, even if its name is
  /// among the oldest because the clock was set back. Files with other names stay too.
  private func removeOldest(keeping kept: String) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.description) else { return }
    let reports = names.filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix) && $0 != kept }
    for name in reports.sorted().dropLast(Self.limit - 1) {
      _ = folder.appending(name.utf8).withCString { unlink($0) }
    }
  }
}
