import Continuo
import Foundation

/// Calculates Fibonacci numbers, in the background too as long as the system allows it.
final class WhateverScreen: Screen {
  private var previous = Decimal.zero
  private var current = Decimal(1)
  private var position: UInt = 1
  private var updateTimer: Timer?
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid
  private let resultsLabel = Label("Result")
  private var activeObserver: (any NSObjectProtocol)?

  /// The first number with 39 digits: a `Decimal` has 38, and larger sums would be rounded.
  private static let limit = Decimal(sign: .plus, exponent: 38, significand: 1)

  override func viewDidLoad() {
    activeObserver = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
    ) { [weak self] _ in
      MainActor.assumeIsolated { self?.reinstateBackgroundTask() }
    }
  }

  isolated deinit {
    updateTimer?.invalidate()
    if let activeObserver { NotificationCenter.default.removeObserver(activeObserver) }
  }

  /// Starts the calculation from the beginning, or stops it.
  override func buttonTapped() {
    if let timer = updateTimer {
      timer.invalidate()
      updateTimer = nil
      if backgroundTask != .invalid { endBackgroundTask() }
      return
    }
    resetCalculation()
    updateTimer = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { [weak self] _ in
      MainActor.assumeIsolated { self?.calculateNextNumber() }
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
    case .active: resultsLabel.text = message
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

  /// Begins another background task after the previous one has expired. Without it, the application would get
  /// no time when it enters the background again.
  private func reinstateBackgroundTask() {
    if updateTimer != nil, backgroundTask == .invalid { registerBackgroundTask() }
  }
}
