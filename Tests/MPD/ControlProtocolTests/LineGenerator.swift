import ControlProtocol
import TestSupport

/// Lines of all kinds: valid ones, damaged ones, noise.
struct LineGenerator {
  var random: RandomSource
  private static let names = CommandRow.all.map(\.name)
  private static let words: [String] = [
    "0", "1", "2", "5", "-1", "+3", "-0", "7:", "2:5", "5:2", ":", "0:-1", "1.5", "+1.5", "-2.25", "1e3",
    "1e999",
    "nan", "inf",
    "oneshot", "on", "off", "album", "all", "clear", "enable", "disable", "Artist", "TITLE", "genre",
    "player",
    "mixer",
    "application", "begin", "end", "resume", "noresume", "time", "events", "0.01", "0.001", "3600",
    "99999999999",
    "9223372036854775808", "2147483647", "2147483648", "4294967295", "4294967296", "65", "8388608", "a.mp3",
    "/music/b c.mp3", "it's", "quote\"d", "back\\slash", "", "caf\u{E9}", "file:///x", "default",
    "(title == 'x')", "((any contains 'x') AND (!(base 'a')))", "(modified-since '2021-06-15T12')",
    "(AudioFormat =~ '*:f:2')", "(", "sort", "window", "group", "position",
    "(title =~ '^a(b')", "(any !~ '.*')", "=", "<", "replace",
  ]
  private static let stickerActions: [Argument] = ["get", "set", "delete", "list", "find"]
  private static let control = ["noidle", "command_list_begin", "command_list_ok_begin", "command_list_end"]

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
  }

  /// An argument that a request can carry.
  mutating func argument() -> Argument {
    switch random.below(8) {
    case 0:
      let length = random.below(12)
      return Argument(random.bytes(length).map { $0 == 0 || $0 == 0x0A ? 0x2A : $0 })
    default: return Argument(random.pick(Self.words))
    }
  }

  /// A request, most of them with a fitting number of arguments.
  mutating func request() -> Request? {
    let name = random.below(40) == 0 ? "x\(random.below(1000))_Y" : random.pick(Self.names)
    let expected = CommandRow.named(name)?.arguments ?? 0...3
    let count =
      random.below(8) == 0
      ? random.below(6) : expected.lowerBound + random.below(min(expected.count, 4))
    var arguments: [Argument] = []
    // Words that are seldom met by chance.
    if name == "sticker", random.below(4) != 0 { arguments = [random.pick(Self.stickerActions), "song"] }
    while arguments.count < count { arguments.append(argument()) }
    return try? Request(name, arguments)
  }

  /// A line without its newline.
  mutating func line() -> [UInt8] {
    switch random.below(10) {
    case 0:
      let length = random.below(40)
      return random.bytes(length)
    case 1: return Array(random.pick(Self.control).utf8)
    case 2...4:
      var line = validLine()
      for _ in 0...random.below(3) { damage(&line) }
      return line
    default: return validLine()
    }
  }

  private mutating func validLine() -> [UInt8] {
    var line: [UInt8] = []
    request()?.write(into: &line)
    if line.last == 0x0A { line.removeLast() }
    return line
  }

  private mutating func damage(_ line: inout [UInt8]) {
    let byte: UInt8 =
      random.below(2) == 0 ? random.pick(Array("\"'\\ :+-\t\r\0_0a".utf8)) : random.bytes(1)[0]
    switch random.below(4) {
    case 0 where !line.isEmpty: line.remove(at: random.below(line.count))
    case 1 where !line.isEmpty: line[random.below(line.count)] = byte
    case 2 where !line.isEmpty: line += line.prefix(random.below(20))
    default: line.insert(byte, at: random.below(line.count + 1))
    }
  }
}
