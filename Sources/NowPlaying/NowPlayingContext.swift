import Foundation
import HostTime
import QueuePlayer
import Synchronization

/// The two centers of a process, and what shows them to others.
final class NowPlayingContext: Sendable {
  /// The one of the process, on the user's session bus.
  static let shared = NowPlayingContext()

  let center: MPNowPlayingInfoCenter
  let commands: MPRemoteCommandCenter
  private let publisher: MPRISPublisher
  private let mainQueue: any DeliveryQueue
  private let isScheduled = Mutex(false)

  /// How the centers reach the context, which does not exist yet when they are made.
  private final class Relay: Sendable {
    struct Target { weak var context: NowPlayingContext? }
    let target = Mutex(Target())
    func tell() {
      // The reference is loaded without the lock: its release may be the last.
      let target = target.withLock { $0 }
      target.context?.changed()
    }
  }

  /// - Parameters:
  ///   - address: the bus; nil: the user's session bus.
  ///   - identity: the application's name; nil: the program's.
  ///   - isSuspended: whether commands are refused now. Any thread; must not block.
  init(
    address: String? = nil, identity: String? = nil, mainQueue: any DeliveryQueue = MainDispatchQueue.shared,
    isSuspended: @escaping @Sendable () -> Bool = { PlaybackEnvironment.current.suspension.isSuspended }
  ) {
    let relay = Relay()
    center = MPNowPlayingInfoCenter(clock: SystemClock.shared) { relay.tell() }
    let commands = MPRemoteCommandCenter { relay.tell() }
    self.commands = commands
    self.mainQueue = mainQueue
    publisher = MPRISPublisher(address: address, identity: identity) { action, reply in
      mainQueue.enqueue { reply(isSuspended() ? nil : commands.perform(action)) }
    }
    relay.target.withLock { $0.context = self }
  }

  /// Shows what is set, once for all changes of a turn of the main queue.
  private func changed() {
    // In virtual time nobody outside may see what happens.
    guard PlaybackEnvironment.current.clock is SystemClock else { return }
    let isFirst = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    if isFirst { mainQueue.enqueue { [weak self] in self?.publish() } }
  }

  private func publish() {
    isScheduled.withLock { $0 = false }
    var (state, isAnything) = center.shown
    state.offer = commands.offer
    let artwork = center.artwork
    publisher.show(
      state, artwork.flatMap { $0.image(at: $0.bounds.size) },
      appears: isAnything || !state.offer.kinds.isEmpty)
  }
}
