/// A part of the application on which the system acts directly, such as players with their audio session and
/// timers: anything that must stop during suspension and end with the application.
///
/// Calls come one at a time, on the thread that carries out the transition and without a lock, and should not
/// block. `suspend` comes on the main queue, unless the main queue remains busy for
/// `LifecycleSettings.suspensionLimit`, or the object is added during a suspension.
public protocol Suspendable: AnyObject, Sendable {
  /// Stops without losing anything, because the application is being suspended. No call into the
  /// application's code may begin after this returns. Never called twice without a `resume` or a `terminate`
  /// in between.
  func suspend()

  /// Whether everything that `suspend` stops has stopped, also outside this process, such as the sound of an
  /// audio server. `continuo phone run` stops the process once this is true for all parts, or after a second.
  /// Any thread.
  var isStill: Bool { get }

  /// Continues from the state at `suspend`, because the application has left the state `suspended`. Called
  /// only after a `suspend`, and not if a `terminate` came in between.
  func resume()

  /// Reports that the application has entered the background and its `didEnterBackground` callback has
  /// returned, or that the object is added in the background. Suspension is decided after this call.
  func enterBackground()

  /// Reports that the application is about to enter the foreground; its `willEnterForeground` callback comes
  /// next. After a suspension `resume` comes only when that callback has returned. Anything that the callback
  /// needs, such as the main thread, must therefore run again from this call on.
  func enterForeground()

  /// Prevents audio, because the application is being launched during an interruption; its
  /// `didFinishLaunching` callback comes next. `beginInterruption` or `terminate` follows.
  func expectInterruption()

  /// Pauses audio at the beginning of an interruption, such as a phone call. Never called twice without an
  /// `endInterruption` or a `terminate` in between. An interruption that began during a suspension is
  /// reported right before `resume`, and to the application's code after `resume`.
  func beginInterruption()

  /// Reports the end of the interruption. `shouldResume`: the application may resume its audio. Called only
  /// after a `beginInterruption`.
  func endInterruption(shouldResume: Bool)

  /// Ends all work that would outlive the application, because the user force-quits the application, running
  /// or not. `terminate` follows unless the application is in the state `notRunning`.
  func quit()

  /// Ends all work, drops undelivered calls and makes no more before the next `launch`, because the application has
  /// ended. May come during a suspension, or while a call into the application is in progress.
  func terminate()

  /// Reports that the application is being launched again after a `terminate`; its `didFinishLaunching`
  /// callback comes next.
  func launch()
}

extension Suspendable {
  /// True by default.
  public var isStill: Bool { true }
  /// Does nothing by default.
  public func enterBackground() {}
  /// Does nothing by default.
  public func enterForeground() {}
  /// Does nothing by default.
  public func expectInterruption() {}
  /// Does nothing by default.
  public func beginInterruption() {}
  /// Does nothing by default.
  public func endInterruption(shouldResume: Bool) {}
  /// Does nothing by default.
  public func quit() {}
  /// Does nothing by default.
  public func terminate() {}
  /// Does nothing by default.
  public func launch() {}
}
