import Clocks
import Transfer

extension SimulatedNetwork {
  /// A host of the network. Its faults apply to all content at URLs with this host, but not to answers that
  /// have begun.
  public struct Host: Sendable {
    let name: String
    let network: SimulatedNetwork

    /// Closes connections after the given number of bytes of an answer's body.
    public func closes(every bytes: Int) { change { $0.always = Cut(after: bytes, .close) } }

    /// Closes connections after the given time from the beginning of the answer.
    public func closes(every duration: Duration) { change { $0.lifetime = duration } }

    /// Closes the next connections, in order, each after the given number of bytes of an answer's body. Answers without
    /// a body do not count.
    public func closes(after bytes: [Int]) { change { $0.cuts += bytes.map { Cut(after: $0, .close) } } }

    /// Resets connections after the given number of bytes of an answer's body.
    public func resets(every bytes: Int) { change { $0.always = Cut(after: bytes, .reset) } }

    /// Stalls the next `times` connections, each after the given number of bytes of an answer's body; nil
    /// stalls all connections.
    public func hangs(after bytes: Int, times: Int? = nil) {
      let cut = Cut(after: bytes, .hang)
      change { host in
        if let times { host.cuts += Array(repeating: cut, count: times) } else { host.always = cut }
      }
    }

    /// Closes connections whose reader pauses for the given time or longer. The failure is reported when the reader
    /// resumes.
    public func closesIdle(after duration: Duration) { change { $0.idleLimit = duration } }

    /// Ignores ranges in requests, and answers with the whole content.
    public func ignoresRanges() { change { $0.hasRanges = false } }

    /// Omits the length from answers with the whole content. Answers with a range (status 206) still have it.
    public func tellsNoLength() { change { $0.tellsLength = false } }

    /// Delays the beginning of answers.
    public func answers(after delay: Duration) { change { $0.delay = delay } }

    /// Answers the next requests with the given status and no body.
    public func answers(_ status: Int, times: Int) {
      change { $0.statuses += Array(repeating: status, count: max(0, times)) }
    }

    /// Answers with the content at `url`, as if the file were replaced, after the next `requests` requests.
    public func changes(after requests: Int, to url: String) {
      let other = SimulatedNetwork.address(url)
      change { $0.change = (max(0, requests), other) }
    }

    /// Requires these credentials. Requests without them are answered with 401, for a realm named after the
    /// host.
    public func wants(user: String, password: String) {
      change { $0.credentials = Credentials(user: user, password: password) }
    }

    /// Refuses all new connections.
    public func refuses() { change { $0.refuses = true } }

    /// Removes all faults of the host.
    public func recovers() { change { $0 = Behaviour() } }

    private func change(_ body: (inout Behaviour) -> Void) {
      network.change { body(&$0.hosts[name, default: Behaviour()]) }
    }
  }
}
