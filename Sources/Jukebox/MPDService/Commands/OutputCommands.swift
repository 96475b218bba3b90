import ControlProtocol
import JukeboxPlayback

/// The commands about the audio output, of which one exists.
struct OutputCommands: Sendable {
  let sound: SoundState
  /// The name of the output's driver, for clients.
  let plugin: String
  /// Called on the control loop when a client has switched the output on or off.
  let onSwitch: @Sendable () -> Void

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

  /// Switches output `id` on or off; nil toggles it.
  private func set(_ id: UInt32, _ isOn: Bool?) throws(Ack) -> Reply {
    guard id == 0 else { throw .noSuchOutput }
    let isOn = isOn ?? sound.isSwitchedOff
    if sound.set(.switchedOff, !isOn) { onSwitch() }
    return Reply()
  }
}
