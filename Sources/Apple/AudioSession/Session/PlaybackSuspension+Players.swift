import Clocks
import PlaybackEngine
import Synchronization

extension PlaybackSuspension {
  /// The greatest activity of all players, as last reported to their observers. Suspension does not change
  /// the activity. Any thread.
  package var activity: PlaybackActivity { state.withLock { $0.activity } }

  /// Called when the activity that counts in the background changes: that of the most active player while the
  /// session is active in a category that allows background playback, otherwise `stopped`. While it is
  /// `playing`, an application with the mode `audio` keeps running. A new handler receives the present
  /// activity, unless it is `stopped`.
  ///
  /// Called in the order of the changes, by one thread at a time, after the players' own observers. Called on
  /// the main queue, or on the thread that released the last reference to a playing player, changed the
  /// session, set this handler or called `terminateAll`. A change during a call is reported by the thread
  /// that makes the call. The handler may call `suspendAll`.
  package var onKeepingActivityChange: (@Sendable (PlaybackActivity) -> Void)? {
    get { state.withLock { $0.onKeepingActivityChange } }
    set {
      var handler = newValue
      report { state in
        swap(&state.onKeepingActivityChange, &handler)
        if state.keepingActivity != .stopped { state.reports.append(state.keepingActivity) }
      }
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

  /// Calls `start`, which starts `core`, if the session allows playback now; activates the session if
  /// necessary. Returns whether `start` was called, even if a concurrent change then paused `core`. Returns false
  /// after `terminateAll`.
  package func start(_ core: any SuspendablePlayer, _ start: () -> Void) -> Bool {
    let (isKnown, session, wasInBackground) = state.withLock { state in
      (state.index(of: core) != nil, state.session, state.isInBackground)
    }
    guard isKnown, let session, session.allowsSound, session.activateForPlayback(),
      session.allowsBackgroundSound || !wasInBackground
    else { return false }
    start()
    // Another thread may have withdrawn the permission since the check, and paused `core` before it started.
    let reason = session.pauseReason(isInBackground: state.withLock { $0.isInBackground })
    if let reason { core.pause(reason) }
    return true
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

  /// Changes the state, and reports `keepingActivity` if the change affects it.
  func change(_ body: (inout State) -> Void) {
    // The session is retained outside the state's lock, so that it is not released under that lock. The
    // session's own lock is taken after the state's lock.
    let session = state.withLock { $0.session }
    report { state in
      body(&state)
      let before = state.keepingActivity
      state.keepingActivity = session?.allowsBackgroundSound == true ? state.activity : .stopped
      if state.keepingActivity != before { state.reports.append(state.keepingActivity) }
    }
  }

  /// Changes the state. Then makes the reports that are due, unless another thread is already doing so.
  private func report(after change: (inout State) -> Void) {
    let isOurs = state.withLock { state in
      change(&state)
      return state.reports.begin()
    }
    while isOurs, let (handler, activity) = state.withLock({ $0.nextReport() }) { handler?(activity) }
  }
}

extension PlaybackSuspension.State {
  fileprivate mutating func nextReport() -> ((@Sendable (PlaybackActivity) -> Void)?, PlaybackActivity)? {
    reports.next().map { (onKeepingActivityChange, $0) }
  }
}
