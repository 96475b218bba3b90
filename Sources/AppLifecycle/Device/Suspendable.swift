/// A part of the application that the system acts on directly: players with their audio session, timers, whatever
/// must stand still while the application is suspended and end with it.
///
/// All calls come one at a time, on the thread that carries out the transition, without any lock held, and should
/// not block. That is the main queue for `suspend`, unless the main queue is blocked for too long.
public protocol Suspendable: AnyObject, Sendable {
  /// The application is being suspended: stop so that nothing is lost, and begin no further call into the
  /// application's code. Returns when that is so. Never called twice without a `resume` between.
  func suspend()

  /// The application runs again, and has left the state `suspended`: go on where `suspend` stopped. Never called without
  /// a `suspend` before, nor after a `terminate` since.
  func resume()

  /// The application has entered the background; its own callback for that has returned. Whether it stays there or
  /// is suspended at once is decided afterwards.
  func enterBackground()

  /// The application is about to come to the foreground; its own callback for that comes next. If it was suspended,
  /// `resume` follows when that callback has returned and the state is no longer `suspended`: what the callback needs,
  /// the main thread above all, has to go on here.
  func enterForeground()

  /// Something takes the user's attention, a call for example: what sounds pauses. Never called twice without an
  /// `endInterruption` or a `terminate` between. What happened during a suspension comes right before its `resume`, and
  /// the application is told after that.
  func beginInterruption()

  /// That is over. `shouldResume`: what it paused may go on by itself. Never called without a `beginInterruption` before.
  func endInterruption(shouldResume: Bool)

  /// The application has ended, by itself or because it was terminated: stop for good, drop what was not delivered,
  /// call nothing. May come while suspended, and while a callback into the application has not returned.
  func terminate()

  /// The application is being launched again after a `terminate`; its own callback for that comes next.
  func launch()
}

extension Suspendable {
  /// Nothing.
  public func enterBackground() {}
  /// Nothing.
  public func enterForeground() {}
  /// Nothing.
  public func beginInterruption() {}
  /// Nothing.
  public func endInterruption(shouldResume: Bool) {}
  /// Nothing.
  public func terminate() {}
  /// Nothing.
  public func launch() {}
}
