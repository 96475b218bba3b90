import Downloading
import Foundation
import Glibc
import Transfer

extension BackgroundTransfers {
  // MARK: Resume data

  /// Moves the bytes of a download to a file for resume data, and returns the data; nil if that is not
  /// possible.
  func resumeData(of record: TaskRecord, _ download: DownloadRecord) -> Data? {
    guard let request = record.request else { return nil }
    let kept = "\(folder)/\(UUID().uuidString).resume"
    let path = file(of: record)
    guard rename("\(path).part", kept) == 0, rename("\(path).part.record", "\(kept).record") == 0 else {
      return nil
    }
    var head = ResponseHead(status: 206)
    for field in download.version.all { head.fields.set(field.name, field.value) }
    return ResumeData(request, head, path: kept, count: download.length)?.data
  }

  /// Moves the bytes of resume data to the file of the task's download. Bytes of a default session have no
  /// record, and are deleted.
  func adopt(_ data: ResumeData, for record: TaskRecord) {
    let path = file(of: record)
    guard rename(data.path, "\(path).part") == 0 else { return }
    if rename("\(data.path).record", "\(path).part.record") != 0 { unlink("\(path).part") }
  }
}
