import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

struct Watch: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "watch", "Prints events as they happen, until it is interrupted.",
    usage: "continuo watch [OPTIONS] [time SECONDS] [events]",
    """
    watch events, the default, prints events of songs, of the player and of the application. watch time 0.01 prints \
    the audible position every 1/100 second (0.001 to 3600); watch time 0.01 events prints both. Each record is a \
    line, written at once; the first ones are the current state. Without events, alive is printed every 10 s. Ctrl-C \
    ends the command with the signal's status; a reader that leaves ends it with 0.

    --json prints one object for each record. event is time, currentItem, timeControlStatus, applicationState, \
    didPlayToEndTime, failed, timeJumped, coalesced or alive. The other keys, as they apply: index (in the queue, from \
    0), songid, url, elapsed (seconds), value and timescale (the same time, exactly), status, reason, state, error, \
    steps (the number left out because this reader was too slow), host (seconds of the monotonic clock).
    """)

  /// The time in seconds without a line after which a server counts as lost: three of its heartbeats.
  static let patience = 30.0

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("The records to print.", valueName: "time SECONDS|events"),
    completion: Completions.watch)
  var words: [String] = []

  mutating func validate() throws {
    do {
      _ = try Command(request())
    } catch let error as Ack {
      throw ValidationError("\(error.message).")
    } catch {
      throw ValidationError("\(error).")
    }
  }

  private func request() throws(RequestError) -> Request {
    try Request("watch", words.map { .init($0) })
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try client.send(request(), timeout: MPDClient.quickPatience)
    var reader = WatchReader()
    while true {
      let records: [ReplyFields]
      switch try client.next(timeout: Self.patience) {
      case .pair(let name, let value): records = reader.take(name, value)
      case .refused(let refusal): throw ControlClientError.refused(refusal)
      default: throw ProtocolTrouble()
      }
      for record in records {
        if form.json {
          try output.write(WatchLine.json(record))
        } else {
          try output.write(WatchLine.text(record))
        }
      }
    }
  }
}
