import AudioCore
import Clocks
import DequeModule
import MediaTime

extension EngineMachine {
  /// Inserts an item after `after`, or at the end for nil. Returns false if `id` is already in the queue or
  /// `after` is not.
  mutating func insert(
    _ id: ItemID, source: any MediaSource, mix: ItemMix = ItemMix(), after: ItemID?,
    startSeconds: Double = 0
  ) -> Bool {
    let record = ItemRecord(medium: .init(source), startSeconds: Self.place(startSeconds), mix: mix)
    guard queue.insert(record, id: id, after: after) else { return false }
    if queue.first == id {
      becomeCurrent(id)
    } else if isDecoded(queue.next(of: id)) {
      splice()
    }
    return true
  }

  /// Removes an item; the current one is skipped as by `advanceToNext`.
  mutating func remove(_ id: ItemID) {
    guard queue.contains(id) else { return }
    moveDepartures(from: id, to: queue.previous(of: id))
    if id == current { return advanceToNext() }
    // If this item was inserted too late, its successor may have been decoded in its place.
    let wasDecoded = isDecoded(id) || cursor.item == id || isDecoded(queue.next(of: id))
    queue.remove(id)
    if wasDecoded { splice() }
  }

  /// Empties the queue for a call by the application. Also reports the current item if the queue has run
  /// empty and the application has not been notified yet.
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

  /// Removes `known`, the item that the application believes current (nil: the actual one), and starts the next
  /// one. If `known` is not current, only reports the current item again, because the application's value is
  /// outdated.
  mutating func advance(from known: ItemID?) {
    forgetDepartures(from: known ?? current)
    if known == nil || known == current { return advanceToNext() }
    tellCurrentItem()
  }

  private mutating func tellCurrentItem() {
    emit(.currentItemChanged(current))
    if current == nil { emit(.timeControlChanged(timeControl)) }
  }

  mutating func advanceToNext() {
    guard let current else { return }
    endSeek(finished: false)
    queue.remove(current)
    discontinue(to: .empty, resting: 0)
    becomeCurrent(queue.first)
  }

  /// Replaces `known`, the item that the application believes current (nil: the actual one), with `id`. If `id` is
  /// in the queue, has no effect and returns whether `id` is current.
  mutating func replaceCurrent(
    _ id: ItemID, source: any MediaSource, mix: ItemMix = ItemMix(), startSeconds: Double = 0,
    replacing known: ItemID? = nil
  ) -> Bool {
    guard !queue.contains(id) else { return id == current }
    endSeek(finished: false)
    if let known = known ?? current {
      forgetDeparture(of: known)
      moveDepartures(from: known, to: id)
    }
    moveDepartures(from: nil, to: id)
    if let current, known == nil || known == current { queue.remove(current) }
    let record = ItemRecord(medium: .init(source), startSeconds: Self.place(startSeconds), mix: mix)
    guard queue.prepend(record, id: id) else { return false }
    discontinue(to: .empty, resting: 0)
    becomeCurrent(id)
    return true
  }

  /// Sets the rate for a call by the application. Reports rate and time control even if unchanged, because
  /// the application's values may be outdated. `isImmediate`: whether sound starts with the first available
  /// frame. `timing`: the open stream's timing.
  mutating func requestRate(
    _ value: Float, reason: EngineRateReason, isImmediate: Bool = false, now: HostTime, timing: OutputTiming?
  ) {
    endSynchronizedStart()
    if isImmediate, value > 0 { buffering.beginAtOnce() } else { buffering.waitAgain() }
    if value == rate {
      if value != 0, case .retrying = output.phase { output.tryAnew() }
      emit(.rateChanged(value, reason))
    } else {
      setRate(value, reason: reason, now: now, timing: timing)
    }
    emit(.timeControlChanged(timeControl))
  }

  /// Sets the rate: 0 pauses, other values are seconds of media per second of output. `timing`: the open
  /// stream's timing.
  mutating func setRate(
    _ value: Float, reason: EngineRateReason, now: HostTime, timing: OutputTiming? = nil
  ) {
    guard value != rate else { return }
    settleOverrun(now: now)
    let begins = rate == 0
    rate = value
    if value > 0, Double(value) != speed {
      speed = Double(value)
      decodeAheadAnew(now: now, timing: timing)
    }
    if value == 0 { output.hasMoved = false }
    emit(.rateChanged(value, reason))
    lookAtStanding(now: now)
    if value != 0 {
      // Playback is requested again, and the reasons for earlier failures may be gone.
      isDecoderUnusable = false
      output.tryAnew()
      if begins, isShort, holdsBackWhatIsShort { buffering.start() }
      lookAtBuffer()
    }
    updateTimeControl(now: now)
  }

  /// Sets whether playback waits and resumes automatically after the output is lost or starved, or pauses
  /// instead. A waiting output is retried once before playback pauses.
  mutating func setWaitsToMinimizeStalling(_ waits: Bool, now: HostTime) {
    guard waits != waitsToMinimizeStalling else { return }
    waitsToMinimizeStalling = waits
    lookAtBuffer()
    guard !waits, timeControl == .waiting(.toMinimizeStalls) else { return }
    output.tryAnew()
    updateTimeControl(now: now)
  }

  /// Sets the action, and splices if the next item is already decoded but no longer follows.
  mutating func setActionAtItemEnd(_ action: EngineActionAtItemEnd, now: HostTime) {
    guard action != actionAtItemEnd else { return }
    settleOverrun(now: now)
    actionAtItemEnd = action
    if let current, action != .advance, isDecoded(queue.next(of: current)) { splice() }
    applyActionAtEnd(now: now)
  }

  // The next three methods decode the unheard frames again if necessary.

