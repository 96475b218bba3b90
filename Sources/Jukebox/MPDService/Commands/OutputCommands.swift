import AudioCore
import ControlProtocol
import Dispatch
import JukeboxPlayback
import Synchronization

/// The commands about the audio outputs. The outputs are the destinations that the device offers, or the
/// device itself if it offers none. Enabling an output moves the sound there and disables the others.
final class OutputCommands: Sendable {
  private struct State {
    /// The names of all outputs known so far. The index is the id, which stays the same while the process
    /// runs.
    var names: [String] = []
    /// The output that was enabled last, and the route at that time, which takes a moment to change.
    var chosen: (name: String, route: String?)?
    /// Whether the device has answered the question for its destinations, or its timeout has expired. Only the first
    /// answer takes time.
    var hasAnswer = false
    /// The destinations that clients were notified of.
    var told: [OutputDestination] = []

    /// Returns the id of the output with that name; nil if there are too many.
    mutating func id(of name: String) -> Int? {
      if let id = names.firstIndex(of: name) { return id }
      guard names.count < OutputCommands.nameLimit else { return nil }
      names.append(name)
      return names.count - 1
    }
  }

  private struct Output {
    let id: Int
    let destination: OutputDestination
    let isEnabled: Bool
  }

  private let sound: SoundState
  private let plugin: String
  private let device: (any AudioOutputDevice)?
  private let onSwitch: @Sendable () -> Void
  private let onChange: @Sendable () -> Void
  private let state = Mutex(State())
  /// Runs the commands that arrive before the device's first answer, in order.
  private let firstAnswer = DispatchQueue(label: "continuo.outputs")

  /// The timeout for the device's first answer, in seconds. A server on this machine answers within
  /// milliseconds.
  private static let answerLimit = 2.0
  /// The maximum number of outputs that get an id, because their names are never forgotten. A personal
  /// machine has a handful.
  private static let nameLimit = 1000

  /// Creates the commands.
  ///
  /// - Parameters:
  ///   - sound: The state of the sound.
  ///   - plugin: The name of the output's driver, for clients.
  ///   - device: The device whose destinations can be chosen; nil without a choice.
  ///   - onSwitch: Called on any thread when a client has switched the sound on or off.
  ///   - onChange: Called on any thread when the destinations have changed or a client has chosen another one.
  init(
    sound: SoundState, plugin: String, device: (any AudioOutputDevice)? = nil,
    onSwitch: @escaping @Sendable () -> Void, onChange: @escaping @Sendable () -> Void = {}
  ) {
    self.sound = sound
    self.plugin = plugin
    self.device = device
    self.onSwitch = onSwitch
    self.onChange = onChange
  }

  /// Performs a command. Calls `completion` before it returns; until the device's first answer, later and on another
  /// thread.
  func perform(_ command: Command.Outputs, completion: @escaping @Sendable (Result<Reply, Ack>) -> Void) {
    guard let device, !hasAnswer else { return completion(reply(to: command)) }
    firstAnswer.async { [self] in
      if !hasAnswer {
        device.followSurroundings { [weak self] in self?.learn($0) }
        _ = device.surroundings(limit: Self.answerLimit)
        state.withLock { $0.hasAnswer = true }
      }
      completion(reply(to: command))
    }
  }

  private var hasAnswer: Bool { state.withLock { $0.hasAnswer } }

  private func reply(to command: Command.Outputs) -> Result<Reply, Ack> {
    Result { () throws(Ack) in
      switch command {
      case .outputs: list()
      case .enableoutput(let id): try set(id, true)
      case .disableoutput(let id): try set(id, false)
      case .toggleoutput(let id): try set(id, nil)
      }
    }
  }

  private func list() -> Reply {
    var reply = Reply()
    for output in outputs() {
      reply.append("outputid", output.id)
      reply.append("outputname", output.destination.name)
      reply.append("plugin", plugin)
      reply.append("outputenabled", output.isEnabled)
      let description = output.destination.description
      if description != output.destination.name { reply.append("attribute", "description=\(description)") }
    }
    return reply
  }

  /// Returns the present outputs, in the device's order.
  private func outputs() -> [Output] {
    let surroundings = device?.surroundings(limit: 0)
    let route = sound.route
    let isOff = sound.isSwitchedOff
    let destinations = surroundings?.destinations ?? []
    guard !destinations.isEmpty else { return [onlyOutput(route ?? plugin, isEnabled: !isOff)] }
    return state.withLock { state in
      let known = { (name: String?) in destinations.contains { $0.name == name } }
      let chosen = state.chosen.flatMap { $0.route == route ? $0.name : nil }
      let current = [chosen, route, surroundings?.destination].first(where: known) ?? destinations[0].name
      return destinations.compactMap { destination in
        state.id(of: destination.name).map {
          Output(id: $0, destination: destination, isEnabled: !isOff && destination.name == current)
        }
      }
    }
  }

  /// Returns the only output of a device without a choice, or of a server that does not answer.
  private func onlyOutput(_ name: String, isEnabled: Bool) -> Output {
    let id = state.withLock { $0.names.firstIndex(of: name) } ?? 0
    return Output(
      id: id, destination: OutputDestination(name: name, description: name), isEnabled: isEnabled)
  }

  /// Enables or disables output `id`; nil toggles it.
  private func set(_ id: UInt32, _ isOn: Bool?) throws(Ack) -> Reply {
    guard let output = outputs().first(where: { $0.id == Int(id) }) else { throw .noSuchOutput }
    let isOn = isOn ?? !output.isEnabled
    let name = output.destination.name
    // If the chosen output has disappeared, another one has the sound, and must be chosen to keep it.
    let isChosen = state.withLock { $0.chosen.map { $0.name == name } ?? true }
    guard isOn != output.isEnabled || isOn && !isChosen else { return Reply() }
    if isOn { choose(name) }
    if sound.set(.switchedOff, !isOn) { onSwitch() }
    return Reply()
  }

  private func choose(_ name: String) {
    let route = sound.route
    let previous = state.withLock { state in
      defer { state.chosen = (name, route) }
      return state.chosen
    }
    let isNew = previous?.name != name || previous?.route != route
    // The device keeps a choice until the next one, even if the sound has not moved yet or has moved back.
    guard let device, isNew, route != name || (previous?.name ?? name) != name else { return }
    device.choose(destination: name)
    onChange()
  }

  private func learn(_ surroundings: OutputSurroundings) {
    let isNews = state.withLock { state in
      defer { state.told = surroundings.destinations }
      return state.told != surroundings.destinations
    }
    if isNews { onChange() }
  }
}
