import PlaybackEngine
import Synchronization

// The players of an environment: which there are, which play, and which may.
extension PlaybackSuspension {
  /// The greatest activity of all players, as reported to their observers. Suspension does not change it. Any
  /// thread.
  package var activity: PlaybackActivity { state.withLock { $0.activity } }

  /// The greatest activity of those players that may sound in the background: their session is active and its
  /// category allows that. While it is `playing` it keeps an application with the mode `audio` running.
  /// Any thread.
  package var keepingActivity: PlaybackActivity { state.withLock { $0.keepingActivity } }

  /// Called when `keepingActivity` changed, after the players' own observers: on the main queue, on the thread that
  /// released the last reference to a playing player, or on the one that changed the session. Calls from one thread come in
  /// order. May call `suspendAll`.
  package var onKeepingActivityChange: (@Sendable (PlaybackActivity) -> Void)? {
    get { state.withLock { $0.onKeepingActivityChange } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onKeepingActivityChange, &handler) }
    }
  }

  func add(_ core: PlayerCore) {
    let isTerminated = transition.withLock { _ in
      let condition = state.withLock { state in
        if state.condition != .terminated {
          state.entries[ObjectIdentifier(core)] = Entry(core: core, serial: state.nextSerial)
          state.nextSerial += 1
        }
        return state.condition
      }
      if condition == .suspended { core.engine.suspend() }
      return condition == .terminated
    }
    if isTerminated { core.engine.close() }
  }

  /// `core` is going away.
  func remove(_ core: PlayerCore) {
    change { $0.entries[ObjectIdentifier(core)] = nil }
  }

  func setActivity(_ activity: PlaybackActivity, of core: PlayerCore) {
    change { $0.entries[ObjectIdentifier(core)]?.activity = activity }
  }

  /// What the session allows may have changed.
  func sessionChanged() {
    pauseWhatMayNotSound()
    change { _ in }
  }

  /// Whether `core` may begin to play; activates the session if necessary. False once the application has
  /// ended.
  func mayPlay(_ core: PlayerCore) -> Bool {
    let (isKnown, session, isInBackground) = state.withLock { state in
      (state.entries[ObjectIdentifier(core)] != nil, state.session, state.isInBackground)
    }
    guard isKnown, let session, session.allowsSound, session.activateForPlayback() else { return false }
    return session.allowsBackgroundSound || !isInBackground
  }

  func pausePlayers(_ reason: EngineRateReason) {
    for core in state.withLock({ $0.cores }) { core.pause(reason) }
  }

  /// The properties of the first player's output that is open; nil if none is.
  var outputProperties: (sampleRate: Int, latency: Double)? {
    state.withLock { $0.cores }.lazy.compactMap(\.engine.outputProperties).first
  }

  func pauseWhatMayNotSound() {
    let (session, isInBackground) = state.withLock { ($0.session, $0.isInBackground) }
    if isInBackground, session?.allowsBackgroundSound != true { pausePlayers(.appBackgrounded) }
  }

  /// Changes the state and reports the activity that keeps the application running, if that changed.
  func change(_ body: (inout State) -> Void) {
    // Loaded without what follows, so that it does not end under the lock. Its own lock comes after this one.
    let session = state.withLock { $0.session }
    let (keeping, handler) = state.withLock { state in
      body(&state)
      let before = state.keepingActivity
      state.keepingActivity = session?.allowsBackgroundSound == true ? state.activity : .stopped
      return (state.keepingActivity, state.keepingActivity == before ? nil : state.onKeepingActivityChange)
    }
    handler?(keeping)
  }
}
