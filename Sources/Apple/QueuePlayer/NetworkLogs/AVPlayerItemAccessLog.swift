public import Foundation
import Transfer

/// The network requests of an item and their results. An immutable copy; any thread.
open class AVPlayerItemAccessLog: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the object is immutable.

  /// The entries, one for each version of the medium that was played, the oldest first; at most 100.
  public let events: [AVPlayerItemAccessLogEvent]

  init(_ entries: [NetworkLog.Access]) {
    events = entries.map(AVPlayerItemAccessLogEvent.init)
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns the entries in the W3C's Extended Log File Format, in `extendedLogDataStringEncoding`.
  open func extendedLogData() -> Data? { ExtendedLogText.data(events.map(\.fields)) }
  /// The encoding of `extendedLogData()`: UTF-8.
  open var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// The network requests for one version of an item's medium. Negative numbers and nil mean unknown.
open class AVPlayerItemAccessLogEvent: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the object is immutable.

  private let entry: NetworkLog.Access

  init(_ entry: NetworkLog.Access) {
    self.entry = entry
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The URL of the last response, without credentials.
  open var uri: String? { entry.uri }
  /// The address of the server that responded last.
  open var serverAddress: String? { entry.serverAddress }
  /// The number of times that the server's address changed.
  open var numberOfServerAddressChanges: Int { entry.addressChanges }
  /// An identifier shared by all entries of the item.
  open var playbackSessionID: String? { entry.sessionID }
  /// The date of the first request.
  open var playbackStartDate: Date? { entry.startDate }
  /// The position at which playback started, in seconds of the item. Always -1, for unknown.
  open var playbackStartOffset: TimeInterval { -1 }
  /// The type of playback: "FILE", or "LIVE" for a stream without an end.
  open var playbackType: String? { entry.isLive ? "LIVE" : "FILE" }
  /// The number of requests that were sent.
  open var numberOfMediaRequests: Int { entry.requests }
  /// The number of bytes received.
  open var numberOfBytesTransferred: Int64 { entry.progress.received }
  /// The duration of the transfers, in seconds.
  open var transferDuration: TimeInterval { entry.progress.seconds }
  /// The mean bit rate of the transfers, in bits per second.
  open var observedBitrate: Double {
    entry.progress.seconds > 0 ? Double(entry.progress.received) * 8 / entry.progress.seconds : -1
  }
  /// The time from the first request until the item was ready, in seconds.
  open var startupTime: TimeInterval { entry.startupTime }
  /// The number of times that playback stalled.
  open var numberOfStalls: Int { entry.stalls }
  /// The duration of playback, in seconds.
  open var durationWatched: TimeInterval { entry.watched }

  fileprivate var fields: ExtendedLogText.Fields {
    ExtendedLogText.fields(of: playbackStartDate) + [
      ("uri", .word(uri)), ("s-ip", .word(serverAddress)),
      ("s-ip-changes", .number(Double(numberOfServerAddressChanges))), ("cs-guid", .word(playbackSessionID)),
      ("s-playback-type", .word(playbackType)), ("sc-count", .number(Double(numberOfMediaRequests))),
      ("bytes", .number(Double(numberOfBytesTransferred))),
      ("c-transfer-duration", .number(transferDuration)),
      ("c-observed-bitrate", .number(observedBitrate)), ("c-startup-time", .number(startupTime)),
      ("c-stalls", .number(Double(numberOfStalls))), ("c-duration-watched", .number(durationWatched)),
    ]
  }

  /// A property of segmented media. Always -1.
  open var segmentsDownloadedDuration: TimeInterval { -1 }
  /// A property of segmented media. Always -1.
  open var downloadOverdue: Int { -1 }
  /// A property of media with several bit rates. Always -1.
  open var indicatedBitrate: Double { -1 }
  /// A property of media with several bit rates. Always -1.
  open var indicatedAverageBitrate: Double { -1 }
  /// A property of media with several bit rates. Always -1.
  open var averageAudioBitrate: Double { -1 }
  /// A property of media with several bit rates. Always -1.
  open var averageVideoBitrate: Double { -1 }
  /// A property of media with several bit rates. Always -1.
  open var switchBitrate: Double { -1 }
  /// The maximum bit rate of the transfers. Always -1, for unknown.
  open var observedMaxBitrate: Double { -1 }
  /// The minimum bit rate of the transfers. Always -1, for unknown.
  open var observedMinBitrate: Double { -1 }
  /// The standard deviation of the bit rate of the transfers. Always -1, for unknown.
  open var observedBitrateStandardDeviation: Double { -1 }
  /// The number of dropped pictures. Always -1: no pictures exist.
  open var numberOfDroppedVideoFrames: Int { -1 }
  /// The number of requests over mobile networks. Always -1, for unknown.
  open var mediaRequestsWWAN: Int { -1 }
}
