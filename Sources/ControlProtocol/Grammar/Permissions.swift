/// What a client may do. Every command that needs a permission needs exactly one.
package struct Permissions: OptionSet, Hashable, Sendable {
  /// One bit for each.
  package let rawValue: UInt8

  /// The set with these bits.
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Ask for anything.
  package static let read = Permissions(rawValue: 1)
  /// Put songs into the queue.
  package static let add = Permissions(rawValue: 2)
  /// Drive the player and edit the queue.
  package static let player = Permissions(rawValue: 4)
  /// Drive the application's life cycle, and other clients by messages.
  package static let control = Permissions(rawValue: 8)
  /// Open and close the output, end the application.
  package static let admin = Permissions(rawValue: 16)
  /// Everything.
  package static let all: Permissions = [.read, .add, .player, .control, .admin]
}
