import Transfer

/// The local and remote endpoint of a connection, which together identify it among the open connections.
struct CurlConnection: Hashable {
  private(set) var local: TransferTiming.Endpoint?
  private(set) var remote: TransferTiming.Endpoint?

  /// Creates a connection whose endpoints are unknown.
  init() {}

  /// Creates a connection with the addresses and ports that libcurl reports.
  init(
    from local: UnsafeMutablePointer<CChar>?, _ localPort: Int32, to remote: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32
  ) {
    func end(_ text: UnsafeMutablePointer<CChar>?, _ port: Int32) -> TransferTiming.Endpoint? {
      text.map { TransferTiming.Endpoint(address: String(cString: $0), port: Int(port)) }
    }
    self.local = end(local, localPort)
    self.remote = end(remote, remotePort)
  }
}
