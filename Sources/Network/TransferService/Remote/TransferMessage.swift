import Foundation

/// A message of an application to the phone that carries out its transfers.
enum TransferRequestMessage: Codable, Sendable {
  /// Open the service. The answers are a `record` for each task, and `opened`.
  case open(TransferSettings)
  case call(TransferCall)
  /// Cancel a task. `handler`: the number for the answer `resumeData`; nil if none is needed.
  case cancel(TransferKey, handler: UInt64?)
}

/// A message of a phone to its application.
enum TransferNotice: Codable, Sendable {
  /// The record of a task, or the progress of one once the service is open.
  case record(TaskRecord)
  /// The service is open and has sent all records. False with the reason if the folder cannot be opened or another
  /// process has locked it. False without one after an invalid message; no further message is then read.
  case opened(Bool, failure: TaskRecord.Outcome? = nil)
  case resumed(TaskRecord, offset: Int64)
  case ended(TaskRecord)
  case challenged(TaskRecord, failures: Int)
  case becameDue(TaskRecord)
  case finishEvents(session: String)
  case resumeData(Data?, handler: UInt64)
}
