import AudioCore
import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization
import Transfer

// The engine's notices, handled on the main queue, one at a time.
extension PlayerCore {
  func receive(_ notice: EngineNotice) {
    announcer.settle()
    // A handler called by `settle` may have suspended the players.
    guard engine.mayCall else { return engine.carryOn { [weak self] in self?.receive(notice) } }
    switch notice {
    case .currentItemChanged(let id): becomeCurrent(id)
    case .rateChanged(let rate, let reason): changeRate(rate, reason: reason)
    case .timeControlChanged(let timeControl): changeTimeControl(timeControl)
    case .itemReady(let id, let info), .durationChanged(let id, let info): learn(info, of: id)
    case .itemFailed(let id, let error): fail(id, error: error)
    case .playedToEnd(let id): playedToEnd(id)
    case .failedToPlayToEnd(let id, let error): playedToEnd(id, failure: error)
    case .timeJumped(let id): post(AVPlayerItem.timeJumpedNotification, item: id)
    case .playbackStalled(let id):
      log(id) { log, _ in log.stalled() }
      post(AVPlayerItem.playbackStalledNotification, item: id)
    case .timedTag(let id, let tag, let time): tell(tag, from: time, of: id)
    case .bufferChanged(let id, let buffer): change(to: buffer, of: id)
    case .extentChanged(let id, let extent): change(to: extent, of: id)
    case .seekCompleted(let completion, let finished): completion(finished)
    case .outputUnavailable(let error, let retryAfter):
      environment.audioSession.outputLost(error.cause)
      environment.onDiagnostic?(.outputUnavailable(error.message, retryAfter: retryAfter))
    case .outputOpened(let route):
      environment.audioSession.outputOpened(sink: route)
      environment.onDiagnostic?(.outputOpened(route: route))
    case .replayGainIgnored(let id, let values): report(ignored: values, of: id)
    case .stepsCoalesced(let count): environment.onDiagnostic?(.stepsCoalesced(count))
    }
  }

  private func becomeCurrent(_ id: ItemID?) {
    let (previous, isKnown) = state.withLock { state in
      (state.current?.id, id.map { state.items[$0] != nil } ?? true)
    }
    // If the item has been removed since this notice was sent, another notice follows.
    guard isKnown, id != previous else { return }
    if let previous { log(previous) { log, now in log.play(false, at: now) } }
    change([.currentItem]) {
      state.withLock { state in state.current = id.flatMap { id in state.items[id].map { (id, $0) } } }
      if let previous { forget(previous) }
    }
    logPlaying()
  }

  private func changeRate(_ rate: Float, reason: EngineRateReason) {
    let (player, isChange) = state.withLock { ($0.player, rate != $0.rate) }
    // If the rate is unchanged, it is announced nevertheless, together with the time control status. Apple's
    // players do so, and applications learn from the announcement that a new item does not play.
    change(isChange ? [.rate] : [.rate, .timeControlStatus]) { state.withLock { $0.rate = rate } }
    guard isChange || reason == .setRateFailed else { return }
    engine.carryOn { [weak player] in
      let userInfo = AVPlayer.RateDidChangeReason(reason).map { [AVPlayer.rateDidChangeReasonKey: $0] }
      NotificationCenter.default.post(
        name: AVPlayer.rateDidChangeNotification, object: player, userInfo: userInfo)
    }
  }

  private func changeTimeControl(_ timeControl: EngineTimeControl) {
    let before = state.withLock { $0.timeControl }
    guard timeControl != before else { return }
    var keys: [ObservedKey] = []
    let (status, statusBefore) = (AVPlayer.TimeControlStatus(timeControl), AVPlayer.TimeControlStatus(before))
    if status != statusBefore { keys.append(.timeControlStatus) }
    let (reason, reasonBefore) = (AVPlayer.WaitingReason(timeControl), AVPlayer.WaitingReason(before))
    if reason != reasonBefore { keys.append(.reasonForWaitingToPlay) }
    change(keys) { state.withLock { $0.timeControl = timeControl } }
    logPlaying()
    let isRemote = state.withLock { $0.current?.item.asset.loader.shared } != nil
    let activity: PlaybackActivity =
      switch timeControl {
      case .paused, .waiting(.noItemToPlay): .stopped
      case .waiting: isRemote ? .waitingForNetwork : .waiting
      case .playing: .playing
      }
    environment.suspension.setActivity(activity, of: self)
  }

  private func learn(_ info: ItemInfo, of id: ItemID) {
    setStatus(.readyToPlay)
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    item.asset.loader.learn(info)
    log(id) { log, now in log.ready(at: now) }
    change(item.newKeys(status: .readyToPlay, info: info), of: item) {
      item.become(status: .readyToPlay, info: info)
    }
  }

  private func change(to buffer: BufferState, of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    change(item.newKeys(buffer: buffer), of: item) { item.state.withLock { $0.buffer = buffer } }
  }

  private func change(to extent: MediaExtent, of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    change([.loadedTimeRanges], of: item) { item.state.withLock { $0.extent = extent } }
  }

