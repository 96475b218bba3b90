import Continuo
import Foundation

/// An echo server on a port of this machine.
///
/// The listening socket is closed in the background, as Technical Note TN2277 advises, and reopened in the
/// foreground. Connections of clients stay open and may be lost in the background.
final class ListenScreen: Screen {
  private lazy var port = parts.port
  private var listener: TCPSocket?
  private var clients: [ObjectIdentifier: TCPSocket] = [:]

  /// The maximum number of clients.
  private static let clientLimit = 100

  override func viewDidLoad() { listen() }

  override func didEnterBackground(_ application: UIApplication) {
    if !parts.leavesOpen, let socket = listener {
      listener = nil
      socket.close()
      print("No longer listening")
    }
    // The protocol's quiet mode: clients wait until "awake". The kernel accepts a few bytes immediately, so
    // this does not wait for the network.
    for client in clients.values { client.send(Array("quiet\n".utf8)) }
  }

  override func willEnterForeground() {
    // The system may have closed sockets that were left open, possibly without an event.
    for socket in [listener].compactMap({ $0 }) + clients.values { socket.look() }
    for client in clients.values { client.send(Array("awake\n".utf8)) }
    if listener == nil, !parts.leavesOpen { listen() }
  }

  private func listen() {
    do {
      let socket = try TCPSocket(listeningOn: port)
      port = socket.port
      listener = socket
      socket.onReadable = { [weak self] in self?.accept() }
      print("Listening on 127.0.0.1:\(port)")
    } catch {
      print("Cannot listen on port \(port): \(error)")
    }
  }

  private func accept() {
    guard let listener else { return }
    do { while let client = try listener.accept() { greet(client) } } catch {
      print("No longer listening: \(error)")
      self.listener = nil
      listener.close()
    }
  }

  private func greet(_ client: TCPSocket) {
    guard clients.count < Self.clientLimit else { return client.close() }
    clients[ObjectIdentifier(client)] = client
    print("Client \(client.peer) is there")
    client.onReadable = { [weak self, weak client] in
      if let self, let client { self.answer(client) }
    }
  }

  private func answer(_ client: TCPSocket) {
    do {
      while let bytes = try client.receive() {
        guard !bytes.isEmpty else { return drop(client, "has gone") }
        guard client.send(bytes) else { return drop(client, "does not read what it gets") }
      }
    } catch {
      drop(client, "is lost: \(error)")
    }
  }

  private func drop(_ client: TCPSocket, _ reason: String) {
    print("Client \(client.peer) \(reason)")
    clients[ObjectIdentifier(client)] = nil
    client.close()
  }
}