  mutating func setAlgorithm(
    _ algorithm: TimePitchAlgorithm, of id: ItemID, now: HostTime, timing: OutputTiming?
  ) {
    guard queue[id]?.algorithm != algorithm else { return }
    queue.update(id) { $0.algorithm = algorithm }
    if speed != 1, isDecoded(id) { decodeAheadAnew(now: now, timing: timing) }
  }

  mutating func setMix(_ mix: ItemMix, of id: ItemID, now: HostTime, timing: OutputTiming?) {
    guard queue.contains(id), queue[id]?.mix != mix else { return }
    queue.update(id) { $0.mix = mix }
    if isDecoded(id) { decodeAheadAnew(now: now, timing: timing) }
  }

  mutating func setReplayGain(_ kind: ReplayGain.Kind?, now: HostTime, timing: OutputTiming?) {
    guard replayGain != kind else { return }
    replayGain = kind
    if isDecoded(current) { decodeAheadAnew(now: now, timing: timing) }
  }

  /// Sets the latest end of an item, in seconds; nil restores the item's own end. If the current item has
  /// ended and the new end is later, the item has not ended any more.
  mutating func setEnd(_ seconds: Double?, of id: ItemID) {
    let seconds = seconds.map(Self.place)
    guard queue.contains(id), queue[id]?.endSeconds != seconds else { return }
    queue.update(id) { $0.endSeconds = seconds }
    if id == current, endedAt != nil, continuesAfterEnd {
      let ranOn = actionAtItemEnd == .none || overrun > 0
      endedAt = nil
      overrun = 0
      toldPosition = nil
      // The position had advanced past the end without sound, so the position jumps back.
      if ranOn {
        schedule.reset(to: resting)
        emit(.timeJumped(id))
        callObservers()
      }
    }
    guard isDecoded(id) else { return }
    splice()
    queue.update(id) { [generation] in $0.endSetIn = generation }
  }

  /// Whether the current item, which has ended, has more to play up to its present end.
  private var continuesAfterEnd: Bool {
    guard let current, let record = queue[current], record.failure == nil else { return false }
    var end = record.endSeconds ?? .infinity
    if let info = record.info, case .exact = info.frameCount { end = min(end, info.duration.seconds) }
    return end - resting > Buffering.nothing
  }

  /// Sets the start position of an item, in seconds. Splices if the item may have been decoded, or is opened
  /// next. Returns false, without effect, if the item is current.
  @discardableResult
  mutating func setStart(_ seconds: Double, of id: ItemID) -> Bool {
    guard id != current else { return false }
    let seconds = Self.place(seconds)
    guard queue.contains(id), queue[id]?.startSeconds != seconds else { return true }
    queue.update(id) { $0.startSeconds = seconds }
    if isDecoded(id) || id == nextToOpen { splice() }
    return true
  }

  /// Whether frames of `id` may be in the ring or in the device.
  private func isDecoded(_ id: ItemID?) -> Bool {
    guard let id, let record = queue[id], record.decodedIn != 0 else { return false }
    return record.decodedIn >= heardGeneration
  }
}

// Departures: items leave the queue automatically when they end or fail. Until the application is notified,
// they keep their positions in the application's view of the queue.
extension EngineMachine {
  /// An item that left the queue automatically and whose departure is not reported yet.
  struct Departure: Sendable {
    let id: ItemID
    /// The item that preceded the departed item; nil at the front of the queue.
    var predecessor: ItemID?
    /// The position at which the item broke off; nil if it did not.
    let brokeOffAt: CMTime?
  }

  /// The queue including the items whose departure is not reported yet. Takes time proportional to the
  /// queue's length.
  var itemsUntilTold: [ItemID] {
    guard !departures.isEmpty else { return queue.ids }
    var known = PlayQueue<Void>()
    for id in queue.ids { _ = known.insert((), id: id, after: nil) }
    for departure in departures.reversed() {
      let (id, predecessor) = (departure.id, departure.predecessor)
      _ = predecessor == nil ? known.prepend((), id: id) : known.insert((), id: id, after: predecessor)
    }
    return known.ids
  }

  /// Whether `itemsUntilTold` contains `id`.
  func containsUntilTold(_ id: ItemID) -> Bool {
    queue.contains(id) || departures.contains { $0.id == id }
  }

  /// Removes an item that ended or failed from the queue.
  mutating func depart(_ id: ItemID) {
    let predecessor = queue.previous(of: id)
    let brokeOffAt = id == current && queue[id]?.failure != nil ? restingPosition?.time : nil
    guard queue.remove(id) != nil else { return }
    departures.append(Departure(id: id, predecessor: predecessor, brokeOffAt: brokeOffAt))
  }

  /// Records that the application was notified of the departure of `id`.
  mutating func forgetDeparture(of id: ItemID) {
    guard let index = departures.firstIndex(where: { $0.id == id }) else { return }
    let predecessor = departures.remove(at: index).predecessor
    // Only departures recorded earlier can name the removed one as their predecessor.
    for earlier in 0..<index where departures[earlier].predecessor == id {
      departures[earlier].predecessor = predecessor
    }
  }

  /// Drops the departures at the front of the queue and directly after `known`. The application's advance
  /// moves its view of the queue past these items.
  mutating func forgetDepartures(from known: ItemID?) {
    departures.removeAll { $0.predecessor == nil || $0.predecessor == known }
  }

  /// Attaches the departures that follow `id` (nil: the front of the queue) to `predecessor`.
  mutating func moveDepartures(from id: ItemID?, to predecessor: ItemID?) {
    for index in departures.indices where departures[index].predecessor == id {
      departures[index].predecessor = predecessor
    }
  }
}
