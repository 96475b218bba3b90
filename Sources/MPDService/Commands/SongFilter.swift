import ControlProtocol

/// Whether a song of the queue is one that a client looks for.
struct SongFilter {
  private let expression: FilterExpression
  private let foldsCase: Bool
  /// The regular expressions in it.
  private let patterns: [Argument: TextPattern]

  /// Finds what the expression describes.
  ///
  /// - Parameter foldsCase: Whether capitals and small letters are the same.
  init(_ expression: FilterExpression, foldsCase: Bool) {
    self.expression = foldsCase ? Self.folded(expression) : expression
    self.foldsCase = foldsCase
    var patterns: [Argument: TextPattern] = [:]
    for source in expression.patterns { patterns[source] = try? TextPattern(source, foldsCase: foldsCase) }
    self.patterns = patterns
  }

  /// Whether the song is one of them.
  func accepts(_ song: SongReply) -> Bool {
    var texts = song
    if foldsCase {
      // Once for all conditions.
      texts.file = song.file.foldingCase()
      for index in texts.tags.indices { texts.tags[index].value = texts.tags[index].value.foldingCase() }
    }
    return holds(expression, for: song, texts)
  }

  private func holds(_ expression: FilterExpression, for song: SongReply, _ texts: SongReply) -> Bool {
    switch expression {
    case .tag(let type?, .matches(let source)):
      song.values(of: type)?.contains { matches(source, $0) } ?? (source == "")
    case .tag(nil, .matches(let source)): song.tags.contains { matches(source, $0.value) }
    case .file(.matches(let source)): matches(source, song.file)
    case .tag(let type?, let test): (texts.values(of: type) ?? [""]).contains { test.passes($0) }
    case .tag(nil, let test): texts.tags.contains { test.passes($0.value) }
    case .file(let test): test.passes(texts.file)
    case .base(let folder): song.file.isOrLies(below: folder)
    case .modifiedSince(let time): song.lastModified.map { $0 >= time } ?? false
    case .audioFormat(let mask): song.format.map { mask.accepts($0) } ?? false
    case .not(let other): !holds(other, for: song, texts)
    case .all(let parts): parts.allSatisfy { holds($0, for: song, texts) }
    }
  }

  private func matches(_ source: Argument, _ text: Argument) -> Bool {
    text.bytes.withUnsafeBufferPointer { patterns[source]?.matches($0) ?? false }
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
    case .equals(let text): .equals(text.foldingCase())
    case .contains(let text): .contains(text.foldingCase())
    case .matches: test
    }
  }
}

extension FilterExpression {
  fileprivate var patterns: [Argument] {
    switch self {
    case .tag(_, .matches(let source)), .file(.matches(let source)): [source]
    case .tag, .file, .base, .modifiedSince, .audioFormat: []
    case .not(let other): other.patterns
    case .all(let parts): parts.flatMap(\.patterns)
    }
  }
}

extension TextTest {
  fileprivate func passes(_ text: Argument) -> Bool {
    switch self {
    case .equals(let value): text == value
    case .contains(let value): text.contains(value)
    // Their own texts: see `holds`.
    case .matches: false
    }
  }
}

extension SongReply {
  /// What the song has for this tag, or for the one that stands for it; nil for nothing.
  fileprivate func values(of type: TagType) -> [Argument]? {
    for candidate in [type] + type.substitutes {
      let values = tags.filter { $0.type == candidate }.map(\.value)
      if !values.isEmpty { return values }
    }
    return nil
  }
}

extension Argument {
  fileprivate func contains(_ part: Argument) -> Bool {
    guard let first = part.bytes.first else { return true }
    return bytes.withUnsafeBufferPointer { bytes in
      part.bytes.withUnsafeBufferPointer { part in
        var start = 0
        while start + part.count <= bytes.count {
          if bytes[start] == first, part.indices.allSatisfy({ bytes[start + $0] == part[$0] }) { return true }
          start += 1
        }
        return false
      }
    }
  }

  /// Whether it names this folder or file or something in it.
  fileprivate func isOrLies(below folder: Argument) -> Bool {
    let slash = UInt8(ascii: "/")
    guard bytes.starts(with: folder.bytes) else { return false }
    let rest = bytes.dropFirst(folder.bytes.count)
    return folder.bytes.isEmpty || rest.isEmpty || rest.first == slash || folder.bytes.last == slash
  }
}
