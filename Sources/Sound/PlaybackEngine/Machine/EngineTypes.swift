package import AudioCore
package import MediaTime

/// The information about an opened item.
package struct ItemInfo: Hashable, Sendable {
  /// The medium's own format; its sample rate is the timescale of the item's times.
  package var format: PCMFormat
  /// The length in frames at the medium's sample rate.
  package var frameCount: FrameCount
  /// The mean bit rate in bits per second; 0 if unknown.
  package var bitRate = 0
  /// The live-stream properties; nil for other media. A live stream has no length and is not seekable.
  package var live: LiveStream?

  /// The length as a time in the item's timescale; indefinite while unknown.
  package var duration: CMTime {
    guard let count = frameCount.value else { return .indefinite }
    return CMTime(value: count, timescale: CMTimeScale(format.sampleRate))
  }
}

extension ItemInfo {
  package init(_ decoder: any AudioDecoder) {
    self.init(
      format: decoder.format, frameCount: decoder.frameCount, bitRate: decoder.bitRate, live: decoder.live)
  }
}

/// The action at the end of an item. Corresponds to AVPlayer.ActionAtItemEnd.
package enum EngineActionAtItemEnd: Sendable {
  /// Removes the item from the queue; the next one follows without a gap.
  case advance
  /// Sets the rate to 0; the item stays.
  case pause
  /// No action: rate and item stay, and time advances further.
  case none
}

/// The playback state. Corresponds to AVPlayer.TimeControlStatus, with the reason for waiting.
package enum EngineTimeControl: Hashable, Sendable {
  case paused
  /// The rate is not 0, but no sound plays.
  case waiting(WaitingReason)
  /// Frames leave the device, apart from brief interruptions, or time advances after the item's end. Suspension
  /// does not change the state.
  case playing

  /// The reason why no sound plays although the rate is not 0.
  package enum WaitingReason: Sendable {
    case noItemToPlay
    /// The item is being opened or loaded, or the output is starting.
    case evaluatingBufferingRate
    /// The output is lost, suspended or starved, or a start takes longer than a second to load; playback
    /// resumes automatically.
    case toMinimizeStalls
  }
}

/// The cause of a rate change. Corresponds to AVPlayer.RateDidChangeReason.
package enum EngineRateReason: Sendable {
  case setRateCalled
  /// The rate could not be kept, for example because the output failed permanently.
  case setRateFailed
  /// The item's end was reached under `EngineActionAtItemEnd.pause`.
  case itemEnded
  case audioSessionInterrupted
  case appBackgrounded
}

/// A report of the engine to its owner.
package enum EngineNotice: Sendable {
  /// The current item changed, or the application's value of it was outdated; nil if the queue is empty.
  case currentItemChanged(ItemID?)
  case rateChanged(Float, EngineRateReason)
  case timeControlChanged(EngineTimeControl)
  case itemReady(ItemID, ItemInfo)
  /// An item's length became known more precisely.
  case durationChanged(ItemID, ItemInfo)
  /// An item cannot be opened, or cannot be played from the wanted position. A queue player has removed it
  /// from the queue, unless the error affects the whole engine.
  case itemFailed(ItemID, DecodingError)
  /// An item was heard to its end.
  case playedToEnd(ItemID)
  /// An item was heard up to a decoding error.
  case failedToPlayToEnd(ItemID, DecodingError)
  /// The position jumped, for example after a seek.
  case timeJumped(ItemID)
  /// Sound stopped because of an underrun or because the output was lost.
  case playbackStalled(ItemID)
  /// The buffer state changed. Reported for the current item only, and never for media that need not be
  /// loaded.
  case bufferChanged(ItemID, BufferState)
  /// The loaded ranges changed. Reported at most four times a second, and never for media that need not be
  /// loaded.
  case extentChanged(ItemID, MediaExtent)
  /// The first frame of a tag was heard, at that time of the item.
  case timedTag(ItemID, MediaTag, CMTime)
  /// A seek ended; the handler is to be called with `finished`.
  case seekCompleted(@Sendable (Bool) -> Void, finished: Bool)
  /// The output failed to open or was lost. `retryAfter` is the delay before the next attempt, in seconds;
  /// nil if no attempt follows.
  case outputUnavailable(OutputError, retryAfter: Double?)
  /// The output was opened or moved; `route` names its destination.
  case outputOpened(route: String)
  /// The texts of an item's ReplayGain tags that are ignored because their values are out of range.
  case replayGainIgnored(ItemID, [String])
  /// An observer's queue was more than one second late, so this number of steps was dropped.
  case stepsCoalesced(Int64)
}

/// The engine's record of an item in the queue.
///
/// No field is an existential stored inline, because with one Swift 6.3.1 copies the whole record for each
/// read.
struct ItemRecord: Sendable {
  final class Medium: Sendable {
    let source: any MediaSource
    init(_ source: any MediaSource) { self.source = source }
  }

  let medium: Medium
  var info: ItemInfo?
  /// The media available after `suppliedPlace`; nil before the decoder's first report.
  var supply: MediaSupply?
  /// The decoder's position at the report of `supply`, in seconds.
  var suppliedPlace = 0.0
  /// The last reported buffer state.
  var buffer = BufferState(.all)
  /// The last reported loaded ranges; nil without a report, as for an item that is completely available.
  var extent: MediaExtent?
  /// The amount to buffer ahead of the decoder.
  var readAhead = MediaReadAhead.usual
  /// Whether the item is opened ahead of its turn.
  var isOpenedAhead = false
  /// The start position in seconds, for example set by a seek before the item was opened.
  var startSeconds = 0.0
  /// The latest end in seconds; nil for the item's own end. Corresponds to
  /// AVPlayerItem.forwardPlaybackEndTime.
  var endSeconds: Double?
  /// The generation that began when `endSeconds` changed after the item was decoded; 0 for none. End marks of
  /// earlier generations are outdated.
  var endSetIn: UInt64 = 0
  var algorithm = TimePitchAlgorithm.timeDomain
  /// The volume over the item's time.
  var mix = ItemMix()
  /// The generation in which the item was last decoded; 0 for never.
  var decodedIn: UInt64 = 0
  /// The tags of frames that are decoded and not heard yet, in order.
  var tags: [TimedTag] = []
  /// The last reported tag.
  var toldTag: MediaTag?
  /// The bit rates around the heard position.
  var bitRates = BitRateHistory()
  /// The decoding error, reported when its position is heard; or, in a plain player, an error already reported
  /// by `itemFailed`.
  var failure: DecodingError?
}
