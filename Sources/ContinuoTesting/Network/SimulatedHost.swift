import HostTime
import Transfer

extension SimulatedNetwork {
  /// A host of the network, to say how it misbehaves. What is said counts for connections that are made later, and for all
  /// that is served at URLs with this host.
  public struct Host: Sendable {
    let name: String
    let network: SimulatedNetwork

    /// Connections end after so many bytes of an answer's body, as when a server or something before it gives up.
    public func closes(every bytes: Int) { change { $0.always = Cut(after: bytes, .close) } }

    /// Connections end so long after the answer began.
    public func closes(every duration: Duration) { change { $0.lifetime = duration } }

    /// The next connections end after so many bytes each, one after the other; those behind them do not.
    public func closes(after bytes: [Int]) { change { $0.cuts += bytes.map { Cut(after: $0, .close) } } }

    /// Connections are reset after so many bytes of an answer's body.
    public func resets(every bytes: Int) { change { $0.always = Cut(after: bytes, .reset) } }

    /// Nothing comes behind so many bytes of an answer's body, and the connection stays: on each connection, or on the
    /// next ones only.
    public func hangs(after bytes: Int, times: Int? = nil) {
      let cut = Cut(after: bytes, .hang)
      change { host in
        if let times { host.cuts += Array(repeating: cut, count: times) } else { host.always = cut }
      }
    }

    /// Connections that nobody reads from for so long are closed by the host.
    public func closesIdle(after duration: Duration) { change { $0.idleLimit = duration } }

    /// Every answer is the whole, whatever was asked for.
    public func ignoresRanges() { change { $0.hasRanges = false } }

    /// Answers say no length.
    public func tellsNoLength() { change { $0.tellsLength = false } }

    /// Answers begin so much later.
    public func answers(after delay: Duration) { change { $0.delay = delay } }

    /// The next requests are answered with this status and no body.
    public func answers(_ status: Int, times: Int) {
      change { $0.statuses += Array(repeating: status, count: max(0, times)) }
    }

    /// From now on the host's first `requests` requests are answered as before, and those behind them with what is
    /// served at `url`, as when somebody replaces a file.
    public func changes(after requests: Int, to url: String) {
      let other = SimulatedNetwork.address(url)
      change { $0.change = Change(requestsLeft: max(0, requests), url: other) }
    }

    /// Answers requests with 401 that have not this name and password, for a realm named after the host.
    public func wants(user: String, password: String) {
      change { $0.credentials = Credentials(user: user, password: password) }
    }

    /// Takes no connections.
    public func refuses() { change { $0.refuses = true } }

    /// All is well again.
    public func recovers() { change { $0 = Behaviour() } }

    private func change(_ body: (inout Behaviour) -> Void) {
      network.change { body(&$0.hosts[name, default: Behaviour()]) }
    }
  }
}
