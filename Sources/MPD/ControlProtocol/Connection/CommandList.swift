/// The lines between `command_list_begin` and `command_list_end`, which are not parsed before the end.
struct CommandList: Sendable {
  /// Whether each successful command is answered with `list_OK`.
  let confirmsEach: Bool
  /// The index of the command in progress or, between commands, of the next one, from 0.
  private(set) var index = 0
  /// Whether the list is complete and its commands are being performed.
  private(set) var isRunning = false
  private var lines = LineBuffer()

  init(confirmsEach: Bool) { self.confirmsEach = confirmsEach }

  /// Stores a line. Returns false if the list would exceed `ProtocolLimits.commandList`.
  mutating func append(_ line: ArraySlice<UInt8>) -> Bool {
    guard lines.count + line.count < ProtocolLimits.commandList else { return false }
    lines.append(line)
    lines.append(CollectionOfOne(Byte.newline))
    return true
  }

  mutating func run() { isRunning = true }

  mutating func takeLine() -> ArraySlice<UInt8>? { lines.takeLine() }

  mutating func advance() { index += 1 }
}
