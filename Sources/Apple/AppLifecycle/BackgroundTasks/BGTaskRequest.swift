public import Foundation

/// A request to `BGTaskScheduler`: a `BGAppRefreshTaskRequest` or a `BGProcessingTaskRequest`.
public class BGTaskRequest: NSObject {
  /// The identifier of the requested task. A request with the same identifier replaces this one.
  public let identifier: String
  /// The earliest start of the task; nil if any time is acceptable. Stored, but ignored here, like
  /// `BGProcessingTaskRequest.requiresNetworkConnectivity`.
  public var earliestBeginDate: Date?

  init(identifier: String) {
    self.identifier = identifier
    super.init()
  }

  /// The request in the form that the life-cycle machine takes.
  var value: ScheduledTaskRequest {
    let processing = self as? BGProcessingTaskRequest
    var value = ScheduledTaskRequest(
      identifier: identifier, kind: processing == nil ? .refresh : .processing)
    value.earliestBegin = earliestBeginDate?.timeIntervalSinceReferenceDate
    value.requiresNetworkConnectivity = processing?.requiresNetworkConnectivity ?? false
    value.requiresExternalPower = processing?.requiresExternalPower ?? false
    return value
  }

  static func make(_ value: ScheduledTaskRequest) -> BGTaskRequest {
    let request: BGTaskRequest
    switch value.kind {
    case .refresh: request = BGAppRefreshTaskRequest(identifier: value.identifier)
    case .processing:
      let processing = BGProcessingTaskRequest(identifier: value.identifier)
      processing.requiresNetworkConnectivity = value.requiresNetworkConnectivity
      processing.requiresExternalPower = value.requiresExternalPower
      request = processing
    }
    request.earliestBeginDate = value.earliestBegin.map(Date.init(timeIntervalSinceReferenceDate:))
    return request
  }
}

/// A request for a short background task that refreshes the application's content. Requires the background
/// mode `fetch`. At most one such request can be pending.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
  /// Creates a request for the task with this identifier.
  public override init(identifier: String) { super.init(identifier: identifier) }
}

/// A request for minutes of background processing. Requires the background mode `processing`. At most ten
/// such requests can be pending.
public final class BGProcessingTaskRequest: BGTaskRequest {
  /// Whether the task needs the network. Stored, but ignored here: `Device.launchTask(withIdentifier:)`
  /// starts the task regardless.
  public var requiresNetworkConnectivity = false
  /// Whether the task needs external power. Stored, but ignored here, like `requiresNetworkConnectivity`.
  public var requiresExternalPower = false

  /// Creates a request for the task with this identifier.
  public override init(identifier: String) { super.init(identifier: identifier) }
}
