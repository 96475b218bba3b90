import Transfer

/// The local and remote endpoint of a connection, which together identify it among the open connections.
struct CurlConnection: Hashable {
  let local: TransferTiming.Endpoint?
  let remote: TransferTiming.Endpoint?
}
