internal import ControlProtocol

/// A filter translated to SQL: a condition on rows of `songs`.
struct SongCondition {
  /// SQL, with a `?` for each of the values.
  private(set) var text: String
  private(set) var values: [DatabaseValue] = []

  /// Translates a filter. `foldsCase` determines whether case is ignored.
  init(_ expression: FilterExpression, foldsCase: Bool) {
    switch expression {
    case .tag(let type, let test): self.init(test, of: type, foldsCase)
    case .file(let test): self.init(file: test, foldsCase)
    case .base(let folder):
      var path = folder.bytes
      if path.isEmpty {
        self.init("1")
        return
      }
      if path.last == UInt8(ascii: "/") { path.removeLast() }
      self.init(
        "(path = ? OR path >= ? AND path < ?)", [.bytes(folder.bytes)] + LibraryPath.range(below: path))
    case .modifiedSince(let time): self.init("modified >= ?", [.integer(time)])
    case .audioFormat(let mask): self.init(mask)
    case .not(let other):
      let other = SongCondition(other, foldsCase: foldsCase)
      self.init("NOT \(other.text)", other.values)
    case .all(let parts):
      guard !parts.isEmpty else {
        self.init("1")
        return
      }
      let parts = parts.map { SongCondition($0, foldsCase: foldsCase) }
      self.init("(\(parts.map(\.text).joined(separator: " AND ")))", parts.flatMap(\.values))
    }
  }

  private init(_ text: String, _ values: [DatabaseValue] = []) {
    self.text = text
    self.values = values
  }

  private init(file test: TextTest, _ foldsCase: Bool) {
    if test == .contains("") || test == .matches("") {
      self.init("1")
      return
    }
    // Without a condition on `folder`, the subquery needs only `id` and `path`, which are in the index of the paths.
    let column = foldsCase && !test.isPattern ? "folded(path)" : "path"
    let condition = Self.condition(test, column, foldsCase)
    let songs = "id IN (SELECT id FROM songs WHERE "
    switch test {
    // Searches only the few folders in which a name contains the text. A part of a letter (invalid UTF-8)
    // would not be found in the folded names.
    case .equals(let text), .contains(let text):
      let isText = String(validating: text.bytes, as: UTF8.self) != nil
      guard isText, foldsCase || test == .contains(text) else { fallthrough }
      self.init(
        "\(songs)folder IN (SELECT folder FROM names WHERE holds(text, ?) UNION ALL \(Self.unnamed)) AND \(condition.text))",
        [.bytes(text.foldingCase().bytes)] + condition.values)
    case .matches: self.init("\(songs)\(condition.text))", condition.values)
    }
  }

  /// The folders without a row in `names`: they have no songs, or songs are being added. All their songs are
  /// examined.
  private static let unnamed = "SELECT id FROM folders WHERE id NOT IN (SELECT folder FROM names)"

  private init(_ test: TextTest, of type: TagType?, _ foldsCase: Bool) {
    switch test {
    // A song without the tag counts as one with an empty value.
    case .contains(""), .matches(""): self.init(type == nil ? "tagged <> 0" : "1")
    case .equals(""): self.init(type.map { "tagged & \(Int64(1) << Int64($0.index)) = 0" } ?? "0")
    default:
      let condition = Self.condition(test, foldsCase && !test.isPattern ? "folded" : "text", foldsCase)
      let types = type.map { "= \($0.index)" } ?? "IN (\(Self.types))"
      self.init(
        "id IN (SELECT song FROM tags WHERE type \(types) AND text IN "
          + "(SELECT id FROM texts WHERE \(condition.text)))", condition.values)
    }
  }

  /// The tag types in use, found with one index lookup for each.
  private static let types = """
    WITH RECURSIVE present(type) AS (SELECT min(type) FROM tags UNION ALL
    SELECT (SELECT min(type) FROM tags WHERE tags.type > present.type) FROM present WHERE type IS NOT NULL)
    SELECT type FROM present WHERE type IS NOT NULL
    """

  private init(_ mask: AudioFormatMask) {
    switch mask.samples {
    // Songs are decoded to floating-point samples.
    case .bits, .dsd: self.init("0")
    case .floatingPoint, nil:
      let conditions = [("rate", mask.rate), ("channels", mask.channels)].map { name, value in
        value.map { "\(name) = \($0)" } ?? "\(name) > 0"
      }
      self.init("(\(conditions.joined(separator: " AND ")))")
    }
  }

  private static func condition(
    _ test: TextTest, _ column: String, _ foldsCase: Bool
  ) -> (text: String, values: [DatabaseValue]) {
    switch test {
    case .equals(let text): ("\(column) = ?", [.bytes(foldsCase ? text.foldingCase().bytes : text.bytes)])
    case .matches(let source): ("matches(?, \(foldsCase ? 1 : 0), \(column))", [.bytes(source.bytes)])
    case .contains(let text):
      ("holds(\(column), ?)", [.bytes(foldsCase ? text.foldingCase().bytes : text.bytes)])
    }
  }
}

extension TextTest {
  /// Whether the test is a regular expression, which folds case by itself.
  fileprivate var isPattern: Bool { if case .matches = self { true } else { false } }
}
