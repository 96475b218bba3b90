import PlaybackEngine
import Synchronization

extension PlaybackSuspension {
  /// The greatest activity of all players, as last reported to their observers. Suspension does not change
  /// the activity. Any thread.
  package var activity: PlaybackActivity { state.withLock { $0.activity } }

  /// The greatest activity of the players that may play in the background: their session is active and its
  /// category allows it. While it is `playing`, an application with the mode `audio` keeps running.
  package var keepingActivity: PlaybackActivity { state.withLock { $0.keepingActivity } }

  /// A handler of changes of `keepingActivity`, called after the players' own observers. Called on the main
  /// queue, on the thread that released the last reference to a playing player, or on the thread that changed
  /// the session. Calls from one thread come in order. May call `suspendAll`.
  package var onKeepingActivityChange: (@Sendable (PlaybackActivity) -> Void)? {
    get { state.withLock { $0.onKeepingActivityChange } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onKeepingActivityChange, &handler) }
    }
  }

  package func add(_ core: any SuspendablePlayer) {
    let isTerminated = transition.withLock { _ in
      let condition = state.withLock { state in
        if state.condition != .terminated {
          state.entries.append(Entry(id: ObjectIdentifier(core), core: core))
        }
        return state.condition
      }
      if condition == .suspended { core.engine.suspend() }
      return condition == .terminated
    }
    if isTerminated { core.engine.close() }
  }

  /// Removes `core`, which is about to be released.
  package func remove(_ core: any SuspendablePlayer) {
    change { if let index = $0.index(of: core) { $0.entries.remove(at: index) } }
  }

  package func setActivity(_ activity: PlaybackActivity, of core: any SuspendablePlayer) {
    change { if let index = $0.index(of: core) { $0.entries[index].activity = activity } }
  }

  func sessionChanged() {
    pauseWhatMayNotSound()
    change { _ in }
  }

  /// Returns whether `core` may start to play, and activates the session if necessary. Returns false after
  /// `terminateAll`.
  package func mayPlay(_ core: any SuspendablePlayer) -> Bool {
    let (isKnown, session, isInBackground) = state.withLock { state in
      (state.index(of: core) != nil, state.session, state.isInBackground)
    }
    guard isKnown, let session, session.allowsSound, session.activateForPlayback() else { return false }
    return session.allowsBackgroundSound || !isInBackground
  }

  func pausePlayers(_ reason: EngineRateReason) {
    for core in state.withLock({ $0.cores }) { core.pause(reason) }
  }

  /// The properties of the first open output among the players; nil if none is open.
  var outputProperties: (sampleRate: Int, latency: Double)? {
    state.withLock { $0.cores }.lazy.compactMap { $0.engine.outputProperties }.first
  }

  func pauseWhatMayNotSound() {
    let (session, isInBackground) = state.withLock { ($0.session, $0.isInBackground) }
    if isInBackground, session?.allowsBackgroundSound != true { pausePlayers(.appBackgrounded) }
  }

  /// Changes the state and reports a change of `keepingActivity`.
  func change(_ body: (inout State) -> Void) {
    // The session is retained outside the state's lock, so that it is not released under that lock. The
    // session's own lock is taken after the state's lock.
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
