import ControlProtocol
import JukeboxPlayback

/// The one output there is.
struct OutputCommands: Sendable {
  let sound: SoundState
  /// What drives it, for clients.
  let plugin: String
  /// Called when a client has switched it on or off, on the control loop.
  let onSwitch: @Sendable () -> Void

  /// Carries out a command.
  func perform(_ command: Command.Outputs) throws(Ack) -> Reply {
    switch command {
    case .outputs: list()
    case .enableoutput(let id): try set(id, true)
    case .disableoutput(let id): try set(id, false)
    case .toggleoutput(let id): try set(id, nil)
    }
  }

  private func list() -> Reply {
    var reply = Reply()
    reply.append("outputid", 0)
    reply.append("outputname", sound.route ?? plugin)
    reply.append("plugin", plugin)
    reply.append("outputenabled", !sound.isSwitchedOff)
    return reply
  }

  /// Switches output `id` on, off, or over for nil.
  private func set(_ id: UInt32, _ isOn: Bool?) throws(Ack) -> Reply {
    guard id == 0 else { throw .noSuchOutput }
    let isOn = isOn ?? sound.isSwitchedOff
    if sound.set(.switchedOff, !isOn) { onSwitch() }
    return Reply()
  }
}
