extension ConnectionMachine {
  /// The server's settings for a client.
  package struct Configuration: Hashable, Sendable {
    package var permissions: Permissions
    /// The permissions granted by each password. As in mpd, they replace the client's earlier permissions.
    package var passwords: [Argument: Permissions]

    /// Creates a configuration. By default all permissions are granted without a password, because the mode
    /// of the socket's file already restricts access.
    package init(permissions: Permissions = .all, passwords: [Argument: Permissions] = [:]) {
      self.permissions = permissions
      self.passwords = passwords
    }
  }

  /// The client's settings for replies, and its permissions.
  package struct Context: Hashable, Sendable {
    package var tags = TagSet.standard
    package var binaryLimit = ProtocolLimits.defaultBinaryChunk
    /// The client's permissions, already checked for the command itself. Some arguments require a further
    /// permission, which the command's code checks.
    package var permissions = Permissions.all

    package init() {}

    /// Carries out a request about the tags, and returns the reply.
    mutating func change(_ request: TagTypesRequest) -> Reply {
      var reply = Reply()
      switch request {
      case .report:
        for tag in tags.tags { reply.append("tagtype", tag.rawValue) }
      case .all: tags = .all
      case .clear: tags = []
      case .enable(let more): tags.formUnion(more)
      case .disable(let others): tags.subtract(others)
      }
      return reply
    }
  }
}
