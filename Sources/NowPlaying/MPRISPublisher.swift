import Dispatch
import Foundation
import HostTime
import SessionBus
import Synchronization

/// Shows a state to the clients of a session bus, and brings their commands.
///
/// Any thread; nothing blocks.
final class MPRISPublisher: Sendable {
  /// Carries out a command for which `reply` is to be called once; with nil: the application does not run now.
  typealias Perform =
    @Sendable (RemoteAction, _ reply: @escaping @Sendable (MPRemoteCommandHandlerStatus?) -> Void) -> Void

  private struct State {
    var bus: SessionBus?
    var shown: MPRISState?
  }

  private let state = Mutex(State())
  /// Opens the bus and writes pictures; orders what is shown.
  private let queue = DispatchQueue(label: "continuo-mpris")
  private let artwork = ArtworkFile()
  private let address: String?
  private let identity: String
  private let perform: Perform

  init(address: String?, identity: String?, _ perform: @escaping Perform) {
    self.address = address
    self.identity = identity ?? ProcessInfo.processInfo.processName
    self.perform = perform
  }

  /// Shows a state with a picture in place of the one before.
  ///
  /// - Parameter appears: whether there is anything in it for which the application is to appear, if it has not yet.
  func show(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    queue.async { [self] in update(new, image, appears: appears) }
  }

  private func update(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    var bus = state.withLock { $0.bus }
    let isNew = bus == nil
    if isNew, appears {
      bus = try? SessionBus(
        address: address,
        onCall: { [weak self] call, number in self?.answer(call, number) ?? .failure(.failed("at its end")) },
        onEnd: { [weak self] in self?.state.withLock { $0.bus = nil } })
    }
    guard let bus else { return }
    var new = new
    new.identity = identity
    new.artworkURL = artwork.show(image)
    let now = SystemClock.shared.now
    let old = state.withLock { state -> MPRISState? in
      state.bus = bus
      defer { state.shown = new }
      return state.shown
    }
    if isNew {
      requestName(bus)
    } else if let old {
      for signal in new.signals(since: old, at: now) { bus.emit(signal) }
    }
  }

  /// The bus name's last part: letters, digits, `_` and `-`, and no digit first.
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
        // By the specification, for further processes of a program.
        bus?.requestName("\(name).instance\(getpid())") { _ in }
      }
    }
  }

  private func answer(_ call: BusMessage, _ number: UInt64) -> BusAnswer {
    let (shown, bus) = state.withLock { ($0.shown, $0.bus) }
    guard let shown else { return .failure(.failed("nothing is shown yet")) }
    switch shown.decide(call, at: SystemClock.shared.now) {
    case .values(let values): return .values(values)
    case .failure(let error): return .failure(error)
    case .action(let action):
      perform(action) { [weak bus] status in bus?.reply(to: number, Self.result(status)) }
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
