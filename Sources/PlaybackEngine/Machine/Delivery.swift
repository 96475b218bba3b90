import MediaTime

/// Something that goes out to the application in its turn.
enum Delivery: Sendable {
  case notice(EngineNotice)
  /// A periodic observer's calls with its steps.
  case steps(StepRun)
  /// A periodic observer's call with an exact time.
  case call(ObserverID, CMTime)
  /// A boundary observer's call.
  case boundary(ObserverID)
  /// What the engine's owner wants done in between.
  case work(@Sendable () -> Void)

  /// Whom it is for, where that is a time observer.
  var observer: ObserverID? {
    switch self {
    case .steps(let run): run.observer
    case .call(let id, _), .boundary(let id): id
    case .notice, .work: nil
    }
  }
}

/// Steps `first`, `first + stride` … of one periodic observer.
struct StepRun: Hashable, Sendable {
  var observer: ObserverID
  var interval: StepInterval
  var first: Int64
  var stride: Int64
  var count: Int64

  /// The step behind the last one.
  var end: Int64 { first + count * stride }

  /// The time of the first step; infinite where its value no longer fits.
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
