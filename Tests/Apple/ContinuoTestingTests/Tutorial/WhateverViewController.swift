import Continuo

/// "Performing Finite-Length Tasks", in today's Swift.
class WhateverViewController: UIViewController {
  var previous = NSDecimalNumber.one
  var current = NSDecimalNumber.one
  var position: UInt = 1
  var updateTimer: Timer?
  var backgroundTask: UIBackgroundTaskIdentifier = .invalid
  let resultsLabel = UILabel()
  private var activation: (any NSObjectProtocol)?

  override func viewDidLoad() {
    super.viewDidLoad()
    activation = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: UIApplication.shared, queue: .main
    ) { [unowned self] _ in
      MainActor.assumeIsolated { reinstateBackgroundTask() }
    }
  }

  isolated deinit {
    if let activation { NotificationCenter.default.removeObserver(activation) }
  }

  func resetCalculation() {
    previous = .one
    current = .one
    position = 1
  }

  func registerBackgroundTask() {
    backgroundTask = UIApplication.shared.beginBackgroundTask { [unowned self] in
      endBackgroundTask()
    }
    assert(backgroundTask != .invalid)
  }

  func endBackgroundTask() {
    NSLog("Background task ended.")
    UIApplication.shared.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }

  func reinstateBackgroundTask() {
    if updateTimer != nil && backgroundTask == .invalid {
      registerBackgroundTask()
    }
  }

  func didTapPlayPause(_ sender: UIButton) {
    sender.isSelected = !sender.isSelected
    if sender.isSelected {
      resetCalculation()
      updateTimer = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { [unowned self] _ in
        calculateNextNumber()
      }
      registerBackgroundTask()
    } else {
      updateTimer?.invalidate()
      updateTimer = nil
      if backgroundTask != .invalid {
        endBackgroundTask()
      }
    }
  }

  func calculateNextNumber() {
    let result = current.adding(previous)
    let bigNumber = NSDecimalNumber(mantissa: 1, exponent: 40, isNegative: false)
    if result.compare(bigNumber) == .orderedAscending {
      previous = current
      current = result
      position += 1
    } else {
      // This is just too much.... Start over.
      resetCalculation()
    }
    let resultsMessage = "Position \(position) = \(current)"
    switch UIApplication.shared.applicationState {
    case .active:
      resultsLabel.text = resultsMessage
    case .background:
      NSLog("App is backgrounded. Next number = \(resultsMessage)")
      NSLog("Background time remaining = %.1f seconds", UIApplication.shared.backgroundTimeRemaining)
    case .inactive:
      break
    }
  }
}
