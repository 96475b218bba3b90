package import ControlProtocol
internal import Foundation
package import TextFormatting

package enum RawReply {
  /// Returns the bytes that the server sent for an element; none for the greeting and the end of a reply. For
  /// a terminal, replaces control characters, and writes the size of binary data instead of the data.
  package static func bytes(_ element: ReplyParser.Element, forTerminal: Bool) -> [UInt8] {
    switch element {
    case .pair(let name, let value):
      // The lines of `playlist`, `0:file: NAME`, are the only ones without a space after the colon.
      let separator = name.utf8.allSatisfy { (0x30...0x39).contains($0) } ? ":" : ": "
      guard forTerminal else { return Array("\(name)\(separator)".utf8) + value.bytes + [0x0A] }
      return Array((TerminalText.sanitized("\(name)\(separator)\(value)") + "\n").utf8)
    case .binary(let data): return forTerminal ? Array("(\(data.count) bytes)\n".utf8) : data + [0x0A]
    case .listOK: return Array("list_OK\n".utf8)
    case .greeting, .ok, .refused: return []
    }
  }

  /// Returns the lines with their names and values. Binary data becomes a member of the line that announced
  /// it.
  package static func json(_ elements: [ReplyParser.Element]) -> JSONValue {
    var lines: [[JSONValue.Member]] = []
    for element in elements {
      switch element {
      case .pair(let name, let value):
        lines.append([
          JSONValue.Member(key: "name", value: .string(name)),
          JSONValue.Member(key: "value", value: .string(value.description)),
        ])
      case .binary(let data):
        guard let last = lines.indices.last else { continue }
        lines[last].append(JSONValue.Member(key: "base64", value: .string(Data(data).base64EncodedString())))
      case .greeting, .listOK, .ok, .refused: break
      }
    }
    return .array(lines.map { .object($0) })
  }
}
