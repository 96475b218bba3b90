import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// `continuo queue`.
struct ShowQueue: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "queue", "Lists the songs of the queue.",
    """
    The current song has a > in front. --json prints an array with one object for each song: position (from 0), id, \
    file, title, artist, album, duration (seconds); unknown values are null.
    """)

  /// The number of songs in a request, whose reply stays below a server's output limit for a client, however
  /// many tags the songs have.
  static let pageSize = 1000

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    var listing = QueueListing(asJSON: form.json)
    var start = 0
    while true {
      let page = ControlProtocol.Argument("\(start):\(start + Self.pageSize)")
      let replies = try client.ask([Request("status"), Request("playlistinfo", [page])])
      guard replies.count > 2 else { throw ProtocolTrouble() }
      let songs = replies[1].records(from: "file").compactMap { RemoteSong($0) }
      let total = replies[0]["playlistlength"].flatMap { Int($0) } ?? 0
      try output.write(
        listing.text(of: songs, current: replies[0]["songid"].flatMap { Int($0) }, total: total))
      start += Self.pageSize
      // A page after the end of the queue, which may have become shorter, must not be requested.
      guard songs.count == Self.pageSize, start < total else { break }
    }
    try output.write(listing.end)
    return .played
  }
}
