public import Foundation
import HostTime
import Synchronization
import Transfer

/// What an item asked of the network, and what came. A copy that does not change; any thread.
open class AVPlayerItemAccessLog: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state.

  /// One for each version of the medium that was played, the oldest first; at most 100.
  public let events: [AVPlayerItemAccessLogEvent]

  init(_ entries: [NetworkLog.Access]) {
    events = entries.map(AVPlayerItemAccessLogEvent.init)
    super.init()
  }

  /// Returns this object, since it does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The entries in the W3C's Extended Log File Format, in `extendedLogDataStringEncoding`.
  open func extendedLogData() -> Data? { ExtendedLogText(events.map(\.fields)).data }
  /// The encoding of `extendedLogData()`: UTF-8.
  open var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// What was asked of the network for one version of an item's medium. Numbers below 0 and nil: not known.
open class AVPlayerItemAccessLogEvent: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; there is no mutable state.

  private let entry: NetworkLog.Access

  init(_ entry: NetworkLog.Access) {
    self.entry = entry
    super.init()
  }

  /// Returns this object, since it does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The URL that answered, without credentials.
  open var uri: String? { entry.uri }
  /// The address of the server that answered last.
  open var serverAddress: String? { entry.serverAddress }
  /// How often another address answered than before.
  open var numberOfServerAddressChanges: Int { entry.addressChanges }
  /// What all entries of the item have in common.
  open var playbackSessionID: String? { entry.sessionID }
  /// When the first request was sent.
  open var playbackStartDate: Date? { entry.startDate }
  /// Where playback began, in seconds of the item. Not known here.
  open var playbackStartOffset: TimeInterval { -1 }
  /// "FILE", or "LIVE" for a stream without an end.
  open var playbackType: String? { entry.isLive ? "LIVE" : "FILE" }
  /// Requests that were sent.
  open var numberOfMediaRequests: Int { entry.requests }
  /// Bytes that came.
  open var numberOfBytesTransferred: Int64 { entry.progress.received }
  /// Seconds in which they came.
  open var transferDuration: TimeInterval { entry.progress.seconds }
  /// Bits a second in that time.
  open var observedBitrate: Double {
    entry.progress.seconds > 0 ? Double(entry.progress.received) * 8 / entry.progress.seconds : -1
  }
  /// Seconds from the first request until the item was ready.
  open var startupTime: TimeInterval { entry.startupTime }
  /// How often playback ran dry.
  open var numberOfStalls: Int { entry.stalls }
  /// Seconds for which it played.
  open var durationWatched: TimeInterval { entry.watched }

  fileprivate var fields: [(name: String, value: ExtendedLogText.Value)] {
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

  /// For media in segments; here always -1.
  open var segmentsDownloadedDuration: TimeInterval { -1 }
  /// For media in segments; here always -1.
  open var downloadOverdue: Int { -1 }
  /// For media of several bit rates; here always -1.
  open var indicatedBitrate: Double { -1 }
  /// For media of several bit rates; here always -1.
  open var indicatedAverageBitrate: Double { -1 }
  /// For media of several bit rates; here always -1.
  open var averageAudioBitrate: Double { -1 }
  /// For media of several bit rates; here always -1.
  open var averageVideoBitrate: Double { -1 }
  /// For media of several bit rates; here always -1.
  open var switchBitrate: Double { -1 }
  /// Not known here.
  open var observedMaxBitrate: Double { -1 }
  /// Not known here.
  open var observedMinBitrate: Double { -1 }
  /// Not known here.
  open var observedBitrateStandardDeviation: Double { -1 }
  /// There are no pictures.
  open var numberOfDroppedVideoFrames: Int { -1 }
  /// Which network it was is not known here.
  open var mediaRequestsWWAN: Int { -1 }
}

extension AVPlayerItem {
  /// What was asked of the network for this item; nil if nothing was.
  nonisolated public func accessLog() -> AVPlayerItemAccessLog? {
    let now = asset.loader.environment().clock.now
    return state.withLock { $0.network.first?.accesses(at: now) }.flatMap {
      $0.isEmpty ? nil : AVPlayerItemAccessLog($0)
    }
  }

  /// What went wrong on the network for this item; nil if nothing did.
  nonisolated public func errorLog() -> AVPlayerItemErrorLog? {
    state.withLock { $0.network.first?.failures }.flatMap { $0.isEmpty ? nil : AVPlayerItemErrorLog($0) }
  }
}
