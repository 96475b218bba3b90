import Continuo
import Foundation

/// Calculates Fibonacci numbers, in the background too as long as the system allows it.
final class WhateverScreen: Screen {
  private var previous = Decimal.zero
  private var current = Decimal(1)
  private var position: UInt = 1
  private var updates: Task<Void, any Error>?
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  /// The first number with 39 digits: a `Decimal` has 38, and larger sums would be rounded.
  private static let limit = Decimal(sign: .plus, exponent: 38, significand: 1)

  /// The time between two numbers.
  private static let interval = Duration.milliseconds(500)

  override func viewDidLoad() {
    observe(UIApplication.didBecomeActiveNotification) { [weak self] _ in
      MainActor.assumeIsolated { self?.reinstateBackgroundTask() }
    }
  }

  isolated deinit { updates?.cancel() }

  /// Starts the calculation from the beginning, or stops it.
  override func buttonTapped() {
    if let running = updates {
      running.cancel()
      updates = nil
      if backgroundTask != .invalid { endBackgroundTask() }
      return
    }
    resetCalculation()
    updates = Task { [weak self, clock = parts.clock] in
      try await clock.repeats(every: Self.interval) { self?.calculateNextNumber() }
    }
    registerBackgroundTask()
  }

  private func resetCalculation() {
    previous = .zero
    current = 1
    position = 1
  }

  private func calculateNextNumber() {
    let result = current + previous
    if result < Self.limit {
      previous = current
      current = result
      position += 1
    } else {
      // The numbers have become too large: starts over.
      resetCalculation()
    }
    let message = "Position \(position) = \(current)"
    let application = UIApplication.shared
    switch application.applicationState {
    case .active: print("Result: \(message)")
    case .background:
      print("App is backgrounded. Next number = \(message)")
      let remaining = application.backgroundTimeRemaining
      // The time is unlimited again on the way to the foreground.
      let isLimited = remaining < .greatestFiniteMagnitude
      print(
        "Background time remaining = \(isLimited ? String(format: "%.1f seconds", remaining) : "unlimited")")
    case .inactive: break
    }
  }

  private func registerBackgroundTask() {
    backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Fibonacci") { [weak self] in
      self?.endBackgroundTask()
    }
    assert(backgroundTask != .invalid)
  }

  private func endBackgroundTask() {
    print("Background task ended.")
    UIApplication.shared.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }

  /// Begins another background task if the calculation runs and the previous task has expired. Without another task, the
  /// application would get no time when it enters the background again.
  private func reinstateBackgroundTask() {
    if updates != nil, backgroundTask == .invalid { registerBackgroundTask() }
  }
}

extension Clock<Duration> {
  /// Calls `action` at each interval until the task is cancelled. All intervals that were missed, as during a
  /// suspension, cause one call.
  @MainActor fileprivate func repeats(every interval: Duration, _ action: () -> Void) async throws {
    var next = now.advanced(by: interval)
    while true {
      try await sleep(until: next, tolerance: nil)
      // The button may have been tapped after the sleep had ended.
      try Task.checkCancellation()
      action()
      repeat { next = next.advanced(by: interval) } while next <= now
    }
  }
}
