internal import ControlProtocol

/// What a record is about: of two of one kind, the newer is all that a client needs that missed both.
enum WatchKind: Hashable {
  case time, currentItem, timeControlStatus, applicationState, didPlayToEndTime, failed, timeJumped,
    coalesced, alive

  init(_ event: WatchRecord.Event) {
    self =
      switch event {
      case .time: .time
      case .currentItem: .currentItem
      case .timeControlStatus: .timeControlStatus
      case .applicationState: .applicationState
      case .didPlayToEndTime: .didPlayToEndTime
      case .failed: .failed
      case .timeJumped: .timeJumped
      case .coalesced: .coalesced
      case .alive: .alive
      }
  }
}
