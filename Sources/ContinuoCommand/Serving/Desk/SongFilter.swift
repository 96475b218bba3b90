import ControlProtocol

/// Whether a song of the queue is one that a client looks for.
struct SongFilter {
  private let expression: FilterExpression
  private let foldsCase: Bool

  /// Finds what the expression describes.
  ///
  /// - Parameter foldsCase: Whether capitals and small letters are the same.
  init(_ expression: FilterExpression, foldsCase: Bool) {
    self.expression = foldsCase ? Self.folded(expression) : expression
    self.foldsCase = foldsCase
  }

  /// Whether the song is one of them.
  func accepts(_ song: SongReply) -> Bool {
    var texts = song
    if foldsCase {
      // Once for all conditions.
      texts.file = Self.folded(song.file)
      for index in texts.tags.indices { texts.tags[index].value = Self.folded(texts.tags[index].value) }
    }
    return holds(expression, for: song, texts)
  }

  private func holds(_ expression: FilterExpression, for song: SongReply, _ texts: SongReply) -> Bool {
    switch expression {
    case .tag(let type?, let test): test.passes(anyOf: texts.values(of: type))
    case .tag(nil, let test): test.passes(anyOf: texts.tags.map(\.value))
    case .file(let test): test.passes(anyOf: [texts.file])
    case .base(let folder): song.file.isOrLies(below: folder)
    case .modifiedSince(let time): song.lastModified.map { $0 >= time } ?? false
    case .audioFormat(let mask): song.format.map { mask.accepts($0) } ?? false
    case .not(let other): !holds(other, for: song, texts)
    case .all(let parts): parts.allSatisfy { holds($0, for: song, texts) }
    }
  }

  // MARK: Folding

  private static func folded(_ expression: FilterExpression) -> FilterExpression {
    switch expression {
    case .tag(let type, let test): .tag(type, folded(test))
    case .file(let test): .file(folded(test))
    case .base, .modifiedSince, .audioFormat: expression
    case .not(let other): .not(folded(other))
    case .all(let parts): .all(parts.map { folded($0) })
    }
  }

  private static func folded(_ test: TextTest) -> TextTest {
    switch test {
    case .equals(let text): .equals(folded(text))
    case .contains(let text): .contains(folded(text))
    }
  }

  /// Unicode's full case folding but for a few rare letters: what becomes the same as a capital is the same, so `ß` is
  /// `ss`; only the `ı` without a dot is no `i`.
  private static func folded(_ text: Argument) -> Argument {
    if text.bytes.allSatisfy({ $0 < 0x80 }) {
      return Argument(text.bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    }
    var result = String.UnicodeScalarView()
    for letter in String(decoding: text.bytes, as: UTF8.self).unicodeScalars {
      let capitals = letter == "\u{131}" ? "\u{131}" : letter.properties.uppercaseMapping
      for capital in capitals.unicodeScalars {
        result.append(contentsOf: capital.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return Argument(String(result))
  }
}

extension TextTest {
  fileprivate func passes(anyOf texts: [Argument]) -> Bool {
    switch self {
    case .equals(let value): texts.contains(value)
    case .contains(let value): texts.contains { $0.contains(value) }
    }
  }
}

extension SongReply {
  /// What the song has for this tag: see `FilterExpression.tag`.
  fileprivate func values(of type: TagType) -> [Argument] {
    for candidate in [type] + type.substitutes {
      let values = tags.filter { $0.type == candidate }.map(\.value)
      if !values.isEmpty { return values }
    }
    return [""]
  }
}

extension Argument {
  fileprivate func contains(_ part: Argument) -> Bool {
    guard part.bytes.count <= bytes.count else { return false }
    return (0...(bytes.count - part.bytes.count)).contains { bytes[$0...].starts(with: part.bytes) }
  }

  /// Whether it names this folder or file or something in it.
  fileprivate func isOrLies(below folder: Argument) -> Bool {
    let slash = UInt8(ascii: "/")
    guard bytes.starts(with: folder.bytes) else { return false }
    let rest = bytes.dropFirst(folder.bytes.count)
    return folder.bytes.isEmpty || rest.isEmpty || rest.first == slash || folder.bytes.last == slash
  }
}
