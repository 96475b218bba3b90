import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

struct Outputs: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "outputs", "Lists the outputs of the sound server, or moves the sound to one.",
    usage: "continuo outputs [OPTIONS] [NAME]",
    """
    NAME is the name of an output, or a part of its name or description that no other has. The music goes on there \
    without losing a frame. Without NAME each line is an output: on or off, the name, the description. --json prints \
    an array with one object for each output: name, description, enabled.

    EXAMPLES
      continuo outputs
      continuo outputs kitchen
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("The output to play to.", valueName: "NAME"), completion: Completions.sinks)
  var name: String?

  mutating func validate() throws {
    if name != nil, form.json { throw ValidationError("--json cannot be combined with a name.") }
    if name == "" { throw ValidationError("Empty name of an output.") }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let outputs = try client.ask("outputs").records(from: "outputid").map { try RemoteOutput($0) }
    if var name {
      do throws(SyntaxError) {
        name = try RemoteOutput.choose(name, from: outputs).id
      } catch {
        output.complain(error.description)
        throw ExitStatus.refused
      }
      try client.ask("enableoutput", [.init(name)])
    } else if form.json {
      try output.write(.array(outputs.map(\.json)))
    } else {
      let width = outputs.map(\.name.count).max() ?? 0
      for line in outputs { try output.write(TerminalText.sanitized(line.line(width)) + "\n") }
    }
  }
}

/// An output in a server's reply to `outputs`.
struct RemoteOutput: Hashable {
  let id: String
  let name: String
  let description: String
  let isEnabled: Bool

  init(_ fields: ReplyFields) throws {
    guard let id = fields["outputid"], let name = fields["outputname"] else { throw ProtocolTrouble() }
    self.id = id
    self.name = name
    let prefix = "description="
    let attributes = fields.fields.filter { $0.name == "attribute" }.map(\.value.description)
    description =
      attributes.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) } ?? name
    isEnabled = fields["outputenabled"] == "1"
  }

  /// Returns the output named `text`, else the only one whose name or description contains `text`, ignoring case.
  /// Throws if no output matches, or several do.
  static func choose(_ text: String, from outputs: [RemoteOutput]) throws(SyntaxError) -> RemoteOutput {
    if let exact = outputs.first(where: { $0.name == text }) { return exact }
    let part = text.lowercased()
    let found = outputs.filter { "\($0.name)\n\($0.description)".lowercased().contains(part) }
    if let only = found.first, found.count == 1 { return only }
    let names = (found.isEmpty ? outputs : found).map(\.name).joined(separator: ", ")
    throw SyntaxError(
      found.isEmpty
        ? "no output \"\(text)\"; there are: \(names)" : "several outputs have \"\(text)\": \(names)")
  }

  func line(_ width: Int) -> String {
    let start = "\(isEnabled ? "on " : "off") \(name)"
    guard description != name else { return start }
    return start + String(repeating: " ", count: max(0, width - name.count)) + "  \(description)"
  }

  var json: JSONValue {
    .object(["name": .string(name), "description": .string(description), "enabled": .bool(isEnabled)])
  }
}
