package import ControlProtocol

extension ControlClient {
  /// Seconds to wait for what a server answers from memory: long enough for one that is busy or swapped out.
  package static let quickPatience = 5.0

  /// Has a command carried out; what is answered. A refusal is thrown, and a `RequestError` where the grammar cannot
  /// express an argument, such as a file name with a newline.
  @discardableResult
  package mutating func ask(
    _ name: String, _ arguments: [Argument] = [], timeout: Double = quickPatience
  ) throws -> ReplyFields {
    ReplyFields(try perform(Request(name, arguments), timeout: timeout))
  }

  /// Has commands carried out one right after the other; what each answers. A refusal is thrown, and the commands
  /// behind it are not carried out.
  package mutating func ask(_ requests: [Request]) throws -> [ReplyFields] {
    try send(Request("command_list_ok_begin"), timeout: Self.quickPatience)
    for request in requests { try send(request, timeout: Self.quickPatience) }
    try send(Request("command_list_end"), timeout: Self.quickPatience)
    let elements = try reply(timeout: Self.quickPatience)
    return elements.split(separator: .listOK, omittingEmptySubsequences: false).map { ReplyFields($0) }
  }
}
