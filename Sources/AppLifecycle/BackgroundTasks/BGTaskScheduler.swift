public import Dispatch
public import Foundation

/// Has the system run tasks of the application in the background, when it sees fit.
///
/// What `BackgroundTasks` offers on Apple's systems. There the system chooses when a task begins; here whoever holds the device
/// does, with `Device.launchTask(withIdentifier:)`. Requests outlive the application; registrations end with it.
///
/// The identifiers of all tasks have to be in `LifecycleSettings.permittedTaskIdentifiers`. Any thread; never blocks.
public final class BGTaskScheduler: NSObject, Sendable {
  private let reference: WeakDevice

  /// The scheduler of `Device.current`.
  public static var shared: BGTaskScheduler {
    Device.current.part { ScheduledTaskTable(device: $0) }.scheduler
  }

  init(device: Device) {
    reference = WeakDevice(device: device)
    super.init()
  }

  private var table: ScheduledTaskTable? { reference.device?.part { ScheduledTaskTable(device: $0) } }

  /// Has `launchHandler` called for the tasks with this identifier. To be called for each identifier before
  /// `application(_:didFinishLaunchingWithOptions:)` returns, also in a launch for a task.
  ///
  /// Stops the program if it comes later, or a second time for an identifier.
  ///
  /// - Parameters:
  ///   - identifier: one of the permitted ones.
  ///   - queue: where the handlers of the task are called; nil stands for the main queue (on Apple's systems for one of the
  ///     system's).
  ///   - launchHandler: gets a `BGAppRefreshTask` or a `BGProcessingTask`, as it was asked for. To return soon; the task goes
  ///     on until it is completed.
  /// - Returns: false if the identifier is not permitted.
  @discardableResult
  public func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    switch table?.register(identifier, queue, launchHandler) {
    case .granted: return true
    case .notPermitted, nil: return false
    case .twice:
      preconditionFailure(
        "the launch handler for task with identifier \(identifier) has already been registered")
    case .tooLate:
      preconditionFailure("all launch handlers must be registered before application finishes launching")
    }
  }

  /// Asks for a task. It replaces a request with the same identifier.
  ///
  /// Throws `BGTaskScheduler.Error`: `notPermitted` for an identifier that is not permitted and without the background mode
  /// (`fetch` for a refresh, `processing` for the other kind), `unavailable` while background refresh is denied or restricted,
  /// `tooManyPendingTaskRequests` beyond one refresh and ten others.
  public func submit(_ taskRequest: BGTaskRequest) throws {
    guard let table, let value = taskRequest.value else { throw Error(.unavailable, "there is no device") }
    guard let refusal = table.submit(value) else { return }
    throw Error(refusal, identifier: value.identifier)
  }

  /// Takes a request back, if there is one with this identifier. A task that runs goes on.
  public func cancel(taskRequestWithIdentifier identifier: String) { table?.cancel(identifier) }

  /// Takes all requests back. Tasks that run go on.
  public func cancelAllTaskRequests() { table?.cancel(nil) }

  /// Calls `completionHandler` with the requests that wait, in the order in which they were made, on the main queue.
  public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
    guard let table else { return completionHandler([]) }
    table.enqueue { completionHandler(table.requests.map(BGTaskRequest.make)) }
  }

  /// The requests that wait, in the order in which they were made.
  public func pendingTaskRequests() async -> sending [BGTaskRequest] {
    (table?.requests ?? []).map(BGTaskRequest.make)
  }
}

extension BGTaskScheduler {
  /// Why a request was refused. Bridges to `NSError` with `as NSError`: Apple's domain and codes.
  public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Apple's codes.
    public enum Code: Int, Hashable, Sendable {
      /// Background refresh is denied or restricted.
      case unavailable = 1
      /// As many requests of this kind wait as can.
      case tooManyPendingTaskRequests = 2
      /// The identifier is not permitted, or the background mode is missing.
      case notPermitted = 3
      /// Of requests that are to begin at once, which are not there. Not used here.
      case immediateRunIneligible = 4

      /// Whether `error` is a `BGTaskScheduler.Error` with that code: `catch BGTaskScheduler.Error.notPermitted`.
      public static func ~= (code: Code, error: any Swift.Error) -> Bool {
        (error as? BGTaskScheduler.Error)?.code == code
      }
    }

    /// "BGTaskSchedulerErrorDomain".
    public static let errorDomain = "BGTaskSchedulerErrorDomain"
    /// Background refresh is denied or restricted.
    public static let unavailable = Code.unavailable
    /// As many requests of this kind wait as can.
    public static let tooManyPendingTaskRequests = Code.tooManyPendingTaskRequests
    /// The identifier is not permitted, or the background mode is missing.
    public static let notPermitted = Code.notPermitted
    /// Not used here.
    public static let immediateRunIneligible = Code.immediateRunIneligible

    /// What went wrong.
    public let code: Code
    private let reason: String

    init(_ code: Code, _ reason: String) {
      self.code = code
      self.reason = reason
    }

    init(_ refusal: ScheduledTaskRefusal, identifier: String) {
      switch refusal {
      case .unavailable: self.init(.unavailable, "background refresh is not available")
      case .tooMany(let limit):
        self.init(
          .tooManyPendingTaskRequests,
          "the request \(identifier) would be one more than \(limit) of its kind that can wait")
      case .identifierNotPermitted:
        self.init(.notPermitted, "\(identifier) is not among the permitted identifiers of tasks")
      case .needsMode(let mode):
        self.init(.notPermitted, "the request \(identifier) needs the background mode \(mode)")
      }
    }

    /// `code` as a number.
    public var errorCode: Int { code.rawValue }
    /// The sentence for a person.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
    /// A sentence for a person.
    public var errorDescription: String? { reason }
  }
}
