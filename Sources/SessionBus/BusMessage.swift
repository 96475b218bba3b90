/// A message of the bus.
package struct BusMessage: Hashable, Sendable {
  /// Who it is for: a bus name. Nil for signals, and for messages that come in.
  package var destination: String?
  /// The object.
  package var path: String
  /// The interface that the member belongs to; may be empty in a call that comes in.
  package var interface: String
  /// The method or the signal.
  package var member: String
  /// The arguments. Those of a message that comes in are complete only if all their types are among `BusValue`'s.
  package var arguments: [BusValue]
  /// The types of the arguments as D-Bus writes them, also of those that could not be read.
  package var signature: String

  /// A message with these properties.
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

/// Why something on the bus did not succeed.
package struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error's name, such as `org.freedesktop.DBus.Error.NotSupported`.
  package var name: String
  /// A sentence for a person.
  package var message: String

  /// An error with this name.
  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// The name and the sentence.
  package var description: String { "\(name): \(message)" }

  /// No method or property of that name.
  package static func unknown(_ what: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "there is no \(what)")
  }
  /// Arguments of other types, or out of range.
  package static func invalid(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }
  /// What the object cannot do now.
  package static func notSupported(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.NotSupported", message: message)
  }
  /// What was tried without success.
  package static func failed(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
  }
  /// There is no connection.
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
  /// The reply's arguments.
  case values([BusValue])
  /// An error.
  case failure(BusError)
  /// Will be given with `SessionBus.reply(to:_:)`.
  case later
}
