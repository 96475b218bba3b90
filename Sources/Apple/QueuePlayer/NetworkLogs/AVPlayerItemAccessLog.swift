public import Foundation
import Transfer

/// The network requests of an item and their results. An immutable copy; any thread.
open class AVPlayerItemAccessLog: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because the class is open; the object is immutable.

  /// The entries, one for each version of the medium that was requested, the oldest first. At most 100; older
  /// entries are dropped.
  public let events: [AVPlayerItemAccessLogEvent]

  init(_ entries: [NetworkLog.Access]) {
    events = entries.map(AVPlayerItemAccessLogEvent.init)
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns the entries in the W3C's Extended Log File Format, in `extendedLogDataStringEncoding`. Never nil.
  open func extendedLogData() -> Data? { ExtendedLogText.data(events.map(\.fields)) }
  /// The encoding of `extendedLogData()`: UTF-8.
  open var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// The network requests for one version of an item's medium. Negative numbers and nil mean unknown.
open class AVPlayerItemAccessLogEvent: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because the class is open; the object is immutable.

  private let entry: NetworkLog.Access

  init(_ entry: NetworkLog.Access) {
    self.entry = entry
    super.init()
  }

  /// Returns this object, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The URL of the last response, or the item's URL before the first one, without credentials.
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
  /// The duration of the transfers, in seconds; each gap between bytes counts as at most 1 s.
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

  /// The duration of the downloaded segments. Always -1, because segmented media are not supported.
  open var segmentsDownloadedDuration: TimeInterval { -1 }
  /// The number of segments that arrived late. Always -1, because segmented media are not supported.
  open var downloadOverdue: Int { -1 }
  /// The bit rate that the variant requires. Always -1, because media have no variants.
  open var indicatedBitrate: Double { -1 }
  /// The average bit rate of the variant. Always -1, because media have no variants.
  open var indicatedAverageBitrate: Double { -1 }
  /// The average bit rate of the audio track. Always -1, for unknown.
  open var averageAudioBitrate: Double { -1 }
  /// The average bit rate of the video track. Always -1, because video is not supported.
  open var averageVideoBitrate: Double { -1 }
  /// The bit rate at which the variant was changed. Always -1, because media have no variants.
  open var switchBitrate: Double { -1 }
  /// The maximum bit rate of the transfers. Always -1, for unknown.
  open var observedMaxBitrate: Double { -1 }
  /// The minimum bit rate of the transfers. Always -1, for unknown.
  open var observedMinBitrate: Double { -1 }
  /// The standard deviation of the bit rate of the transfers. Always -1, for unknown.
  open var observedBitrateStandardDeviation: Double { -1 }
  /// The number of dropped video frames. Always -1, because video is not supported.
  open var numberOfDroppedVideoFrames: Int { -1 }
  /// The number of requests over mobile networks. Always -1, for unknown.
  open var mediaRequestsWWAN: Int { -1 }
}
