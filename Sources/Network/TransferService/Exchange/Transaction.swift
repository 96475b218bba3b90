package import Clocks
package import Foundation
package import Transfer

/// A request on one connection, and its response, with their times.
package struct Transaction: Sendable {
  package let request: TransferRequest
  package let began: HostTime
  package var connected: HostTime?
  /// The time at which bytes of the request body were last sent.
  package var sent: HostTime?
  package var answered: HostTime?
  package var ended: HostTime?
  package var head: ResponseHead?
  package var timing: TransferTiming?
  package var sentCount: Int64 = 0
  package var receivedCount: Int64 = 0

  init(_ request: TransferRequest, at moment: HostTime) {
    self.request = request
    began = moment
  }

  mutating func take(_ event: TransferEvent, at moment: HostTime) {
    switch event {
    case .queued: break
    case .connected: connected = moment
    case .head(let head): (self.head, answered) = (head, moment)
    case .body(let bytes): receivedCount += Int64(bytes.count)
    case .end, .failure: ended = moment
    }
  }

  /// The start and end of each phase; nil for a phase that has not occurred. `lookup` and `security` are nil
  /// before the response, and if the transport does not measure them. Once measured, only `request` has a
  /// value on a reused connection.
  package struct Phases {
    package var lookup: (start: HostTime, end: HostTime)?
    package var connection: (start: HostTime, end: HostTime)?
    package var security: (start: HostTime, end: HostTime)?
    package var request: (start: HostTime, end: HostTime)?
  }

  package var phases: Phases {
    guard let timing, let answered else {
      return Phases(
        connection: connected.map { (began, $0) }, request: connected.map { ($0, max($0, sent ?? $0)) })
    }
    // The transport may begin later than the request was passed to it.
    let start = answered.advanced(bySeconds: -timing.answered)
    func moment(_ offset: Double) -> HostTime { max(began, start.advanced(bySeconds: offset)) }
    let requested = moment(timing.requested)
    var phases = Phases(request: (requested, max(requested, sent ?? requested)))
    guard !timing.isReused else { return phases }
    phases.lookup = (moment(0), moment(timing.resolved))
    phases.connection = (moment(timing.resolved), moment(timing.secured ?? timing.connected))
    phases.security = timing.secured.map { (moment(timing.connected), moment($0)) }
    return phases
  }
}

extension HostClock {
  /// Returns the date of a time. In virtual time the clock's origin is the reference date of `Date`.
  package func date(of moment: HostTime) -> Date {
    self is SystemClock
      ? Date(timeIntervalSinceNow: moment.seconds(since: now))
      : Date(timeIntervalSinceReferenceDate: moment.seconds)
  }
}
