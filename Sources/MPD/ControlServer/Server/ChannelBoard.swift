internal import ControlProtocol

/// The channels for messages between clients: the subscriptions, and the messages that are not read yet. A
/// value.
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

  private static let characters = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:".utf8)

  /// Returns the name of a channel. Throws if the name is invalid by mpd's rule.
  private static func channel(_ name: Argument) throws(Ack) -> String {
    guard !name.bytes.isEmpty, name.bytes.allSatisfy(characters.contains), let channel = name.string
    else { throw .invalidChannelName }
    return channel
  }

  /// The names of all channels with a subscriber, sorted.
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

  /// Delivers a message. Returns the subscribers that had no unread messages and must be notified. A client
  /// whose mailbox is full gets no message and counts as not subscribed.
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

  /// Returns and removes a client's messages, oldest first.
  mutating func read(_ client: ClientID) -> [Message] {
    defer { mailboxes[client]?.messages = [] }
    return mailboxes[client]?.messages ?? []
  }

  /// Removes a client. Returns whether it was subscribed to any channel.
  mutating func remove(_ client: ClientID) -> Bool {
    mailboxes.removeValue(forKey: client)?.channels.isEmpty == false
  }
}

/// The refusals of mpd's channel commands, in mpd's words.
extension Ack {
  static let invalidChannelName = Ack(.argument, "invalid channel name")
  static let alreadySubscribed = Ack(.exist, "already subscribed to this channel")
  static let subscriptionListFull = Ack(.exist, "subscription list is full")
  static let notSubscribed = Ack(.noExist, "not subscribed to this channel")
  static let nobodySubscribed = Ack(.noExist, "nobody is subscribed to this channel")
}
