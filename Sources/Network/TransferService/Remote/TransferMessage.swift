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
  /// The service is open and has sent all records. False if the folder cannot be opened, if another process
  /// has locked it, and after an invalid message, which is the last one that is read.
  case opened(Bool)
  case resumed(TaskRecord, offset: Int64)
  case ended(TaskRecord)
  case challenged(TaskRecord, failures: Int)
  case finishEvents(session: String)
  case resumeData(Data?, handler: UInt64)
}
