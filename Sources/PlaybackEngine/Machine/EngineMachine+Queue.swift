import AudioCore
import DequeModule
import HostTime
import MediaTime

extension EngineMachine {
  /// Inserts behind `after`, at the end for nil. False if it is in the queue already or `after` is not.
  mutating func insert(
    _ id: ItemID, source: any MediaSource, after: ItemID?, startSeconds: Double = 0
  ) -> Bool {
    let record = ItemRecord(source: source, startSeconds: Self.place(startSeconds))
    guard queue.insert(record, id: id, after: after) else { return false }
    if queue.first == id {
      becomeCurrent(id)
    } else if isDecoded(queue.next(of: id)) {
      splice()
    }
    return true
  }

  /// Takes an item out; the current one as `advanceToNextItem`.
  mutating func remove(_ id: ItemID) {
    guard queue.contains(id) else { return }
    moveDepartures(from: id, to: queue.previous(of: id))
    if id == current {
      advanceToNext()
      return
    }
    // What follows was decoded before it if it was inserted too late to be heard first.
    let wasDecoded = isDecoded(id) || cursor.item == id || isDecoded(queue.next(of: id))
    queue.remove(id)
    if wasDecoded { splice() }
  }

  /// A call of the application empties the queue. Tells it, too, if it has run empty unknown to the application.
  mutating func requestRemoveAll() {
    if current == nil, !departures.isEmpty { tellCurrentItem() }
    removeAll()
  }

  mutating func removeAll() {
    departures.removeAll()
    guard current != nil else { return }
    endSeek(finished: false)
    queue.removeAll()
    discontinue(to: .empty, resting: 0)
    becomeCurrent(nil)
  }

  /// A call of the application: ends `known`, the current item as it knows it (nil for the one that is), and starts the
  /// next. Tells the current item in any case: it may have changed unknown to the application.
  mutating func advance(from known: ItemID?) {
    forgetDepartures(from: known ?? current)
    if known == nil || known == current { return advanceToNext() }
    tellCurrentItem()
  }

  private mutating func tellCurrentItem() {
    emit(.currentItemChanged(current))
    if current == nil { emit(.timeControlChanged(timeControl)) }
  }

  /// Ends the current item and starts the next; the current one leaves the queue.
  mutating func advanceToNext() {
    guard let current else { return }
    endSeek(finished: false)
    queue.remove(current)
    discontinue(to: .empty, resting: 0)
    becomeCurrent(queue.first)
  }

  /// Puts another item in the place of `known`, the current item as the application knows it (nil for the one that is);
  /// the rest of the queue stays.
  mutating func replaceCurrent(
    _ id: ItemID, source: any MediaSource, startSeconds: Double = 0, replacing known: ItemID? = nil
  ) -> Bool {
    guard !queue.contains(id) else { return id == current }
    endSeek(finished: false)
    if let known = known ?? current {
      forgetDeparture(of: known)
      moveDepartures(from: known, to: id)
    }
    moveDepartures(from: nil, to: id)
    if let current, known == nil || known == current { queue.remove(current) }
    let record = ItemRecord(source: source, startSeconds: Self.place(startSeconds))
    guard queue.prepend(record, id: id) else { return false }
    discontinue(to: .empty, resting: 0)
    becomeCurrent(id)
    return true
  }

  /// A call of the application sets the rate. Tells it, and the state, in any case: they may have changed unknown to the
  /// application. `isImmediate`: sound begins with the first frame. `timing` is the open stream's.
  mutating func requestRate(
    _ value: Float, reason: EngineRateReason, isImmediate: Bool = false, now: HostTime, timing: OutputTiming?
  ) {
    endSynchronizedStart()
    if isImmediate, value > 0 { buffering.beginAtOnce() } else { buffering.waitAgain() }
    if value == rate {
      emit(.rateChanged(value, reason))
    } else {
      setRate(value, reason: reason, now: now, timing: timing)
    }
    emit(.timeControlChanged(timeControl))
  }

  /// Sets the rate: 0 pauses, others are seconds of an item in a second of sound. `timing` is the open stream's.
  mutating func setRate(
    _ value: Float, reason: EngineRateReason, now: HostTime, timing: OutputTiming? = nil
  ) {
    guard value != rate else { return }
    settleOverrun(now: now)
    let begins = rate == 0
    rate = value
    if value > 0 { setSpeed(Double(value), now: now, timing: timing) }
    if value == 0 { output.hasMoved = false }
    emit(.rateChanged(value, reason))
    lookAtStanding(now: now)
    if value != 0 {
      // Asked for once more: the reasons may be gone.
      isDecoderUnusable = false
      output.tryAnew()
      if begins, isShort, holdsBackWhatIsShort { buffering.start() }
      lookAtBuffer()
    }
    updateTimeControl(now: now)
  }

  /// Whether playback waits and goes on by itself where the output is lost or starved; else it pauses there. One that
  /// waits is tried once more before it pauses.
  mutating func setWaitsToMinimizeStalling(_ waits: Bool, now: HostTime) {
    guard waits != waitsToMinimizeStalling else { return }
    waitsToMinimizeStalling = waits
    lookAtBuffer()
    guard !waits, timeControl == .waiting(.toMinimizeStalls) else { return }
    output.tryAnew()
    updateTimeControl(now: now)
  }

  /// Changes what happens at the end of an item; an item that follows may be decoded already.
  mutating func setActionAtItemEnd(_ action: EngineActionAtItemEnd, now: HostTime) {
    guard action != actionAtItemEnd else { return }
    settleOverrun(now: now)
    actionAtItemEnd = action
    if let current, action != .advance, isDecoded(queue.next(of: current)) { splice() }
    applyActionAtEnd(now: now)
  }

  /// How an item's sound is made to pass faster or slower.
  mutating func setAlgorithm(
    _ algorithm: TimePitchAlgorithm, of id: ItemID, now: HostTime, timing: OutputTiming?
  ) {
    guard queue.contains(id), queue[id]?.algorithm != algorithm else { return }
    queue.update(id) { $0.algorithm = algorithm }
    if speed != 1, isDecoded(id) { decodeAnew(now: now, timing: timing) }
  }

  /// The sound of an item is another one from now on.
  mutating func decodeAnew(_ id: ItemID, now: HostTime, timing: OutputTiming?) {
    if isDecoded(id) { decodeAheadAnew(now: now, timing: timing) }
  }

  /// The latest end of an item, in seconds; nil for its own.
  mutating func setEnd(_ seconds: Double?, of id: ItemID) {
    let seconds = seconds.map(Self.place)
    guard queue.contains(id), queue[id]?.endSeconds != seconds else { return }
    queue.update(id) { $0.endSeconds = seconds }
    guard isDecoded(id) else { return }
    splice()
    queue.update(id) { [generation] in $0.endSetIn = generation }
  }

  /// Where an item that is not current yet will start, in seconds; it may be decoded already, or be about to.
  mutating func setStart(_ seconds: Double, of id: ItemID) {
    let seconds = Self.place(seconds)
    guard queue.contains(id), id != current, queue[id]?.startSeconds != seconds else { return }
    queue.update(id) { $0.startSeconds = seconds }
    if isDecoded(id) || id == nextToOpen { splice() }
  }

  /// Whether frames of `id` may be on their way to the listener.
  private func isDecoded(_ id: ItemID?) -> Bool {
    guard let id, let record = queue[id], record.decodedIn != 0 else { return false }
    return record.decodedIn >= heardGeneration
  }
}
