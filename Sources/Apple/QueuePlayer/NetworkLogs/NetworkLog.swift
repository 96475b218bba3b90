import AudioSession
import Clocks
import Foundation
import MediaAssets
import Transfer

/// The network events of an item, the source of its access log and its error log.
struct NetworkLog: Sendable {
  /// The requests for one version of the medium, and their results.
  struct Access: Sendable {
    var uri: String?
    var serverAddress: String?
    var addressChanges = 0
    var sessionID: String
    var startDate: Date
    var isLive = false
    var requests = 0
    var progress = TransferProgress()
    var startupTime: Double = -1
    var stalls = 0
    var watched: Double = 0
  }

  /// An entry of the error log: a network error, or an event with code 0.
  struct Failure: Sendable {
    var date: Date
    var uri: String?
    var serverAddress: String?
    var sessionID: String
    var code: Int
    var domain: String
    var comment: String
  }

  /// The log that has a new entry.
  enum News { case access, failure }

  /// The maximum number of entries in each log.
  static let limit = 100

  private(set) var accesses: [Access] = []
  private(set) var failures: [Failure] = []
  private let url: String
  private let sessionID = UUID().uuidString
  /// The time of the first request of the last access entry.
  private var firstRequest: HostTime?
  /// The time up to which playback is included in `watched`; nil while the item does not play.
  private var playingSince: HostTime?
  /// Whether the next request starts a new access entry: the first one, or one for a new version of the
  /// medium.
  private var isOver = true

  init(_ asset: RemoteAsset) { url = asset.url.text }

  /// Returns the access entries, with playback up to `now` included in `watched`.
  func accesses(at now: HostTime) -> [Access] {
    var result = accesses
    if let playingSince, !result.isEmpty {
      result[result.count - 1].watched += now.seconds(since: playingSince)
    }
    return result
  }

  /// Records an event of the medium. Returns the log that has a new entry; nil if none has.
  mutating func take(_ note: TransferNote, at now: HostTime) -> News? {
    switch note {
    case .request:
      let isNew = isOver
      if isNew {
        settle(at: now)
        isOver = false
        firstRequest = now
        accesses.append(Access(uri: url, sessionID: sessionID, startDate: Date()))
        if accesses.count > Self.limit { accesses.removeFirst() }
      }
      change { $0.requests += 1 }
      return isNew ? .access : nil
    case .response(_, let url, let address, _):
      change { access in
        access.uri = url.text
        guard let text = address.map({ "\($0)" }), text != access.serverAddress else { return }
        if access.serverAddress != nil { access.addressChanges += 1 }
        access.serverAddress = text
      }
    case .progress(let progress): change { $0.progress = progress }
    case .live: change { $0.isLive = true }
    case .retry(let delay, let failure):
      let next = delay > 0 ? "tried again in \((delay * 100).rounded() / 100) s" : "tried again at once"
      return add(failure, "\(failure.message); \(next)")
    case .failed(let failure): return add(failure, failure.message)
    case .changed:
      isOver = true
      return add(code: 0, "AVFoundationErrorDomain", "the server has a new version of the medium")
    case .keptInMemory:
      return add(
        code: 0, "AVFoundationErrorDomain",
        "received data is kept in memory, because it cannot be written to disk")
    case .complete, .entered, .rejoined, .metadata: break
    }
    return nil
  }

  mutating func ready(at now: HostTime) {
    guard let firstRequest else { return }
    change { if $0.startupTime < 0 { $0.startupTime = now.seconds(since: firstRequest) } }
  }

  mutating func stalled() { change { $0.stalls += 1 } }

  /// Records whether the item plays from now on.
  mutating func play(_ isPlaying: Bool, at now: HostTime) {
    settle(at: now)
    playingSince = isPlaying ? now : nil
  }

  private mutating func settle(at now: HostTime) {
    guard let since = playingSince else { return }
    change { $0.watched += now.seconds(since: since) }
    playingSince = now
  }

  private mutating func add(_ failure: TransferFailure, _ comment: String) -> News {
    guard let code = failure.kind.urlErrorCode else {
      return add(code: AVError.Code.operationNotSupportedForAsset.rawValue, AVError.errorDomain, comment)
    }
    return add(code: code, NSURLErrorDomain, comment)
  }

  private mutating func add(code: Int, _ domain: String, _ comment: String) -> News {
    failures.append(
      Failure(
        date: Date(), uri: accesses.last?.uri ?? url, serverAddress: accesses.last?.serverAddress,
        sessionID: sessionID, code: code, domain: domain, comment: comment))
    if failures.count > Self.limit { failures.removeFirst() }
    return .failure
  }

  private mutating func change(_ body: (inout Access) -> Void) {
    if !accesses.isEmpty { body(&accesses[accesses.count - 1]) }
  }
}
