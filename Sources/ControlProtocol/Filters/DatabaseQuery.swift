/// The arguments of commands that ask a database: a filter, and behind it how to sort, cut, group or add what it finds.
///
/// There is no database here, so nothing comes of them but what is wrong with them; each function returns what it was
/// given.
enum DatabaseQuery {
  /// `find` and `search`: `FILTER… [sort TAG] [window START:END]`.
  static func find(_ arguments: [Argument]) throws(Ack) -> [Argument] {
    try checkFind(arguments[...])
    return arguments
  }

  /// `findadd` and `searchadd`: the same, and `[position POS]`.
  static func add(_ arguments: [Argument]) throws(Ack) -> [Argument] {
    var rest = arguments[...]
    if let position = rest.popOption("position") { _ = try position.queuePosition() }
    try checkFind(rest)
    return arguments
  }

  private static func checkFind(_ arguments: ArraySlice<Argument>) throws(Ack) {
    var rest = arguments
    if let window = rest.popOption("window") { _ = try window.range() }
    if let order = rest.popOption("sort") {
      let name = order.bytes.first == Byte.minus ? Argument(order.bytes.dropFirst()) : order
      guard TagType(name: name) != nil || name.isName("last-modified") else {
        throw Ack(.argument, "Unknown sort tag")
      }
    }
    try checkFilter(rest)
  }

  /// `count`: `FILTER… [group TAG]`, one of the two at least.
  static func count(_ arguments: [Argument]) throws(Ack) -> [Argument] {
    var rest = arguments[...]
    guard let group = rest.popOption("group") else {
      try checkFilter(rest)
      return arguments
    }
    _ = try tag(group)
    if !rest.isEmpty { try checkFilter(rest) }
    return arguments
  }

  /// `list`: `TAG [FILTER…] [group TAG]…`, `file [FILTER…]`, or as it was once, `album ARTIST`.
  static func list(_ arguments: [Argument]) throws(Ack) -> [Argument] {
    var rest = arguments[...]
    guard let name = rest.popFirst() else { return arguments }
    if name.isName("file") || name.isName("filename") {
      if !rest.isEmpty { try checkFilter(rest) }
      return arguments
    }
    var tags = [try tag(name)]
    if rest.count == 1, rest.first?.bytes.first != Byte.openingParenthesis {
      guard tags == [.album] else { throw Ack(.argument, "should be \"Album\" for 3 arguments") }
      return arguments
    }
    while let group = rest.popOption("group") {
      let type = try tag(group)
      guard !tags.contains(type) else { throw Ack(.argument, "Conflicting group") }
      tags.append(type)
    }
    if !rest.isEmpty { try checkFilter(rest) }
    return arguments
  }

  private static func checkFilter(_ arguments: ArraySlice<Argument>) throws(Ack) {
    _ = try FilterRequest(Array(arguments), isSearch: false)
  }

  private static func tag(_ name: Argument) throws(Ack) -> TagType {
    guard let tag = TagType(name: name) else { throw Ack(.argument, "Unknown tag type: \(name)") }
    return tag
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
}
