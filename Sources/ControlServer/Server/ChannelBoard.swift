internal import ControlProtocol

/// The channels by which clients send each other messages: who subscribes to what, and what was not read yet.
/// A value.
struct ChannelBoard {
  struct Message: Equatable {
    let channel: String
    let text: Argument
  }
  private struct Mailbox {
    var channels: Set<String> = []
    var messages: [Message] = []
  }

  let subscriptionLimit: Int
  let messageLimit: Int
  private var mailboxes: [ClientID: Mailbox] = [:]

  init(subscriptionLimit: Int, messageLimit: Int) {
    self.subscriptionLimit = subscriptionLimit
    self.messageLimit = messageLimit
  }

  /// Letters, digits and `_-.:`, as mpd has it.
  private static func channel(_ name: Argument) throws(Ack) -> String {
    let isValid = name.bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_-.:".utf8.contains(byte)
      }
    }
    guard isValid, !name.bytes.isEmpty, let channel = name.string else { throw .invalidChannelName }
    return channel
  }

  /// All channels that somebody subscribes to, in order.
  var channels: [String] {
    mailboxes.values.reduce(into: Set<String>()) { $0.formUnion($1.channels) }.sorted()
  }

  mutating func subscribe(_ client: ClientID, to name: Argument) throws(Ack) {
    let channel = try Self.channel(name)
    var mailbox = mailboxes[client] ?? Mailbox()
    guard !mailbox.channels.contains(channel) else { throw .alreadySubscribed }
    guard mailbox.channels.count < subscriptionLimit else { throw .subscriptionListFull }
    mailbox.channels.insert(channel)
    mailboxes[client] = mailbox
  }

  mutating func unsubscribe(_ client: ClientID, from name: Argument) throws(Ack) {
    let channel = try Self.channel(name)
    guard mailboxes[client]?.channels.remove(channel) != nil else { throw .notSubscribed }
  }

  /// Delivers a message. Returns those who had none waiting, to be told; a client whose mailbox is full gets nothing,
  /// and counts as not subscribed.
  mutating func send(_ text: Argument, to name: Argument) throws(Ack) -> [ClientID] {
    let channel = try Self.channel(name)
    var told: [ClientID] = []
    var isDelivered = false
    for (client, mailbox) in mailboxes
    where mailbox.channels.contains(channel) && mailbox.messages.count < messageLimit {
      if mailbox.messages.isEmpty { told.append(client) }
      mailboxes[client]?.messages.append(Message(channel: channel, text: text))
      isDelivered = true
    }
    guard isDelivered else { throw .nobodySubscribed }
    return told
  }

  /// Takes a client's messages, oldest first.
  mutating func read(_ client: ClientID) -> [Message] {
    defer { mailboxes[client]?.messages = [] }
    return mailboxes[client]?.messages ?? []
  }

  /// Forgets a client. True if it subscribed to anything.
  mutating func remove(_ client: ClientID) -> Bool {
    mailboxes.removeValue(forKey: client)?.channels.isEmpty == false
  }
}

/// In mpd's words.
extension Ack {
  static let invalidChannelName = Ack(.argument, "invalid channel name")
  static let alreadySubscribed = Ack(.exist, "already subscribed to this channel")
  static let subscriptionListFull = Ack(.exist, "subscription list is full")
  static let notSubscribed = Ack(.noExist, "not subscribed to this channel")
  static let nobodySubscribed = Ack(.noExist, "nobody is subscribed to this channel")
}
