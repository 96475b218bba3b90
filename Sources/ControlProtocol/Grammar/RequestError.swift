/// Why bytes are not a request, or a request cannot be written.
package enum RequestError: Error, Hashable, Sendable {
  /// The first byte is not a letter a–z. The connection is closed without a word: this is what keeps a browser that
  /// was pointed at the socket from doing anything.
  case notARequest
  /// The name goes on with something else than a letter, a digit or an underscore.
  case invalidWordCharacter
  /// An argument's quotes never end.
  case missingClosingQuote
  /// Something follows a closing quote without a blank.
  case spaceExpectedAfterQuote
  /// A quote or an apostrophe in an argument without quotes.
  case invalidUnquotedCharacter
  /// More than `ProtocolLimits.arguments`.
  case tooManyArguments
  /// A NUL byte. Mpd silently drops what follows one; no request means that.
  case nulByte
  /// The line is longer than `ProtocolLimits.requestLine`. The connection is closed without a reply.
  case lineTooLong
  /// A newline within a line or an argument, which the grammar cannot express. A server, which cuts its input at the
  /// newlines, never sees it.
  case newline

  /// What the client is told before anything else happens; `nil` where it is told nothing.
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

  /// Whether the connection is closed after the answer, if there is one.
  package var closesConnection: Bool {
    switch self {
    case .notARequest, .lineTooLong, .invalidWordCharacter: true
    default: false
    }
  }
}

extension RequestError: CustomStringConvertible {
  /// One line for a person who typed the request.
  package var description: String {
    switch self {
    case .notARequest: "a command begins with a letter a-z"
    case .lineTooLong: "the line is longer than \(ProtocolLimits.requestLine) bytes"
    case .newline: "an argument cannot contain a newline"
    default: ack?.message ?? ""
    }
  }
}
