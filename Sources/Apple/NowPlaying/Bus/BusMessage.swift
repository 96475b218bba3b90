/// A message of the session or system bus (D-Bus).
package struct BusMessage: Hashable, Sendable {
  /// The bus name of the recipient; nil for signals and received messages.
  package var destination: String?
  /// The path of the object.
  package var path: String
  /// The interface of the member; may be empty in a received call.
  package var interface: String
  /// The name of the method or signal.
  package var member: String
  /// The arguments. In a received message complete only if `BusValue` supports all their types.
  package var arguments: [BusValue]
  /// The types of the arguments in D-Bus notation, including types that could not be read.
  package var signature: String

  /// Creates a message with the given properties.
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

/// An error of a D-Bus call or connection.
package struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The D-Bus name of the error, such as `org.freedesktop.DBus.Error.NotSupported`.
  package var name: String
  /// A message for the user.
  package var message: String

  /// Creates an error with the given name and message.
  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// The name and the message.
  package var description: String { "\(name): \(message)" }

  /// The error for an unknown method or property.
  package static func unknown(_ what: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "there is no \(what)")
  }
  /// The error for arguments with a wrong type or out of range.
  package static func invalid(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }
  /// The error for an operation that the object does not support now.
  package static func notSupported(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.NotSupported", message: message)
  }
  /// The error for an operation that failed.
  package static func failed(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
  }
  /// The error for a missing connection.
  package static func disconnected(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.Disconnected", message: message)
  }
  /// The server accepted the connection and closed it before libsystemd had sent its first bytes.
  static let endedAtOnce = disconnected("the server closed the connection at once")
  /// More than is accepted at once.
  package static let tooMuch = BusError(
    name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "too many calls wait for their reply")
}

/// The answer to a method call.
package enum BusAnswer: Sendable {
  /// Reply with these arguments.
  case values([BusValue])
  /// Reply with this error.
  case failure(BusError)
  /// Defer the reply, which `SessionBus.reply(to:_:)` sends later.
  case later
}
