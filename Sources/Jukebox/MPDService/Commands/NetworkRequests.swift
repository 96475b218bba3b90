import ControlProtocol
import NetworkPlaylists
import Synchronization
import Transfer

/// Limits the network requests that clients' commands wait for. A client has one command in progress, and so
/// one request. Any thread.
final class NetworkRequests: Sendable {
  private struct Count {
    var all = 0
    var ofOthers = 0

    func areTooMany(isSameUser: Bool) -> Bool {
      all >= NetworkLimits.clientRequests
        || !isSameUser && ofOthers >= NetworkLimits.clientRequestsOfOthers
    }
  }

  private let count = Mutex(Count())

  static let refusal =
    "too many requests to the network at a time (\(NetworkLimits.clientRequests), of other users' clients "
    + "\(NetworkLimits.clientRequestsOfOthers)): try again in a few seconds"

  func areTooMany(isSameUser: Bool) -> Bool { count.withLock { $0.areTooMany(isSameUser: isSameUser) } }

  /// Runs a blocking request and returns its result; nil if the limit is reached.
  func perform<Answer>(isSameUser: Bool, _ request: () -> Answer) -> Answer? {
    let isAdmitted = count.withLock { count in
      guard !count.areTooMany(isSameUser: isSameUser) else { return false }
      count.all += 1
      if !isSameUser { count.ofOthers += 1 }
      return true
    }
    guard isAdmitted else { return nil }
    defer {
      count.withLock { count in
        count.all -= 1
        if !isSameUser { count.ofOthers -= 1 }
      }
    }
    return request()
  }

  /// Returns a function that reads playlists with `read`, but fails while the limit is reached.
  func counting(_ read: PlaylistReading?, isSameUser: Bool) -> PlaylistReading? {
    guard let read else { return nil }
    return { [self] url, credentials, reach, interruption in
      let answer = perform(isSameUser: isSameUser) { read(url, credentials, reach, interruption) }
      if let answer { return answer }
      var refused = PlaylistAnswer()
      refused.failure = Self.refusal
      return refused
    }
  }
}

extension Ack {
  /// The refusal of a network request without the permission `add`.
  static let noRequests = Ack(
    .permission, "you don't have permission for requests to the network: they need \"add\"")
}
