/// What `find`, `search`, `findadd`, `searchadd` and `searchaddpl` ask for: `FILTER… [sort TAG] [window START:END]`, and to add
/// `[position POS]`.
package struct SongQuery: Hashable, Sendable {
  /// What songs are sorted by; where two are equal they stay as the database has them.
  package struct Order: Hashable, Sendable {
    /// The tag, as text, but `Track` and `Disc` as numbers; `nil` for the time of the last change.
    package var tag: TagType?
    /// Whether the last comes first.
    package var isDescending: Bool
  }

  /// As they came.
  package let arguments: [Argument]
  /// Which songs.
  package let filter: FilterExpression
  /// `nil` for the order of the database.
  package let order: Order?
  /// Which part of what is found; `nil` for all of it.
  package let window: PositionRange?
  /// Where it is added; `nil` for the end.
  package let position: QueuePosition?

  init(_ arguments: [Argument], isSearch: Bool, adds: Bool = false) throws(Ack) {
    self.arguments = arguments
    var rest = arguments[...]
    position = adds ? try rest.popOption("position").map { a throws(Ack) in try a.queuePosition() } : nil
    window = try rest.popOption("window").map { a throws(Ack) in try a.range() }
    order = try rest.popOption("sort").map { a throws(Ack) in try Order(a) }
    filter = try FilterRequest(Array(rest), isSearch: isSearch).expression
  }
}

extension SongQuery.Order {
  fileprivate init(_ argument: Argument) throws(Ack) {
    isDescending = argument.bytes.first == Byte.minus
    let name = isDescending ? Argument(argument.bytes.dropFirst()) : argument
    tag = TagType(name: name)
    guard tag != nil || name.isName("last-modified") else { throw Ack(.argument, "Unknown sort tag") }
  }
}

/// What `count` asks for: `FILTER… [group TAG]`, one of the two at least.
package struct CountQuery: Hashable, Sendable {
  /// As they came.
  package let arguments: [Argument]
  /// Which songs; `nil` for all.
  package let filter: FilterExpression?
  /// What to count them by.
  package let group: TagType?

  init(_ arguments: [Argument]) throws(Ack) {
    self.arguments = arguments
    var rest = arguments[...]
    group = try rest.popOption("group").map { a throws(Ack) in try a.tagType() }
    filter =
      rest.isEmpty && group != nil ? nil : try FilterRequest(Array(rest), isSearch: false).expression
  }
}

/// What `list` asks for: `TAG [FILTER…] [group TAG]…`, `file [FILTER…]`, or as it was once, `album ARTIST`.
package struct TagQuery: Hashable, Sendable {
  /// As they came.
  package let arguments: [Argument]
  /// The tag that is listed, and before it those by which it is grouped, the outermost first. Empty for the names of files.
  package let tags: [TagType]
  /// Of which songs; `nil` for all.
  package let filter: FilterExpression?

  init(_ arguments: [Argument]) throws(Ack) {
    self.arguments = arguments
    var rest = arguments[...]
    guard let name = rest.popFirst() else { throw Ack(.argument, "Not enough arguments") }
    if name.isName("file") || name.isName("filename") {
      tags = []
    } else {
      let type = try name.tagType()
      if let artist = rest.first, rest.count == 1, artist.bytes.first != Byte.openingParenthesis {
        guard type == .album else { throw Ack(.argument, "should be \"Album\" for 3 arguments") }
        tags = [.album]
        filter = .tag(.artist, .equals(artist))
        return
      }
      var tags = [type]
      while let group = rest.popOption("group") {
        let group = try group.tagType()
        guard !tags.contains(group) else { throw Ack(.argument, "Conflicting group") }
        // The last one is the outermost.
        tags.insert(group, at: tags.count - 1)
      }
      self.tags = tags
    }
    filter = rest.isEmpty ? nil : try FilterRequest(Array(rest), isSearch: false).expression
  }
}

extension ArraySlice<Argument> {
  /// Takes the value off the end, if this word is before it.
  fileprivate mutating func popOption(_ word: Argument) -> Argument? {
    guard count >= 2, self[endIndex - 2] == word else { return nil }
    defer { removeLast(2) }
    return last
  }
}

extension Argument {
  /// Whether it is this name of small letters, in whichever letters.
  fileprivate func isName(_ name: StaticString) -> Bool {
    bytes.map(\.lowercased)[...].isWord(name)
  }

  func tagType() throws(Ack) -> TagType {
    guard let tag = TagType(name: self) else { throw Ack(.argument, "Unknown tag type: \(self)") }
    return tag
  }
}
