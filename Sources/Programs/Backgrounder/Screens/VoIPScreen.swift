import Continuo
import Foundation

/// Waits for phone calls over a connection to a server on this machine, as in Technical Note TN2277 ("VoIP
/// Sockets"). Each line from the server is a call.
final class VoIPScreen: Screen {
  private var server: TCPSocket?
  private var isWatched = false
  private var text: [UInt8] = []

  /// The maximum length of an incomplete line in bytes: longer ones are not names of callers.
  private static let lineLimit = 1000

  override func viewDidLoad() {
    connect()
    let isKeptAlive = UIApplication.shared.setKeepAliveTimeout(UIMinimumKeepAliveTimeout) { [weak self] in
      self?.print("Keeping the connection alive")
      self?.server?.send(Array("ping\n".utf8))
    }
    if isKeptAlive { print("Keep-alive every \(Int(UIMinimumKeepAliveTimeout)) seconds") }
  }

  override func willEnterForeground() {
    // Without the mode, the system may have closed the connection.
    server?.look()
    if server == nil { connect() }
  }

  private func connect() {
    do {
      let server = try TCPSocket(connectingTo: parts.port)
      server.onReadable = { [weak self] in self?.receive() }
      self.server = server
      isWatched = server.watchForCalls()
      print("Waiting for calls from 127.0.0.1:\(parts.port)" + (isWatched ? "" : ", but not while suspended"))
    } catch {
      print("No connection with 127.0.0.1:\(parts.port): \(error)")
    }
  }

  private func receive() {
    do {
      while let server, let bytes = try server.receive() {
        guard !bytes.isEmpty else { return drop("has gone") }
        take(bytes)
      }
    } catch {
      drop("is lost: \(error)")
    }
  }

  private func take(_ bytes: [UInt8]) {
    text += bytes
    while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
      let caller = String(decoding: text[..<end], as: UTF8.self)
      text.removeSubrange(...end)
      let isInFront = UIApplication.shared.applicationState == .active
      print(isInFront ? "Call from \(caller)" : "App is backgrounded. Call from \(caller)")
      server?.send(Array("ringing\n".utf8))
    }
    if text.count > Self.lineLimit { drop("sends no calls") }
  }

  private func drop(_ reason: String) {
    print("The server \(reason)")
    text = []
    server?.close()
    server = nil
  }
}
