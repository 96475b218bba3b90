/// A reason why bytes are not a request, or a request cannot be written.
package enum RequestError: Error, Hashable, Sendable {
  /// The first byte is not a letter a–z. The connection is closed without a reply, so that a browser directed
  /// at the socket has no effect.
  case notARequest
  /// The name contains a character other than letters, digits and underscores.
  case invalidWordCharacter
  case missingClosingQuote
  /// A closing quote is followed by a byte other than a blank.
  case spaceExpectedAfterQuote
  /// An unquoted argument contains a quote or an apostrophe.
  case invalidUnquotedCharacter
  case tooManyArguments
  /// The line contains a NUL byte. mpd silently drops the rest of such a line, which no client intends.
  case nulByte
  /// The line is longer than `ProtocolLimits.requestLine`. The connection is closed without a reply.
  case lineTooLong
  /// A line or argument contains a newline, which the grammar cannot express. Never occurs in a server, which
  /// splits its input at newlines.
  case newline

  /// The refusal to send; nil if the client gets no reply.
  package var ack: Ack? {
    switch self {
    case .notARequest, .lineTooLong: nil
    case .invalidWordCharacter: Ack(.unknown, "Invalid word character")
    case .missingClosingQuote: Ack(.unknown, "Missing closing '\"'")
    case .spaceExpectedAfterQuote: Ack(.unknown, "Space expected after closing '\"'")
    case .invalidUnquotedCharacter: Ack(.unknown, "Invalid unquoted character")
    case .tooManyArguments: Ack(.argument, "Too many arguments")
    case .nulByte: Ack(.unknown, "NUL is not allowed")
    case .newline: Ack(.unknown, "Newline is not allowed")
    }
  }

  /// Whether the connection is closed after the refusal, if any.
  var closesConnection: Bool {
    switch self {
    case .notARequest, .lineTooLong, .invalidWordCharacter: true
    default: false
    }
  }
}

extension RequestError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notARequest: "a command begins with a letter a-z"
    case .lineTooLong: "the line is longer than \(ProtocolLimits.requestLine) bytes"
    case .newline: "an argument cannot contain a newline"
    default: ack?.message ?? ""
    }
  }
}
