import CThreads
import ControlProtocol
import MusicLibrary
import Synchronization

/// A client's filter for songs of the queue.
///
/// A single budget limits the filter's regular expressions over all songs together.
final class SongFilter: Sendable {
  private let expression: FilterExpression
  private let foldsCase: Bool
  /// The compiled regular expressions of the filter, by source.
  private let patterns: [Argument: TextPattern]
  /// The budget in PCRE2 steps. Lower than for the database, since the queue is searched on the control loop,
  /// which serves all clients: 300,000 steps take 5 ms.
  private let budget = Mutex(PatternBudget(steps: 300_000))

  init(_ expression: FilterExpression, foldsCase: Bool) {
    self.expression = foldsCase ? Self.folded(expression) : expression
    self.foldsCase = foldsCase
    var patterns: [Argument: TextPattern] = [:]
    for source in expression.patterns { patterns[source] = try? TextPattern(source, foldsCase: foldsCase) }
    self.patterns = patterns
  }

  /// Returns whether the song matches. Throws if the regular expressions have exceeded their budget.
  func accepts(_ song: SongReply) throws(Ack) -> Bool {
    var texts = song
    if foldsCase {
      // Folded once for all conditions.
      texts.file = song.file.foldingCase()
      for index in texts.tags.indices { texts.tags[index].value = texts.tags[index].value.foldingCase() }
    }
    return try holds(expression, for: song, texts)
  }

  private func holds(
    _ expression: FilterExpression, for song: SongReply, _ texts: SongReply
  ) throws(Ack) -> Bool {
    switch expression {
    case .tag(let type?, .matches(let source)):
      guard let values = song.values(of: type) else { return source == "" }
      return try matches(source, anyOf: values)
    case .tag(nil, .matches(let source)): return try matches(source, anyOf: song.tags.map(\.value))
    case .file(.matches(let source)): return try matches(source, anyOf: [song.file])
    case .tag(let type?, let test): return (texts.values(of: type) ?? [""]).contains { test.passes($0) }
    case .tag(nil, let test): return texts.tags.contains { test.passes($0.value) }
    case .file(let test): return test.passes(texts.file)
    case .base(let folder): return song.file.isOrLies(below: folder)
    case .modifiedSince(let time): return song.lastModified.map { $0 >= time } ?? false
    case .audioFormat(let mask): return song.format.map { mask.accepts($0) } ?? false
    case .not(let other): return try !holds(other, for: song, texts)
    case .all(let parts):
      for part in parts where try !holds(part, for: song, texts) { return false }
      return true
    }
  }

  private func matches(_ source: Argument, anyOf texts: [Argument]) throws(Ack) -> Bool {
    guard let pattern = patterns[source] else { return false }
    // Copied out and back, so that the lock is not held during a match. One thread at a time uses a filter.
    var budget = self.budget.withLock { $0 }
    defer { self.budget.withLock { [budget] in $0 = budget } }
    for text in texts {
      let isFound = try text.bytes.withUnsafeBufferPointer { bytes throws(Ack) in
        try pattern.matches(bytes, &budget)
      }
      if isFound { return true }
    }
    return false
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

extension TextTest {
  fileprivate func passes(_ text: Argument) -> Bool {
    switch self {
    case .equals(let value): text == value
    case .contains(let value): text.contains(value)
    // Regular expressions are handled in `holds`.
    case .matches: false
    }
  }
}

extension SongReply {
  /// Returns the values of this tag, or of its first substitute that the song has; nil if the song has
  /// neither.
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
    // An empty array may have no address, and every text contains the empty one.
    part.bytes.isEmpty
      || !bytes.isEmpty
        && continuo_memmem(bytes, UInt(bytes.count), part.bytes, UInt(part.bytes.count)) != nil
  }

  /// Whether the argument is the path of this folder or file, or of anything below this folder.
  fileprivate func isOrLies(below folder: Argument) -> Bool {
    let slash = UInt8(ascii: "/")
    guard bytes.starts(with: folder.bytes) else { return false }
    let rest = bytes.dropFirst(folder.bytes.count)
    return folder.bytes.isEmpty || rest.isEmpty || rest.first == slash || folder.bytes.last == slash
  }
}
