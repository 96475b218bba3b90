import AudioCore
import AudioSession
import Foundation
import HostTime
import MediaAssets
import PlaybackEngine
import Synchronization
import Transfer

// Events of remote media, which arrive on the main queue, after earlier notices of the engine.
extension PlayerCore {
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

  /// Updates the log of item `id` by `body`, if the item is remote. Main queue.
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
