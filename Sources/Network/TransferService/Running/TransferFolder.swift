import Downloading
import Foundation
import Glibc
import SystemSupport
import Transfer

/// The folder with the records and files of background transfers, locked for one process. Thread-safe. Methods
/// block on the disk, except `file` and `unlock`.
final class TransferFolder: Sendable {
  let path: String
  private let lock: Int32

  /// Opens the folder, which is created if missing. Throws `cannotCreateFile` if the folder cannot be opened, and
  /// `backgroundSessionInUseByAnotherProcess` if the folder is locked.
  init(_ path: String) throws(URLError) {
    self.path = path
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw .of(
        .cannotCreateFile, nil,
        "the folder for background transfers cannot be used: \(SystemError.message(errno))")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .of(
        .backgroundSessionInUseByAnotherProcess, nil,
        "another process of this application makes the transfers of its background sessions")
    }
    // Left by a process that was killed while it wrote a record.
    for name in names where name.hasSuffix(".new") { unlink("\(path)/\(name)") }
  }

  deinit { close(lock) }

  /// Unlocks the folder for other processes.
  func unlock() { flock(lock, LOCK_UN) }

  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  /// The path of a task's downloaded file.
  func file(of record: TaskRecord) -> String { "\(path)/\(record.name)" }

  /// Returns the record of a task's partial file; nil if none.
  func partRecord(of record: TaskRecord) -> DownloadRecord? {
    FileManager.default.contents(atPath: DownloadPlace(file(of: record)).record).flatMap {
      DownloadRecord(bytes: Array($0))
    }
  }

  /// Deletes a task's partial file and its record.
  func removePart(of record: TaskRecord) {
    let place = DownloadPlace(file(of: record))
    for path in [place.part, place.record] { unlink(path) }
  }

  /// Deletes the record and all files of a task.
  func remove(_ record: TaskRecord) {
    removePart(of: record)
    for end in ["", ".task"] { unlink(file(of: record) + end) }
  }

  /// Moves the bytes of a download to a new file. Returns the resume data for this file; nil if the download
  /// cannot be resumed.
  func resumeData(of record: TaskRecord, _ download: DownloadRecord) -> Data? {
    let kept = "\(path)/\(UUID().uuidString).resume"
    let place = DownloadPlace(file(of: record))
    guard rename(place.part, kept) == 0, rename(place.record, "\(kept).record") == 0 else { return nil }
    // The age of the kept files counts from now: the last byte may have arrived long ago.
    for path in [kept, "\(kept).record"] { utimensat(AT_FDCWD, path, nil, 0) }
    var head = ResponseHead(status: 206)
    for field in download.version.all { head.fields.set(field.name, field.value) }
    return ResumeData(
      url: record.url, method: record.method, fields: record.fields, head, path: kept, count: download.length)?
      .data
  }

  /// Moves the bytes of resume data, and their record, to the task's files. Resume data of a default session
  /// has no record; its bytes are deleted, so that the download starts from the beginning.
  func adopt(_ data: ResumeData, for record: TaskRecord) {
    let place = DownloadPlace(file(of: record))
    guard rename(data.path, place.part) == 0 else { return }
    if rename("\(data.path).record", place.record) != 0 { unlink(place.part) }
  }

  /// Deletes the files of resume data that are older than 30 days, because the application may have dropped the
  /// data.
  func removeOldResumeData(at today: Date) {
    let oldest = today.timeIntervalSince1970 - 30 * 86_400
    for name in names where name.hasSuffix(".resume") || name.hasSuffix(".resume.record") {
      var status = stat()
      let path = "\(path)/\(name)"
      if lstat(path, &status) == 0, Double(status.st_mtim.tv_sec) < oldest { unlink(path) }
    }
  }
}
