package import Foundation

/// The service that carries out the transfers of an application's background sessions, in this process or in
/// that of a phone. Thread-safe. Methods do not block, except `close`, and `perform` at the end of the
/// application.
package protocol TransferService: AnyObject, Sendable {
  /// Whether no call waits to be sent to the service. A process must not be stopped before that.
  var isIdle: Bool { get }

  func client(of session: String) -> (any TransferClient)?
  /// Sets the client of a session. Downloads that resumed before are reported to the client, at the latest after the
  /// call `connect`.
  func setClient(_ client: any TransferClient, of session: String)
  /// Returns the records of the session's tasks in creation order. Tasks whose end the application has
  /// received have no record.
  func records(of session: String) -> [TaskRecord]
  func knows(_ key: TransferKey) -> Bool
  func perform(_ call: TransferCall)
  /// Ends a task with the error `cancelled`; `handler` receives the resume data of a download, or nil if there is
  /// none.
  func cancel(_ key: TransferKey, producing handler: (@Sendable (Data?) -> Void)?)
  /// Ends the transfers that this process carries out. Blocks on the disk or on the phone.
  func close()
}

/// A session of the application. Methods are called without a lock.
package protocol TransferClient: AnyObject, Sendable {
  func progressed(_ record: TaskRecord)
  func resumed(_ record: TaskRecord, at offset: Int64)
  /// A task has ended. The file of a completed download is kept at `file` until the call `heard`.
  func ended(_ record: TaskRecord, file: String)
  /// A server requests credentials. It has refused `failures` earlier ones.
  func challenged(_ record: TaskRecord, failures: Int)
  /// The earliest start of a task has come. The task waits for the call `begin`.
  func becameDue(_ record: TaskRecord)
  /// All events for which the application was woken were delivered.
  func finishEvents()
}

/// A call of the application, or of its device, to the transfer service.
package enum TransferCall: Codable, Sendable {
  /// The session exists, with a client, and receives its pending events. `sendsLaunchEvents`: whether the
  /// application is woken for it.
  case connect(session: String, sendsLaunchEvents: Bool)
  /// Releases the session's client.
  case disconnect(session: String)
  /// Adds a task, unless it is known. The transfer starts once the task is resumed.
  case add(TaskRecord, resuming: ResumeData?)
  /// Resumes a task. The first call sets the conditions of its transfer; `deadlineIn` is in seconds.
  case resume(TransferKey, deadlineIn: Double, earliest: Date?, isDiscretionary: Bool)
  case hold(TransferKey)
  case describe(TransferKey, String?)
  /// Continues a task with credentials, if it waits for them.
  case authenticate(TransferKey, user: String, password: String)
  /// Ends a task that waits for credentials, with the server's response or the error `cancelled`.
  case refuse(TransferKey, isCancelled: Bool)
  /// Starts a delayed task that has become due, with the request of a record unless that is nil.
  case begin(TransferKey, TaskRecord?)
  /// Starts delayed tasks of the session without waking the application to ask about them. In effect until the
  /// session is connected again.
  case startUnasked(session: String)
  /// Deletes the record and the files of a task whose end the application has received.
  case heard(TransferKey)
  case application(TransferServiceMachine.Application)
  /// The application is launched, in the background if it is being woken.
  case launch
  /// The application was notified that it was woken for this session.
  case told(session: String)
  /// The process has ended. Wakes that have not reached it are requested again.
  case wakesLost
  /// The application could not be woken for this session.
  case notWoken(session: String)
  /// The user has quit the application.
  case quit
  case powered
}