  private func fail(_ id: ItemID, error: DecodingError) {
    let isEngines = error.scope == .engine
    let error = AVError(error, opening: true)
    setStatus(isEngines ? .failed : .readyToPlay, error: isEngines ? error : nil)
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    if item.state.withLock({ $0.status }) != .failed {
      change(item.newKeys(status: .failed, error: error), of: item) {
        item.become(status: .failed, error: error)
      }
    }
    forget(id)
  }

  /// Sets the status: ready after the first attempt to open an item, even a failed one; failed if the engine
  /// cannot decode anything.
  private func setStatus(_ status: AVPlayer.Status, error: AVError? = nil) {
    let before = state.withLock { $0.status }
    guard before != status, before != .failed else { return }
    change(error == nil ? [.status] : [.status, .error]) {
      state.withLock { state in
        state.status = status
        state.error = error
      }
    }
  }

  private func playedToEnd(_ id: ItemID, failure: DecodingError? = nil) {
    guard let item = state.withLock({ $0.items[id] }) else { return }
    if failure == nil {
      item.state.withLock { state in
        if state.attachment?.id == id, state.end.isNumeric { state.place = state.end }
      }
    } else if item.isNumber(id) {
      item.keepPlace()
    }
    if let failure {
      post(
        AVPlayerItem.failedToPlayToEndTimeNotification, item: id,
        userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: AVError(failure, opening: false) as NSError])
    } else {
      post(AVPlayerItem.didPlayToEndTimeNotification, item: id)
    }
    forget(id)
  }

  /// Reports out-of-range ReplayGain values of an item, once per item.
  private func report(ignored values: [String], of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }) else { return }
    let (asset, isFirst) = item.state.withLock { state in
      defer { state.hasReportedReplayGain = true }
      return (state.asset, !state.hasReportedReplayGain)
    }
    guard isFirst else { return }
    let name = (asset as? AVURLAsset)?.url.lastPathComponent ?? "an item"
    environment.onDiagnostic?(.replayGainIgnored("\(name): ignored: \(values.joined(separator: ", "))"))
  }

  func post(_ name: Notification.Name, item id: ItemID, userInfo: [AnyHashable: Any]? = nil) {
    guard let item = state.withLock({ $0.items[id] }) else { return }
    NotificationCenter.default.post(name: name, object: item, userInfo: userInfo)
  }

  /// Reports the metadata of item `id` when the first frame to which they apply is heard.
  func tell(_ tag: MediaTag, from time: CMTime, of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    let items = AVMetadataItem.items(of: tag, from: time)
    change([.timedMetadata], of: item) { item.state.withLock { $0.timedMetadata = items } }
    let range = CMTimeRange(start: time, duration: .indefinite)
    for case let output as AVPlayerItemMetadataOutput in item.outputs {
      let wanted = items.filter { output.takes($0.identifier) }
      guard !wanted.isEmpty else { continue }
      let group = AVTimedMetadataGroup(items: wanted, timeRange: range)
      if let queue = output.ownQueue {
        environment.suspension.tellLater(on: queue) { output.push(group) }
      } else {
        engine.carryOn { output.push(group) }
      }
    }
  }

  // MARK: Events of remote media
  // Handled on the main queue, after earlier notices of the engine.

  /// Reports an event of the medium of item `id`. Any thread; events from one thread arrive in order.
  func tell(_ note: TransferNote, of id: ItemID) {
    engine.tell { [weak self] in self?.receive(note, of: id) }
  }

  private func receive(_ note: TransferNote, of id: ItemID) {
    announcer.settle()
    // A handler called by `settle` may have suspended the players.
    guard engine.mayCall else { return engine.carryOn { [weak self] in self?.receive(note, of: id) } }
    let news = log(id) { log, now in log.take(note, at: now) }
    post(AVPlayerItem.transferNotification, item: id, userInfo: [AVPlayerItem.transferNoteKey: note])
    if note == .entered {
      engine.carryOn { [weak self] in self?.post(AVPlayerItem.timeJumpedNotification, item: id) }
    }
    let name: Notification.Name
    switch news ?? nil {
    case .access: name = AVPlayerItem.newAccessLogEntryNotification
    case .failure: name = AVPlayerItem.newErrorLogEntryNotification
    case nil: return
    }
    engine.carryOn { [weak self] in self?.post(name, item: id) }
  }

  /// Logs whether the current item plays.
  func logPlaying() {
    let (current, timeControl) = state.withLock { ($0.current?.id, $0.timeControl) }
    guard let current else { return }
    log(current) { log, now in log.play(timeControl == .playing, at: now) }
  }

  /// Updates the log of item `id` by `body`. Returns nil without an item of this number, and for the item of a file. Main
  /// queue.
  @discardableResult
  func log<Result>(_ id: ItemID, _ body: (inout NetworkLog, _ now: HostTime) -> Result) -> Result? {
    guard let item = state.withLock({ $0.items[id] }), let shared = item.asset.loader.shared else {
      return nil
    }
    let now = environment.clock.now
    return item.state.withLock { state in
      if state.network.isEmpty { state.network = [NetworkLog(shared.asset)] }
      return body(&state.network[0], now)
    }
  }
}

extension AVPlayerItem {
  /// Whether `id` is the item's current number in its player's engine, and not one of an earlier insertion.
  nonisolated func isNumber(_ id: ItemID) -> Bool { state.withLock { $0.attachment?.id == id } }
}
