/// A message of the session or system bus (D-Bus).
package struct BusMessage: Hashable, Sendable {
  /// The bus name of the recipient; nil for signals and received messages.
  package var destination: String?
  package var path: String
  /// The interface of the member; may be empty in a received call.
  package var interface: String
  package var member: String
  /// The arguments. Incomplete in a received message with too many or too deeply nested values, or with types that
  /// `BusValue` lacks.
  package var arguments: [BusValue]
  /// The types of the arguments in D-Bus notation, including types that could not be read.
  package var signature: String

  package init(
    destination: String? = nil, path: String, interface: String, member: String, arguments: [BusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
    signature = arguments.map(\.signature).joined()
  }
}

package struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The D-Bus name of the error, such as `org.freedesktop.DBus.Error.NotSupported`.
  package var name: String
  package var message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  package var description: String { "\(name): \(message)" }

  private init(standard name: String, _ message: String) {
    self.init(name: "org.freedesktop.DBus.Error.\(name)", message: message)
  }

  /// The error for an unknown object, interface, method or property.
  package static func unknown(_ what: String) -> BusError {
    BusError(standard: "UnknownMethod", "there is no \(what)")
  }
  /// The error for arguments with a wrong type or out of range.
  package static func invalid(_ message: String) -> BusError { BusError(standard: "InvalidArgs", message) }
  /// The error for an operation that the object does not support now.
  package static func notSupported(_ message: String) -> BusError {
    BusError(standard: "NotSupported", message)
  }
  package static func failed(_ message: String) -> BusError { BusError(standard: "Failed", message) }
  package static func disconnected(_ message: String) -> BusError {
    BusError(standard: "Disconnected", message)
  }
  /// The error for a server that accepted the connection and closed it before libsystemd had sent its first
  /// bytes.
  static let endedAtOnce = disconnected("the server closed the connection at once")
  package static let tooMuch = BusError(standard: "LimitsExceeded", "too many calls wait for their reply")
}

package enum BusAnswer: Sendable {
  /// Reply with these arguments.
  case values([BusValue])
  /// Reply with this error.
  case failure(BusError)
  /// Defer the reply, which `SessionBus.reply(to:_:)` sends later.
  case later
}
