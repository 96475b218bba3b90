/// Reads what a server sends, in pieces of any size. For clients; it understands any MPD server.
package struct ReplyParser: Sendable {
  /// The longest line that is taken, in bytes. Above what Continuo sends, since other servers send longer tags.
  package static let lineLimit = 65536

  /// One thing that a server sent.
  package enum Element: Hashable, Sendable {
    /// The greeting, with the protocol's version.
    case greeting(version: String)
    /// A line of a reply.
    case pair(name: String, value: Argument)
    /// The bytes that a line `binary: N` announced.
    case binary([UInt8])
    /// One command of a list is done.
    case listOK
    /// The reply is complete.
    case ok
    /// The reply is complete: a refusal.
    case refused(Refusal)
  }

  /// An `ACK` line.
  package struct Refusal: Error, Hashable, Sendable {
    /// The number. `Ack.Code` knows those of MPD.
    package var code: Int
    /// The place of the command in its list, from 0.
    package var index: Int
    /// The command; empty if the server did not know it.
    package var command: String
    /// The reason in words.
    package var message: String

    /// A refusal.
    package init(code: Int, index: Int, command: String, message: String) {
      self.code = code
      self.index = index
      self.command = command
      self.message = message
    }
  }

  /// Why what was received is not a server's. Nothing more can be read after it.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first line is not a greeting.
    case noGreeting
    /// A line is longer than `ReplyParser.lineLimit`.
    case lineTooLong
    /// A line is none of a reply's.
    case malformedLine(Argument)
    /// More bytes were announced than any client may ask for, or no newline followed them.
    case malformedBinary

    /// A few words for a person.
    public var description: String {
      switch self {
      case .noGreeting: "it does not greet"
      case .lineTooLong: "a line has more than \(ReplyParser.lineLimit) bytes"
      case .malformedLine(let line): "\"\(line)\" is no line of a reply"
      case .malformedBinary: "a chunk of bytes has not the size that was announced"
      }
    }
  }

  private enum Expectation: Hashable {
    case greeting
    case line
    case binary(Int)
  }

  private var input = LineBuffer()
  private var expectation: Expectation
  private var failure: Failure?

  /// Reads a connection from its beginning, or with `expectsGreeting` false from after the greeting.
  package init(expectsGreeting: Bool = true) {
    expectation = expectsGreeting ? .greeting : .line
  }

  /// Takes bytes as they were received.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    input.append(bytes)
  }

  /// The next thing received, or `nil` if it is not complete yet.
  package mutating func next() throws(Failure) -> Element? {
    if let failure { throw failure }
    do {
      return try element()
    } catch {
      failure = error
      input.removeAll()
      throw error
    }
  }

  private mutating func element() throws(Failure) -> Element? {
    if case .binary(let size) = expectation {
      guard var bytes = input.take(size + 1) else { return nil }
      guard bytes.popLast() == Byte.newline else { throw .malformedBinary }
      expectation = .line
      return .binary(bytes)
    }
    guard let line = input.takeLine() else {
      if input.count > Self.lineLimit { throw .lineTooLong }
      return nil
    }
    guard line.count <= Self.lineLimit else { throw .lineTooLong }
    if expectation == .greeting {
      guard let version = line.text(after: "OK MPD ") else { throw .noGreeting }
      expectation = .line
      return .greeting(version: version)
    }
    return try element(of: line)
  }

  private mutating func element(of line: ArraySlice<UInt8>) throws(Failure) -> Element {
    if line.isWord("OK") { return .ok }
    if line.isWord("list_OK") { return .listOK }
    if let text = line.text(after: "ACK ") {
      guard let refusal = Refusal(text) else { throw .malformedLine(Argument(line)) }
      return .refused(refusal)
    }
    guard let colon = line.firstIndex(of: Byte.colon), colon > line.startIndex,
      let name = Argument(line[..<colon]).string
    else { throw .malformedLine(Argument(line)) }
    // `playlist` has no blank after its colons.
    let value = Argument(
      line[(colon + 1)...].first == Byte.blank ? line[(colon + 2)...] : line[(colon + 1)...])
    if name == "binary" {
      guard let size = value.string.flatMap({ Int($0) }),
        (0...ProtocolLimits.largestBinaryChunk).contains(size)
      else { throw .malformedBinary }
      expectation = .binary(size)
    }
    return .pair(name: name, value: value)
  }
}

extension ArraySlice<UInt8> {
  /// What follows `prefix`, as text; `nil` if the line begins with something else.
  fileprivate func text(after prefix: String) -> String? {
    guard starts(with: prefix.utf8) else { return nil }
    return Argument(dropFirst(prefix.utf8.count)).description
  }
}

extension ReplyParser.Refusal {
  /// Reads `[CODE@INDEX] {COMMAND} MESSAGE`.
  fileprivate init?(_ text: String) {
    guard text.first == "[", let at = text.firstIndex(of: "@"), let bracket = text.firstIndex(of: "]"),
      at < bracket,
      let code = Int(text[text.index(after: text.startIndex)..<at]),
      let index = Int(text[text.index(after: at)..<bracket])
    else { return nil }
    let rest = text[bracket...].dropFirst()
    guard rest.hasPrefix(" {"), let brace = rest.firstIndex(of: "}") else { return nil }
    self.init(
      code: code, index: index, command: String(rest[..<brace].dropFirst(2)),
      message: String(rest[brace...].dropFirst().drop { $0 == " " }))
  }
}

extension ReplyParser.Refusal: CustomStringConvertible {
  /// The reason in words.
  package var description: String { message }
}
