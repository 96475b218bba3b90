public import Foundation

extension UIApplication: ApplicationSide {
  nonisolated func receive(_ callback: LifecycleCallback) {
    MainActor.assumeIsolated {
      call(callback)
      if callback != .performFetch, callback != .keepAlive {
        NotificationCenter.default.post(name: Self.name(callback), object: self)
      }
      if callback == .didEnterBackground, delegate != nil {
        device?.handle(.mayHaveLeftWork, as: .application)
      }
    }
  }

  nonisolated func handleEvents(ofSession session: String, _ completion: @escaping @Sendable () -> Void) {
    MainActor.assumeIsolated {
      guard let delegate else { return completion() }
      delegate.application(self, handleEventsForBackgroundURLSession: session, completionHandler: completion)
    }
  }

  nonisolated func performFetch(_ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void) {
    MainActor.assumeIsolated {
      guard let delegate else { return completion(.noData) }
      delegate.application(self, performFetchWithCompletionHandler: completion)
    }
  }

  private func call(_ callback: LifecycleCallback) {
    guard let delegate else { return }
    switch callback {
    case .didFinishLaunching:
      _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
      _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
    case .didBecomeActive: delegate.applicationDidBecomeActive(self)
    case .willResignActive: delegate.applicationWillResignActive(self)
    case .didEnterBackground: delegate.applicationDidEnterBackground(self)
    case .willEnterForeground: delegate.applicationWillEnterForeground(self)
    case .willTerminate: delegate.applicationWillTerminate(self)
    case .didReceiveMemoryWarning: delegate.applicationDidReceiveMemoryWarning(self)
    case .performFetch, .keepAlive, .backgroundRefreshStatusDidChange: break
    }
  }

  fileprivate nonisolated static func name(_ callback: LifecycleCallback) -> Notification.Name {
    let event = callback.rawValue
    return Notification.Name("UIApplication\(event.prefix(1).uppercased())\(event.dropFirst())Notification")
  }
}

extension UIApplication {
  /// Posted after the application has launched.
  public nonisolated class var didFinishLaunchingNotification: Notification.Name { name(.didFinishLaunching) }
  /// Posted when the application is in the foreground and receives input.
  public nonisolated class var didBecomeActiveNotification: Notification.Name { name(.didBecomeActive) }
  /// Posted when the application is about to be interrupted or to leave the foreground.
  public nonisolated class var willResignActiveNotification: Notification.Name { name(.willResignActive) }
  /// Posted when the application has entered the background.
  public nonisolated class var didEnterBackgroundNotification: Notification.Name { name(.didEnterBackground) }
  /// Posted when the application is about to enter the foreground.
  public nonisolated class var willEnterForegroundNotification: Notification.Name {
    name(.willEnterForeground)
  }
  /// Posted before a termination, except for a fault or during suspension.
  public nonisolated class var willTerminateNotification: Notification.Name { name(.willTerminate) }
  /// Posted when memory is running low.
  public nonisolated class var didReceiveMemoryWarningNotification: Notification.Name {
    name(.didReceiveMemoryWarning)
  }
  /// Posted when `backgroundRefreshStatus` has changed.
  public nonisolated class var backgroundRefreshStatusDidChangeNotification: Notification.Name {
    name(.backgroundRefreshStatusDidChange)
  }
}
