import AppLifecycle
import ControlProtocol
import ControlServer

/// Handles the events of the server's clients: commands go to the `ControlDesk`, watches to the `WatchDesk`.
struct ServedClients: ControlHandler {
  let desk: ControlDesk
  let watches: WatchDesk
  let device: Device
  /// Writes a line into the operator's log, without blocking. Any thread.
  let log: @Sendable (String) -> Void

  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: Completion
  ) {
    desk.perform(command, context, for: client) { completion($0) }
  }

  func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {
    watches.began(topics, by: client.id, application: device.state)
  }

  func watchEnded(by client: ClientInfo) { watches.ended(by: client.id) }

  func inputEnded(_ client: ClientInfo) { if !client.isLocal { desk.library.inputEnded(client.id) } }

  func connectionClosed(_ client: ClientInfo) { desk.library.connectionClosed(client.id) }

  func clientLeft(_ client: ClientInfo) { desk.library.clientLeft(client.id) }

  func report(_ text: String) { log(text) }
}
