/// A part of the application that the system acts on directly: players with their audio session, timers, and
/// anything else that must stop while the application is suspended and end with it.
///
/// All calls come one at a time, on the thread that carries out the transition and without any lock held, and
/// should not block. `suspend` comes on the main queue, unless the main queue does not become free within
/// `LifecycleSettings.suspensionLimit`.
public protocol Suspendable: AnyObject, Sendable {
  /// The application is being suspended: stop without losing anything. Once this returns, no further call
  /// into the application's code may begin. Never called twice without a `resume` in between.
  func suspend()

  /// The application runs again and has left the state `suspended`: continue where `suspend` stopped. Only
  /// called after a `suspend` without a `terminate` since.
  func resume()

  /// The application has entered the background, and its own callback for that has returned. Whether it keeps
  /// running there or is suspended at once is decided afterwards.
  func enterBackground()

  /// The application is about to come to the foreground; its own callback for that comes next. If it was
  /// suspended, `resume` comes only after that callback has returned, so whatever the callback needs, the
  /// main thread for example, must run again from here on.
  func enterForeground()

  /// An interruption begins, a phone call for example: sound pauses. Never called twice without an
  /// `endInterruption` or a `terminate` in between. An interruption that began during a suspension is told
  /// right before `resume`; the application hears of it after `resume`.
  func beginInterruption()

  /// The interruption is over. `shouldResume`: the application may resume its sound. Only called after a
  /// `beginInterruption`.
  func endInterruption(shouldResume: Bool)

  /// The person ends the application, whether it runs or not: what was to outlive it ends too. `terminate` follows if it runs.
  func quit()

  /// The application has ended: stop for good, drop everything that was not delivered, make no further calls.
  /// May come while suspended, and while a call into the application has not returned.
  func terminate()

  /// The application is being launched again after a `terminate`; its own callback for that comes next.
  func launch()
}

extension Suspendable {
  /// Does nothing by default.
  public func enterBackground() {}
  /// Does nothing by default.
  public func enterForeground() {}
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
