/// The lines between `command_list_begin` and `command_list_end`. None of them is looked at before the end.
struct CommandList: Sendable {
  /// Whether every success is answered with `list_OK`.
  let confirmsEach: Bool
  /// The place of the next command, from 0.
  private(set) var index = 0
  /// Whether the end has come and the commands are being carried out.
  private(set) var isRunning = false
  private var lines = LineBuffer()

  init(confirmsEach: Bool) {
    self.confirmsEach = confirmsEach
  }

  /// Keeps a line for later. `false` if that is too much.
  mutating func append(_ line: ArraySlice<UInt8>) -> Bool {
    guard lines.count + line.count < ProtocolLimits.commandList else { return false }
    lines.append(line)
    lines.append(CollectionOfOne(Byte.newline))
    return true
  }

  mutating func run() {
    isRunning = true
  }

  /// The next line to carry out, or `nil` at the end.
  mutating func takeLine() -> ArraySlice<UInt8>? {
    lines.takeLine()
  }

  /// The command of the last line taken has succeeded.
  mutating func advance() {
    index += 1
  }
}
