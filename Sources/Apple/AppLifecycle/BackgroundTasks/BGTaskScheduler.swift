public import Dispatch
public import Foundation

/// Schedules background tasks of the application, whose identifiers must all be in
/// `LifecycleSettings.permittedTaskIdentifiers`. Any thread; never blocks.
///
/// Apple's systems decide when a task begins; here the owner of the device starts it with
/// `Device.launchTask(withIdentifier:)`. Requests outlive the application; registrations end with it.
public final class BGTaskScheduler: NSObject, Sendable {
  private weak let device: Device?

  /// The scheduler for the application of `Device.current`.
  public static var shared: BGTaskScheduler {
    Device.current.part { ScheduledTaskTable(device: $0) }.scheduler
  }

  init(device: Device) {
    self.device = device
    super.init()
  }

  private var table: ScheduledTaskTable? { device?.part { ScheduledTaskTable(device: $0) } }

  /// Registers `launchHandler` for the tasks with this identifier. Must be called once for each identifier
  /// before `application(_:didFinishLaunchingWithOptions:)` returns, also when a task causes the launch. A
  /// later or second call stops the program.
  ///
  /// - Parameters:
  ///   - identifier: one of the permitted identifiers.
  ///   - queue: the queue for the task's handlers; nil selects the main queue (on Apple's systems, a system
  ///     queue).
  ///   - launchHandler: receives the `BGAppRefreshTask` or `BGProcessingTask`. It should return soon; the
  ///     task continues until it is completed.
  /// - Returns: false if the identifier is not permitted, or the device is released.
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

  /// Submits a request for a task, replacing a request with the same identifier.
  ///
  /// Throws `BGTaskScheduler.Error`:
  /// - `notPermitted` for an identifier that is not permitted, or if the background mode is missing (`fetch`
  ///   for a refresh, `processing` for the other kind)
  /// - `unavailable` while background refresh is denied or restricted, and after the device is released
  /// - `tooManyPendingTaskRequests` above one refresh and ten processing requests
  public func submit(_ taskRequest: BGTaskRequest) throws {
    guard let table else { throw Error(.unavailable, "there is no device") }
    guard let refusal = table.submit(taskRequest.value) else { return }
    throw Error(refusal, identifier: taskRequest.identifier)
  }

  /// Cancels the pending request with this identifier, if any. A running task continues.
  public func cancel(taskRequestWithIdentifier identifier: String) { table?.cancel(identifier) }

  /// Cancels all pending requests. Running tasks continue.
  public func cancelAllTaskRequests() { table?.cancel(nil) }

  /// Calls `completionHandler` on the main queue with the pending requests, oldest first. After the device is
  /// released, calls the handler immediately on the caller's thread, with an empty array.
  public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
    guard let table else { return completionHandler([]) }
    table.enqueue { completionHandler(table.requests.map(BGTaskRequest.make)) }
  }

  /// Returns the pending requests, oldest first.
  public func pendingTaskRequests() async -> sending [BGTaskRequest] {
    (table?.requests ?? []).map(BGTaskRequest.make)
  }
}

extension BGTaskScheduler {
  /// An error from submitting a request. Bridges to `NSError`, with Apple's domain and codes.
  public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The error codes, equal to Apple's.
    public enum Code: Int, Hashable, Sendable {
      /// Background refresh is denied or restricted.
      case unavailable = 1
      /// The number of pending requests of this kind has reached its limit.
      case tooManyPendingTaskRequests = 2
      /// The identifier is not permitted, or the background mode is missing.
      case notPermitted = 3
      /// A request for an immediate start is not possible. Never thrown here: no such requests exist.
      case immediateRunIneligible = 4

      /// Returns whether `error` is a `BGTaskScheduler.Error` with that code:
      /// `catch BGTaskScheduler.Error.notPermitted`.
      public static func ~= (code: Code, error: any Swift.Error) -> Bool {
        (error as? BGTaskScheduler.Error)?.code == code
      }
    }

    /// The error domain, equal to Apple's.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"
    /// Background refresh is denied or restricted.
    public static let unavailable = Code.unavailable
    /// The number of pending requests of this kind has reached its limit.
    public static let tooManyPendingTaskRequests = Code.tooManyPendingTaskRequests
    /// The identifier is not permitted, or the background mode is missing.
    public static let notPermitted = Code.notPermitted
    /// A request for an immediate start is not possible. Never thrown here.
    public static let immediateRunIneligible = Code.immediateRunIneligible

    /// The error code of this error.
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

    /// The numeric value of `code`.
    public var errorCode: Int { code.rawValue }
    /// The localized description: the reason for the refusal.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
    /// The reason for the refusal, as a message for the user.
    public var errorDescription: String? { reason }
  }
}
