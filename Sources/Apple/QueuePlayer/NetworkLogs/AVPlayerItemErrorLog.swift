public import Foundation

/// The network errors of an item, including those recovered by a retry, and related events with the code 0. An immutable
/// copy; any thread.
open class AVPlayerItemErrorLog: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because the class is open; the object is immutable.

  /// The entries, the oldest first; at most 100, after which the oldest are dropped.
  public let events: [AVPlayerItemErrorLogEvent]

  init(_ entries: [NetworkLog.Failure]) {
    events = entries.map(AVPlayerItemErrorLogEvent.init)
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns the entries in the W3C's Extended Log File Format, in `extendedLogDataStringEncoding`. Never nil.
  open func extendedLogData() -> Data? { ExtendedLogText.data(events.map(\.fields)) }
  /// The encoding of `extendedLogData()`: UTF-8.
  open var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// A network error of an item, or a related event with the code 0.
open class AVPlayerItemErrorLogEvent: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because the class is open; the object is immutable.

  private let entry: NetworkLog.Failure

  init(_ entry: NetworkLog.Failure) {
    self.entry = entry
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The date of the error.
  open var date: Date? { entry.date }
  /// The URL of the last response, or the item's URL before the first one, without credentials.
  open var uri: String? { entry.uri }
  /// The address of the server that responded last; nil if none did.
  open var serverAddress: String? { entry.serverAddress }
  /// An identifier shared by all entries of the item.
  open var playbackSessionID: String? { entry.sessionID }
  /// The error code in `errorDomain`. 0 for an event that is not an error: a new version of the medium, or data
  /// kept in memory because the disk accepts no more.
  open var errorStatusCode: Int { entry.code }
  /// The error domain: `NSURLErrorDomain` or "AVFoundationErrorDomain".
  open var errorDomain: String { entry.domain }
  /// A human-readable description of the error.
  open var errorComment: String? { entry.comment }
  fileprivate var fields: ExtendedLogText.Fields {
    ExtendedLogText.fields(of: date) + [
      ("uri", .word(uri)), ("s-ip", .word(serverAddress)), ("cs-guid", .word(playbackSessionID)),
      // A `.word`, because `.number` writes negative values as unknown, and error codes are negative.
      ("status", .word(String(errorStatusCode))), ("domain", .word(errorDomain)),
      ("comment", .text(errorComment)),
    ]
  }

  /// The header fields of the response. Always nil, because they may contain secrets and are not stored.
  open var allHTTPResponseHeaderFields: [String: String]? { nil }
}
