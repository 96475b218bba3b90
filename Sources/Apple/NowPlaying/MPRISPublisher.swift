import Clocks
import Dispatch
import Foundation
import Synchronization

/// Publishes a state to the clients of a session bus, and receives their commands. Any thread; nothing blocks.
final class MPRISPublisher: Sendable {
  /// Carries out a command with its argument and calls `reply` once; nil means that the application is
  /// suspended or terminated.
  typealias Perform =
    @Sendable (
      CommandOffer.Kinds, Double, _ reply: @escaping @Sendable (MPRemoteCommandHandlerStatus?) -> Void
    ) -> Void

  private let bus: PersistentBus
  /// The state visible to clients; nil before the application has appeared on the bus.
  private let shown = Mutex<MPRISState?>(nil)
  /// The queue that writes artwork files and keeps published states in order.
  private let queue = DispatchQueue(label: "continuo-mpris")
  private let artwork = ArtworkFile()
  private let identity: String
  private let perform: Perform

  init(address: String?, identity: String?, _ perform: @escaping Perform) {
    bus = PersistentBus(address: address)
    self.identity = identity ?? ProcessInfo.processInfo.processName
    self.perform = perform
  }

  /// Replaces the published state and artwork. `appears`: whether to create the player on the bus, if it does
  /// not exist yet.
  func show(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    queue.async { [self] in update(new, image, appears: appears) }
  }

  private func update(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    guard appears || shown.withLock({ $0 != nil }) else { return }
    var new = new
    new.identity = identity
    new.artworkURL = artwork.show(image)
    let now = SystemClock.shared.now
    let old = shown.withLock { shown in
      defer { shown = new }
      return shown
    }
    // A connection made later reads the whole state.
    if let old, let bus = bus.current {
      for signal in new.signals(since: old, at: now) { bus.emit(signal) }
    }
    bus.begin(
      onConnect: { [weak self] bus in self?.requestName(bus) },
      onCall: { [weak self] call, number in
        self?.answer(call, number) ?? .failure(.failed("the application has ended"))
      })
  }

  /// Returns the last part of the bus name: letters, digits, `_` and `-`, without a leading digit.
  static func nameElement(_ identity: String) -> String {
    let element = String(
      identity.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") ? $0 : "_" }
    ).prefix(100)
    return element.first.map { $0.isNumber ? "_\(element)" : String(element) } ?? "_"
  }

  private func requestName(_ bus: SessionBus) {
    let name = "\(MPRISState.application).\(Self.nameElement(identity))"
    bus.requestName(name) { [weak bus] result in
      if case .success(false) = result {
        // The MPRIS specification prescribes this name for further processes of a program.
        bus?.requestName("\(name).instance\(getpid())") { _ in }
      }
    }
  }

  private func answer(_ call: BusMessage, _ number: UInt64) -> BusAnswer {
    guard let shown = shown.withLock({ $0 }) else { return .failure(.failed("nothing is shown yet")) }
    switch shown.decide(call, at: SystemClock.shared.now) {
    case .values(let values): return .values(values)
    case .failure(let error): return .failure(error)
    case .action(let kind, let argument):
      perform(kind, argument) { [weak bus = bus.current] status in bus?.reply(to: number, Self.result(status))
      }
      return .later
    }
  }

  private static func result(_ status: MPRemoteCommandHandlerStatus?) -> Result<[BusValue], BusError> {
    switch status {
    case .success: .success([])
    case .noSuchContent: .failure(.failed("there is no such content"))
    case .noActionableNowPlayingItem: .failure(.failed("there is no item to do it with"))
    case .deviceNotFound: .failure(.failed("a device is missing"))
    case .commandFailed: .failure(.failed("the application could not do it"))
    case nil: .failure(.failed("the application is suspended"))
    }
  }
}
