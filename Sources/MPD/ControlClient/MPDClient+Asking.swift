package import ControlProtocol

extension MPDClient {
  /// The timeout in seconds for replies from a server's memory: long enough for a server that is busy or
  /// swapped out.
  package static let quickPatience = 5.0

  /// Sends a command and returns its reply. Throws a refusal, or a `RequestError` if the grammar cannot
  /// express an argument, such as a file name with a newline.
  @discardableResult
  package mutating func ask(
    _ name: String, _ arguments: [Argument] = [], timeout: Double = quickPatience
  ) throws -> ReplyFields {
    ReplyFields(try perform(Request(name, arguments), timeout: timeout))
  }

  /// Sends commands as one command list and returns the reply of each. Throws a refusal; the server does not
  /// execute the commands after the refused one.
  package mutating func ask(_ requests: [Request]) throws -> [ReplyFields] {
    try send(Request("command_list_ok_begin"), timeout: Self.quickPatience)
    for request in requests { try send(request, timeout: Self.quickPatience) }
    try send(Request("command_list_end"), timeout: Self.quickPatience)
    let elements = try reply(timeout: Self.quickPatience)
    return elements.split(separator: .listOK, omittingEmptySubsequences: false).map { ReplyFields($0) }
  }
}
