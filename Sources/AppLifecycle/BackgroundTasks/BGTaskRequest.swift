public import Foundation

/// What an application asks `BGTaskScheduler` for: a `BGAppRefreshTaskRequest` or a `BGProcessingTaskRequest`.
public class BGTaskRequest: NSObject {
  /// Which task it is for. A request with the same identifier replaces this one.
  public let identifier: String
  /// Before this date the task is not to begin; when it begins is the system's decision. Nil: any time.
  public var earliestBeginDate: Date?

  init(identifier: String) {
    self.identifier = identifier
    super.init()
  }

  /// What the machine is told.
  var value: ScheduledTaskRequest? { nil }

  /// A request of the same kind, with the same content.
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

  func value(_ kind: ScheduledTaskRequest.Kind) -> ScheduledTaskRequest {
    var value = ScheduledTaskRequest(identifier: identifier, kind: kind)
    value.earliestBegin = earliestBeginDate?.timeIntervalSinceReferenceDate
    return value
  }
}

/// Asks for a moment in the background to bring the application up to date. Needs the background mode `fetch`. One can wait at
/// a time.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
  /// A request for the task with this identifier.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var value: ScheduledTaskRequest? { value(.refresh) }
}

/// Asks for minutes in the background. Needs the background mode `processing`. Ten can wait at a time.
public final class BGProcessingTaskRequest: BGTaskRequest {
  /// Whether the task needs the network. Kept, and of no effect here: who launches the task decides.
  public var requiresNetworkConnectivity = false
  /// Whether the task needs external power. Kept, and of no effect here: who launches the task decides.
  public var requiresExternalPower = false

  /// A request for the task with this identifier.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var value: ScheduledTaskRequest? {
    var value = value(.processing)
    value.requiresNetworkConnectivity = requiresNetworkConnectivity
    value.requiresExternalPower = requiresExternalPower
    return value
  }
}
