import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

struct Status: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "status", "Shows the current song and the state of the player.",
    """
    --json prints one object: state (playing, paused, stopped), song (null, or position from 0, id, file, title, \
    artist, album, duration), elapsed and duration (seconds, or null), queueLength, volume (0-100, or null), repeat \
    and random (true, false), single and consume (off, on, oneshot), application (as in lifecycle), error (null, or \
    the reason for missing sound).
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let replies = try client.ask([Request("status"), Request("currentsong"), Request("lifecycle")])
    // Each command has one reply, and an empty one follows the last.
    guard replies.count > 3 else { throw ProtocolTrouble() }
    let status = RemoteStatus(status: replies[0], song: replies[1], lifecycle: replies[2])
    if form.json { try output.write(status.json) } else { try output.write(status.text) }
  }
}
