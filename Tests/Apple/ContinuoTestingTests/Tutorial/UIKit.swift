import ContinuoTesting

// What the tutorial's screens have of UIKit, and its timers and log by the device's clock.

@MainActor class UIViewController {
  func viewDidLoad() {}
}

@MainActor final class UILabel {
  var text: String?
}

@MainActor final class UIButton {
  var isSelected = false
}

/// `Foundation.Timer` as the tutorial uses it.
@MainActor final class Timer {
  /// The device by whose clock timers run.
  static var device: TestDevice?
  private var call: ScheduledCall?

  static func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool, block: @escaping @MainActor (Timer) -> Void
  ) -> Timer {
    let timer = Timer()
    timer.schedule(after: interval, repeats: repeats, block)
    return timer
  }

  private func schedule(
    after interval: TimeInterval, repeats: Bool, _ block: @escaping @MainActor (Timer) -> Void
  ) {
    call = Self.device?.schedule(after: .seconds(interval)) { [weak self] in
      guard let self else { return }
      if repeats { schedule(after: interval, repeats: true, block) }
      block(self)
    }
  }

  func invalidate() { call?.cancel() }
}

/// What the tutorial reads in the console of Xcode.
@MainActor enum Console {
  static var lines: [String] = []
}

@MainActor func NSLog(_ format: String, _ arguments: any CVarArg...) {
  Console.lines.append(String(format: format, arguments: arguments))
}

@MainActor func print(_ line: String) { Console.lines.append(line) }
