import MediaTime

/// A notice, observer call or work item to be delivered to the application in order.
enum Delivery: Sendable {
  /// Boxed, because a notice is several times as large as the other cases, and a hundred steps a second are
  /// copied.
  indirect case notice(EngineNotice)
  /// A run of steps of one periodic observer.
  case steps(StepRun)
  /// A periodic observer's call with an exact time.
  case call(ObserverID, CMTime)
  case boundary(ObserverID)
  /// Work that the engine's owner inserted between notices.
  case work(@Sendable () -> Void)

  var notice: EngineNotice? {
    if case .notice(let notice) = self { notice } else { nil }
  }

  /// The addressed time observer; nil for notices and work.
  var observer: ObserverID? {
    switch self {
    case .steps(let run): run.observer
    case .call(let id, _), .boundary(let id): id
    case .notice, .work: nil
    }
  }
}

/// The cause of a change of the machine.
enum ChangeCause {
  /// An event that a thread of the engine has detected.
  case finding
  /// A call by the application that takes effect at once on the state known to the application.
  case call
  /// A call by the application that continues from the queue's actual state. Its notices follow the pending
  /// ones about queue progress.
  case addition
}

extension EngineNotice {
  /// A player property that both calls and the engine change.
  enum Property {
    case rate
    case timeControl
    case currentItem
  }

  /// The property whose new value this notice carries; nil for other notices.
  var property: Property? {
    switch self {
    case .rateChanged: .rate
    case .timeControlChanged: .timeControl
    case .currentItemChanged: .currentItem
    default: nil
    }
  }

  /// Whether this notice reports queue progress: an item ended or failed, or another became current.
  var isProgress: Bool {
    switch self {
    case .currentItemChanged, .playedToEnd, .failedToPlayToEnd, .itemFailed: true
    default: false
    }
  }
}

/// The steps `first`, `first + stride` … of one periodic observer.
struct StepRun: Hashable, Sendable {
  var observer: ObserverID
  var interval: StepInterval
  var first: Int64
  var stride: Int64
  var count: Int64

  /// The step after the last one of the run.
  var end: Int64 { first + count * stride }

  /// Returns the run of the `count` steps after the first one.
  func following(_ count: Int64) -> StepRun {
    var rest = self
    rest.first += stride
    rest.count = count
    return rest
  }

  /// The time of the first step; positive infinity if its value overflows.
  var time: CMTime {
    let (product, overflow) = first.multipliedReportingOverflow(by: interval.value)
    return overflow ? .positiveInfinity : CMTime(value: product, timescale: interval.timescale)
  }
}

/// The time between two steps: `value` in units of 1/timescale seconds, above zero.
struct StepInterval: Hashable, Sendable {
  var value: Int64
  var timescale: CMTimeScale

  var seconds: Double { Double(value) / Double(timescale) }
}
