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

  /// The notice, where it is one.
  var notice: EngineNotice? {
    if case .notice(let notice) = self { notice } else { nil }
  }

  /// Whom it is for, where that is a time observer.
  var observer: ObserverID? {
    switch self {
    case .steps(let run): run.observer
    case .call(let id, _), .boundary(let id): id
    case .notice, .work: nil
    }
  }
}

/// Why the machine changes.
enum ChangeCause {
  /// A thread of the engine found something out.
  case finding
  /// A call of the application, which decides: it takes effect on what the application knows at once.
  case call
  /// A call of the application that goes on from what the queue is: it takes effect behind the progress that the
  /// application was not told of yet.
  case addition
}

extension EngineNotice {
  /// A property of the player that calls set and that changes by itself, too.
  enum Property {
    case rate
    case timeControl
    case currentItem
  }

  /// The property whose new value this is.
  var property: Property? {
    switch self {
    case .rateChanged: .rate
    case .timeControlChanged: .timeControl
    case .currentItemChanged: .currentItem
    default: nil
    }
  }

  /// Whether it says how the queue went on: an item ended or failed, or another is current.
  var isProgress: Bool {
    switch self {
    case .currentItemChanged, .playedToEnd, .failedToPlayToEnd, .itemFailed: true
    default: false
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
