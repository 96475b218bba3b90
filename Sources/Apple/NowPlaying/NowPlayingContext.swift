import AudioSession
import Clocks
import Foundation
import Synchronization

/// The two centers of a process and the publisher of their state.
final class NowPlayingContext: Sendable {
  /// The context of the process, on the user's session bus.
  static let shared = NowPlayingContext()

  let center: MPNowPlayingInfoCenter
  let commands: MPRemoteCommandCenter
  private let publisher: MPRISPublisher
  private let mainQueue: any DeliveryQueue
  private let scheduled = Mutex(Scheduled())

  /// A publication that waits for the main queue or for the application's resumption. Retained only by the closures that
  /// will make it, so that a termination, which drops those, also ends the wait.
  private final class Publication: Sendable {}
  private struct Scheduled { weak var publication: Publication? }

  /// A reference from the centers to the context, which is created after them.
  private final class Relay: Sendable {
    struct Target { weak var context: NowPlayingContext? }
    let target = Mutex(Target())
    func tell() {
      // The weak reference is loaded outside the lock, because releasing the loaded reference may deallocate
      // the context.
      let target = target.withLock { $0 }
      target.context?.changed()
    }
  }

  /// Creates the centers and their publisher.
  ///
  /// - Parameters:
  ///   - address: the D-Bus address; nil selects the user's session bus.
  ///   - identity: the application's name; nil selects the program's name.
  ///   - mainQueue: the queue on which commands are performed and changes are published.
  init(
    address: String? = nil, identity: String? = nil, mainQueue: any DeliveryQueue = MainDispatchQueue.shared
  ) {
    let relay = Relay()
    center = MPNowPlayingInfoCenter(clock: SystemClock.shared) { relay.tell() }
    let commands = MPRemoteCommandCenter { relay.tell() }
    self.commands = commands
    self.mainQueue = mainQueue
    publisher = MPRISPublisher(address: address, identity: identity) { kind, argument, reply in
      mainQueue.enqueue {
        let suspension = PlaybackEnvironment.current.suspension
        if suspension.isSuspended { return reply(.failed("the application is suspended")) }
        if suspension.life == nil { return reply(.failed("the application is not running")) }
        reply(commands.perform(kind, argument).error)
      }
    }
    relay.target.withLock { $0.context = self }
  }

  /// Schedules a publication on the main queue, one for all changes before it. Has no effect in virtual time.
  private func changed() {
    // Playback in virtual time must not be visible to other programs.
    guard PlaybackEnvironment.current.clock is SystemClock else { return }
    // Concurrent changes may schedule one publication each, which does no harm.
    let old = scheduled.withLock { $0 }
    guard old.publication == nil else { return }
    let new = Publication()
    scheduled.withLock { $0.publication = new }
    enqueue(new)
  }

  private func enqueue(_ publication: Publication) {
    mainQueue.enqueue { [weak self] in self?.publish(publication) }
  }

  private func publish(_ publication: Publication) {
    let suspension = PlaybackEnvironment.current.suspension
    guard !suspension.isSuspended, suspension.life != nil else {
      // The artwork's handler is application code, so its call is deferred until the resumption, and dropped after a
      // termination.
      return suspension.deferred { [weak self] in self?.enqueue(publication) }(())
    }
    scheduled.withLock { $0.publication = nil }
    var (state, isAnything) = center.shown
    state.offer = commands.offer
    let artwork = center.artwork
    publisher.show(
      state, artwork.flatMap { $0.image(at: $0.bounds.size) },
      appears: isAnything || !state.offer.kinds.isEmpty)
  }
}

extension MPRemoteCommandHandlerStatus {
  /// The error for the client that sent the command; nil for a success.
  fileprivate var error: BusError? {
    switch self {
    case .success: nil
    case .noSuchContent: .failed("there is no such content")
    case .noActionableNowPlayingItem: .failed("there is no item to do it with")
    case .deviceNotFound: .failed("a device is missing")
    case .commandFailed: .failed("the application could not do it")
    }
  }
}
