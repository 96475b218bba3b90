import Transfer

/// The two ends of a connection, which no other open connection has.
struct CurlConnection: Hashable {
  let local: TransferTiming.Endpoint?
  let remote: TransferTiming.Endpoint?
}
