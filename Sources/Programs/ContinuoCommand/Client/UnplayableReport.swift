import ControlClient
import ControlProtocol
import MusicFiles

extension UnplayableFiles {
  /// Requests from a server the unplayable files in the folders with these URIs (nil: the music directory),
  /// and reports them. Ignores folders for which the server refuses the request.
  static func report(
    _ uris: [ControlProtocol.Argument?], areListed: Bool, with client: inout MPDClient,
    _ output: CommandOutput
  ) throws {
    var unplayable = UnplayableFiles()
    for uri in uris {
      do {
        let reply = try client.ask("unplayable", uri.map { [$0] } ?? [], timeout: MPDClient.patience)
        unplayable.add(UnplayableFiles(reply))
      } catch ControlClientError.refused {
        continue
      }
    }
    for line in unplayable.lines(areListed: areListed) { output.complain(line) }
  }
}

extension UnplayableFiles {
  /// Creates the files from a reply to `unplayable`.
  fileprivate init(_ reply: ReplyFields) {
    var counts: [String: Int] = [:]
    for record in reply.records(from: "kind") {
      // A server's number must not overflow the sum.
      guard let kind = record["kind"], let count = record["files"].flatMap({ UInt32($0) }) else { continue }
      counts[kind] = Int(count)
    }
    let files = reply.fields.filter { $0.name == "file" }.map { MediaPath(bytes: $0.value.bytes) }
    self.init(counts: counts, files: files)
  }
}
