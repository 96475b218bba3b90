public import Foundation

/// What went wrong on the network while an item was fetched, also where that was made good. A copy that does not change; any
/// thread.
open class AVPlayerItemErrorLog: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state.

  /// The oldest first; at most 100, the oldest go.
  public let events: [AVPlayerItemErrorLogEvent]

  init(_ entries: [NetworkLog.Failure]) {
    events = entries.map(AVPlayerItemErrorLogEvent.init)
    super.init()
  }

  /// Returns this object, since it does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The entries in the W3C's Extended Log File Format, in `extendedLogDataStringEncoding`.
  open func extendedLogData() -> Data? { ExtendedLogText(events.map(\.fields)).data }
  /// The encoding of `extendedLogData()`: UTF-8.
  open var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// Something that went wrong on the network.
open class AVPlayerItemErrorLogEvent: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state.

  private let entry: NetworkLog.Failure

  init(_ entry: NetworkLog.Failure) {
    self.entry = entry
    super.init()
  }

  /// Returns this object, since it does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// When it happened.
  open var date: Date? { entry.date }
  /// The URL that was asked for, without credentials.
  open var uri: String? { entry.uri }
  /// The address of the server that answered last, if one did.
  open var serverAddress: String? { entry.serverAddress }
  /// What all entries of the item have in common.
  open var playbackSessionID: String? { entry.sessionID }
  /// A code of `errorDomain`; 0 for what is no error: the server has another version, or bytes are kept in memory.
  open var errorStatusCode: Int { entry.code }
  /// `NSURLErrorDomain`, or "AVFoundationErrorDomain".
  open var errorDomain: String { entry.domain }
  /// What happened, for a person.
  open var errorComment: String? { entry.comment }
  fileprivate var fields: [(name: String, value: ExtendedLogText.Value)] {
    ExtendedLogText.fields(of: date) + [
      ("uri", .word(uri)), ("s-ip", .word(serverAddress)), ("cs-guid", .word(playbackSessionID)),
      // A word, since codes are negative.
      ("status", .word(String(errorStatusCode))), ("domain", .word(errorDomain)),
      ("comment", .text(errorComment)),
    ]
  }

  /// Not kept: they may hold secrets.
  open var allHTTPResponseHeaderFields: [String: String]? { nil }
}
