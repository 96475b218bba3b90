/// A parser for the output of any MPD server, in pieces of any size. For clients.
package struct ReplyParser: Sendable {
  /// The maximum length of a line in bytes. Above Continuo's own limit, since other servers send longer tags.
  package static let lineLimit = 65536

  package enum Element: Hashable, Sendable {
    /// The greeting with the protocol's version.
    case greeting(version: String)
    case pair(name: String, value: Argument)
    /// The bytes that a line `binary: N` announced.
    case binary([UInt8])
    case listOK
    /// The reply is complete and successful.
    case ok
    /// The reply is complete; the command was refused.
    case refused(Refusal)
  }

  package struct Refusal: Error, Hashable, Sendable {
    /// The error code. `Ack.Code` lists MPD's codes.
    package var code: Int
    /// The index of the command in its list, from 0.
    package var index: Int
    /// The command's name; empty if the server has not recognized a command.
    package var command: String
    package var message: String

    package init(code: Int, index: Int, command: String, message: String) {
      self.code = code
      self.index = index
      self.command = command
      self.message = message
    }
  }

  /// A reason why the output is not an MPD server's. The parser cannot continue after it.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case noGreeting
    case lineTooLong
    case malformedLine(Argument)
    /// The announced size is not a number from 0 to `ProtocolLimits.largestBinaryChunk`, or no newline follows
    /// the bytes.
    case malformedBinary

    /// A short description for people.
    public var description: String {
      switch self {
      case .noGreeting: "no MPD greeting received"
      case .lineTooLong: "a line has more than \(ReplyParser.lineLimit) bytes"
      case .malformedLine(let line): "\"\(line)\" is not a line of a reply"
      case .malformedBinary: "binary data of another size than announced"
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

  /// Creates a parser. With `expectsGreeting` false, the output begins after the greeting.
  package init(expectsGreeting: Bool = true) { expectation = expectsGreeting ? .greeting : .line }

  /// Appends received bytes, in pieces of any size.
  package mutating func append(_ bytes: some Sequence<UInt8>) { input.append(bytes) }

  /// Returns the next element; nil if it is incomplete.
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
    // The lines of `playlist` have no blank after their colons.
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
  /// Returns the text after `prefix`; nil if the line begins differently.
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
  package var description: String { message }
}
