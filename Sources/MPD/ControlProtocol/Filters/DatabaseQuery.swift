/// The arguments of `find`, `search`, `findadd`, `searchadd` and `searchaddpl`: `FILTER… [sort TAG] [window
/// START:END]`, and `[position POS]` for the commands that add songs.
package struct SongQuery: Hashable, Sendable {
  /// The sort order of songs. Equal songs stay in the order of the database.
  package struct Order: Hashable, Sendable {
    /// The tag to sort by: `Track` and `Disc` as numbers, others as text. Nil for the modification time.
    package var tag: TagType?
    package var isDescending: Bool
  }

  package let arguments: [Argument]
  package let filter: FilterExpression
  package let order: Order?
  package let window: PositionRange?
  /// The position at which songs are added; nil for the end.
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

/// The arguments of `count`: `FILTER… [group TAG]`, with at least one of the two.
package struct CountQuery: Hashable, Sendable {
  package let arguments: [Argument]
  /// The filter that songs must match; nil for all songs.
  package let filter: FilterExpression?
  /// The tag to group by; nil for no groups.
  package let group: TagType?

  init(_ arguments: [Argument]) throws(Ack) {
    self.arguments = arguments
    var rest = arguments[...]
    group = try rest.popOption("group").map { a throws(Ack) in try a.tagType() }
    filter = rest.isEmpty && group != nil ? nil : try FilterRequest(Array(rest), isSearch: false).expression
  }
}

/// The arguments of `list`: `TAG [FILTER…] [group TAG]…`, `file [FILTER…]`, or the obsolete form
/// `album ARTIST`.
package struct TagQuery: Hashable, Sendable {
  package let arguments: [Argument]
  /// The tags to group by, the outermost first, then the listed tag. Empty for file names.
  package let tags: [TagType]
  /// The filter that songs must match; nil for all songs.
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
        // The last group in the arguments is the outermost.
        tags.insert(group, at: tags.count - 1)
      }
      self.tags = tags
    }
    filter = rest.isEmpty ? nil : try FilterRequest(Array(rest), isSearch: false).expression
  }
}

extension ArraySlice<Argument> {
  /// Removes an option and its value from the end and returns the value; nil if the option is not there.
  fileprivate mutating func popOption(_ word: Argument) -> Argument? {
    guard count >= 2, self[endIndex - 2] == word else { return nil }
    defer { removeLast(2) }
    return last
  }
}

extension Argument {
  fileprivate func isName(_ name: StaticString) -> Bool { bytes.map(\.lowercased)[...].isWord(name) }

  func tagType() throws(Ack) -> TagType {
    guard let tag = TagType(name: self) else { throw Ack(.argument, "Unknown tag type: \(self)") }
    return tag
  }
}
