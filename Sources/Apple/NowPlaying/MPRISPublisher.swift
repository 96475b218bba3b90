import Clocks
import Dispatch
import Foundation
import Synchronization

/// Publishes a state to the clients of a session bus, and receives their commands. Any thread. Only `close` and the
/// release block, on the artwork file.
package final class MPRISPublisher: Sendable {
  /// Receives the result of a command, once; nil means that it was performed.
  package typealias Reply = @Sendable (BusError?) -> Void
  /// Performs a command with its argument and calls `reply` once, on any thread.
  package typealias Perform = @Sendable (CommandOffer.Kinds, Double, _ reply: @escaping Reply) -> Void
  /// Opens the medium at a URL and calls `reply` once, on any thread.
  package typealias Open = @Sendable (String, _ reply: @escaping Reply) -> Void

  private let bus: PersistentBus
  /// The latest state for clients; nil before the first one with which the player appears.
  private let shown = Mutex<MPRISState?>(nil)
  /// The queue that writes artwork files and keeps published states in order.
  private let queue = DispatchQueue(label: "continuo-mpris")
  private let artwork = ArtworkFile()
  private let identity: String
  private let perform: Perform
  private let open: Open

  /// Creates a publisher without a connection.
  ///
  /// - Parameters:
  ///   - address: the D-Bus address; nil selects the user's session bus.
  ///   - identity: the player's name, also on the bus; nil selects the program's name.
  ///   - open: called for media to open, if the published state names URL schemes.
  ///   - perform: called for the commands that the published state offers.
  package init(
    address: String?, identity: String?,
    open: @escaping Open = { _, reply in reply(.notSupported("nothing can be opened")) },
    _ perform: @escaping Perform
  ) {
    bus = PersistentBus(address: address)
    self.identity = identity ?? ProcessInfo.processInfo.processName
    self.open = open
    self.perform = perform
  }

  /// Replaces the published state and artwork. Without an image, or if its file cannot be written, the state's own artwork
  /// URL is published. `appears`: whether to create the player on the bus if it does not exist yet.
  package func show(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    queue.async { [self] in update(new, image, appears: appears) }
  }

  /// Removes the artwork file; later pictures are not published. For a program that ends without running its
  /// `atexit` handlers. Blocks on the file.
  package func close() { artwork.remove() }

  private func update(_ new: MPRISState, _ image: UIImage?, appears: Bool) {
    guard appears || shown.withLock({ $0 != nil }) else { return }
    var new = new
    new.identity = identity
    new.artworkURL = artwork.show(image) ?? new.artworkURL
    let now = SystemClock.shared.now
    let old = shown.withLock { shown in
      defer { shown = new }
      return shown
    }
    // Without a connection, no signals are needed, because clients of a later connection read the whole
    // state.
    if let old, let bus = bus.current {
      for signal in new.signals(since: old, at: now) { bus.emit(signal) }
    }
    bus.begin(
      onConnect: { [weak self] bus in self?.requestName(bus) },
      onCall: { [weak self] call, number in
        self?.answer(call, number) ?? .failure(.failed("the application has ended"))
      })
  }

  /// Returns the last part of the bus name for `identity`. It consists of letters, digits, `_` and `-`,
  /// without a leading digit.
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
      perform(kind, argument, reply(to: number))
      return .later
    case .open(let url):
      open(url, reply(to: number))
      return .later
    }
  }

  private func reply(to number: UInt64) -> Reply {
    { [weak bus = bus.current] error in bus?.reply(to: number, error.map { .failure($0) } ?? .success([])) }
  }
}
