import ControlProtocol

/// What songs of the queue a client looks for: pairs of a tag and a value, all of which must fit.
struct SongFilter {
  private enum Subject {
    case tag(TagType)
    case anyTag
    case file
  }

  private let pairs: [(subject: Subject, value: [UInt8])]
  private let isExact: Bool

  /// Reads `TAG VALUE` pairs; `any` stands for all tags, `file` for the name. Expressions in parentheses are not
  /// understood.
  ///
  /// - Parameter isExact: whether the whole value has to be the same; else a part of it in any case.
  init(_ arguments: [Argument], isExact: Bool) throws(Ack) {
    guard arguments.count.isMultiple(of: 2) else {
      throw Ack(.argument, "Incorrect number of filter arguments")
    }
    var pairs: [(Subject, [UInt8])] = []
    for index in stride(from: 0, to: arguments.count, by: 2) {
      let name = arguments[index]
      let subject: Subject
      switch name.string?.lowercased() {
      case "any": subject = .anyTag
      case "file", "filename": subject = .file
      default:
        guard let tag = TagType(name: name) else { throw Ack(.argument, "Unknown filter type") }
        subject = .tag(tag)
      }
      let value = arguments[index + 1].bytes
      pairs.append((subject, isExact ? value : Self.folded(value)))
    }
    self.pairs = pairs
    self.isExact = isExact
  }

  /// Whether every pair fits.
  func accepts(_ song: SongReply) -> Bool {
    pairs.allSatisfy { subject, value in
      switch subject {
      case .file: matches(song.file.bytes, value)
      case .anyTag: song.tags.contains { matches($0.value.bytes, value) }
      case .tag(let type): song.tags.contains { $0.type == type && matches($0.value.bytes, value) }
      }
    }
  }

  private func matches(_ text: [UInt8], _ value: [UInt8]) -> Bool {
    if isExact { return text == value }
    if value.isEmpty { return true }
    let text = Self.folded(text)
    guard text.count >= value.count else { return false }
    return (0...(text.count - value.count)).contains { text[$0...].starts(with: value) }
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
  }
}
