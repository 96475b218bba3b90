package import AudioCore
package import MediaTime

/// What the engine knows of an item once it was opened.
package struct ItemInfo: Hashable, Sendable {
  /// The medium's own format; its sample rate is the timescale of the item's times.
  package var format: PCMFormat
  /// Its length in frames of that rate.
  package var frameCount: FrameCount
  /// Mean bits per second; 0 if that is not known.
  package var bitRate: Int
  /// What is known of it if it is a live stream: it has no length, and no places to go to.
  package var live: LiveStream?

  /// What a decoder says of its medium.
  package init(format: PCMFormat, frameCount: FrameCount, bitRate: Int = 0, live: LiveStream? = nil) {
    self.format = format
    self.frameCount = frameCount
    self.bitRate = bitRate
    self.live = live
  }

  /// What `decoder` says of its medium.
  package init(_ decoder: any AudioDecoder) {
    self.init(
      format: decoder.format, frameCount: decoder.frameCount, bitRate: decoder.bitRate, live: decoder.live)
  }

  /// The length as a time in the item's timescale; indefinite while unknown.
  package var duration: CMTime {
    guard let count = frameCount.value else { return .indefinite }
    return CMTime(value: count, timescale: CMTimeScale(format.sampleRate))
  }
}

/// What becomes of the queue at the end of an item; AVPlayer.ActionAtItemEnd.
package enum EngineActionAtItemEnd: Sendable {
  /// The item leaves the queue and the next one follows without a gap.
  case advance
  /// The rate becomes 0; the item stays.
  case pause
  /// Nothing: rate and item stay, and time runs on.
  case none
}

/// Whether sound flows; AVPlayer.TimeControlStatus with the reason for waiting.
package enum EngineTimeControl: Hashable, Sendable {
  /// The rate is 0.
  case paused
  /// It is not, but nothing sounds.
  case waiting(WaitingReason)
  /// Sound flows.
  case playing

  /// Why nothing sounds although the rate is not 0.
  package enum WaitingReason: Sendable {
    /// The queue is empty.
    case noItemToPlay
    /// The item is being opened, or the output started.
    case evaluatingBufferingRate
    /// The output is away, suspended or starved; it goes on by itself.
    case toMinimizeStalls
  }
}

/// Why the rate changed; AVPlayer.RateDidChangeReason.
package enum EngineRateReason: Sendable {
  /// Someone set it.
  case setRateCalled
  /// It could not be kept: the output is gone for good.
  case setRateFailed
  /// The item's end was reached under `EngineActionAtItemEnd.pause`.
  case itemEnded
  /// The audio session was interrupted.
  case audioSessionInterrupted
  /// The application went to the background.
  case appBackgrounded
}

/// What the engine reports, in the order in which it happened.
package enum EngineNotice: Sendable {
  /// Another item is current, or none.
  case currentItemChanged(ItemID?)
  /// The rate changed.
  case rateChanged(Float, EngineRateReason)
  /// `EngineTimeControl` changed.
  case timeControlChanged(EngineTimeControl)
  /// An item was opened.
  case itemReady(ItemID, ItemInfo)
  /// An item's length is known better now.
  case durationChanged(ItemID, ItemInfo)
  /// An item cannot be played at all. In a queue it is out of it now.
  case itemFailed(ItemID, DecodingError)
  /// An item was heard to its end.
  case playedToEnd(ItemID)
  /// An item was heard up to where it broke off.
  case failedToPlayToEnd(ItemID, DecodingError)
  /// The position jumped.
  case timeJumped(ItemID)
  /// Sound stopped because nothing came in time.
  case playbackStalled(ItemID)
  /// What is known of the current item's buffer. Not told of media whose bytes are all there.
  case bufferChanged(ItemID, BufferState)
  /// Which parts of an item are there, and where it can be entered. At most four times a second; not told of media whose
  /// bytes are all there.
  case extentChanged(ItemID, MediaExtent)
  /// The first frame was heard for which an item says this about itself, at that time of the item.
  case timedTag(ItemID, MediaTag, CMTime)
  /// A seek is over.
  case seekCompleted(@Sendable (Bool) -> Void, finished: Bool)
  /// The output could not be opened or was lost; it is tried again after so many seconds, or never for nil.
  case outputUnavailable(OutputError, retryAfter: Double?)
  /// The output is there (again); `route` names it.
  case outputOpened(route: String)
  /// An observer's queue was more than a second behind: so many steps were left out.
  case stepsCoalesced(Int64)
}

/// An item as the queue holds it.
struct ItemRecord: Sendable {
  var source: any MediaSource
  var info: ItemInfo?
  /// What is there behind `suppliedPlace`; nil before its decoder said so.
  var supply: MediaSupply?
  /// Where its decoder stood then, in seconds.
  var suppliedPlace = 0.0
  /// What was told of its buffer.
  var buffer = BufferState(.all)
  /// Which parts of it are there, as was told; nil: all.
  var extent: MediaExtent?
  /// How much is to be there ahead of the decoder.
  var readAhead = MediaReadAhead.usual
  /// It is opened before its turn.
  var isOpenedAhead = false
  /// Where it starts when its turn comes: set by a seek before it was opened. Seconds.
  var startSeconds: Double = 0
  /// Where it ends at the latest, in seconds; nil for its own end. AVPlayerItem.forwardPlaybackEndTime.
  var endSeconds: Double?
  /// The generation in which that was set. Ends that were decoded before it are those of another end time.
  var endSetIn: UInt64 = 0
  /// How its sound is made to pass faster or slower.
  var algorithm = TimePitchAlgorithm.timeDomain
  /// The generation in which it was last given to the decoder; 0 for never.
  var decodedIn: UInt64 = 0
  /// What it says about itself in frames that were decoded and not heard yet, in order.
  var tags: [TimedTag] = []
  /// What was told of that last.
  var toldTag: MediaTag?
  /// Its bits per second around what is heard.
  var bitRates = BitRateHistory()
  /// Set when decoding broke off; told when that place is heard.
  var failure: DecodingError?
}
