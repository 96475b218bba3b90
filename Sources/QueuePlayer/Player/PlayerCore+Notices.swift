import AudioCore
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

// What the engine tells, on the main queue, one notice at a time.
extension PlayerCore {
  func receive(_ notice: EngineNotice) {
    announcer.settle()
    // A handler that was called just now may have suspended.
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
    case .playbackStalled(let id): post(AVPlayerItem.playbackStalledNotification, item: id)
    case .seekCompleted(let completion, let finished): completion(finished)
    case .outputUnavailable(let error, let retryAfter):
      environment.audioSession.outputLost(error.cause)
      environment.onDiagnostic?(.outputUnavailable(error.message, retryAfter: retryAfter))
    case .outputOpened(let route):
      environment.audioSession.outputOpened(sink: route)
      environment.onDiagnostic?(.outputOpened(route: route))
    case .stepsCoalesced(let count): environment.onDiagnostic?(.stepsCoalesced(count))
    }
  }

  private func becomeCurrent(_ id: ItemID?) {
    let previous = state.withLock { state -> ItemID? in
      let new = id.flatMap { id in state.items[id].map { (id, $0) } }
      // One that was taken out since is followed by another notice.
      guard new != nil || id == nil, new?.0 != state.current?.id else { return nil }
      defer { state.current = new }
      return state.current?.id
    }
    if let previous { forget(previous) }
    announce()
  }

  private func changeRate(_ rate: Float, reason: EngineRateReason) {
    let (player, isChange) = state.withLock { state in
      defer { state.rate = rate }
      return (state.player, rate != state.rate)
    }
    announce()
    guard isChange || reason == .setRateFailed else { return }
    engine.carryOn { [weak player] in
      let userInfo = AVPlayer.RateDidChangeReason(reason).map { [AVPlayer.rateDidChangeReasonKey: $0] }
      NotificationCenter.default.post(
        name: AVPlayer.rateDidChangeNotification, object: player, userInfo: userInfo)
    }
  }

  private func changeTimeControl(_ timeControl: EngineTimeControl) {
    state.withLock { $0.timeControl = timeControl }
    announce()
    environment.suspension.setActivity(PlaybackActivity(timeControl), of: self)
  }

  private func learn(_ info: ItemInfo, of id: ItemID) {
    setStatus(.readyToPlay)
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    let asset = item.state.withLock { state in
      state.info = info
      state.status = .readyToPlay
      return state.asset
    }
    asset.loader.learn(info)
    announce([item.observations])
  }

  private func fail(_ id: ItemID, error: DecodingError) {
    if error.scope == .engine {
      setStatus(.failed, error: AVError(error, opening: true))
    } else {
      setStatus(.readyToPlay)
    }
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    item.state.withLock { state in
      guard state.status != .failed else { return }
      let url = state.asset.loader.url
      state.status = .failed
      state.error = url.isFileURL ? AVError(error, opening: true) : AVError(unsupported: url)
    }
    announce([item.observations])
    forget(id)
  }

  /// The player itself: usable once it has opened anything, also in vain; failed for good if nothing can be
  /// opened.
  private func setStatus(_ status: AVPlayer.Status, error: AVError? = nil) {
    let changed = state.withLock { state in
      guard state.status != status, state.status != .failed else { return false }
      state.status = status
      state.error = error
      return true
    }
    if changed { announce() }
  }

  private func playedToEnd(_ id: ItemID, failure: DecodingError? = nil) {
    guard let item = state.withLock({ $0.items[id] }) else { return }
    item.state.withLock { state in
      if state.attachment?.id == id, state.end.isNumeric { state.place = state.end }
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

  private func post(_ name: Notification.Name, item id: ItemID, userInfo: [AnyHashable: Any]? = nil) {
    guard let item = state.withLock({ $0.items[id] }) else { return }
    NotificationCenter.default.post(name: name, object: item, userInfo: userInfo)
  }
}

extension AVPlayerItem {
  /// Whether the item is what its player's engine calls `id`, and not in another place by now.
  nonisolated fileprivate func isNumber(_ id: ItemID) -> Bool {
    state.withLock { $0.attachment?.id == id }
  }
}

extension PlaybackActivity {
  fileprivate init(_ timeControl: EngineTimeControl) {
    switch timeControl {
    case .paused, .waiting(.noItemToPlay): self = .stopped
    case .waiting: self = .waiting
    case .playing: self = .playing
    }
  }
}
