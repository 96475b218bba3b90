import AudioCore
import Clocks
import DequeModule
import MediaTime

/// The engine's logic as a value: inputs are calls and reports, outputs are commands and deliveries. No
/// threads, no locks, no I/O; the owner executes the outputs after it has released the lock.
struct EngineMachine: Sendable {
  // MARK: User settings

  var queue = PlayQueue<ItemRecord>()
  /// The items that left the queue automatically, in order, until the application is notified.
  var departures = Deque<Departure>()
  /// Whether failed items leave the queue, and by default ended ones. A plain player keeps its one item, even if
  /// that fails.
  let isQueuePlayer: Bool
  var actionAtItemEnd: EngineActionAtItemEnd
  var rate: Float = 0
  /// Whether playback resumes automatically after the output is lost or starved; otherwise it pauses.
  var waitsToMinimizeStalling = true
  /// The last rate above 0, in seconds of media per second of output.
  var speed = 1.0
  var volume: Float = 1
  var isMuted = false
  /// The ReplayGain level that the decode worker applies; nil for none.
  var replayGain: ReplayGain.Kind?
  /// Whether the application is suspended: no sound, no deliveries.
  private(set) var isSuspended = false
  /// The time since which playback is paused or suspended; nil if it is neither, or before the first play request
  /// or suspension.
  var standsSince: HostTime?

  // MARK: Playback state

  var schedule = ObserverSchedule()
  var timeControl = EngineTimeControl.paused
  /// The current item's position in seconds at the last update; the start or the jump's target until frames
  /// are heard.
  var resting = 0.0
  /// The exact form of `resting`; nil if unknown.
  var restingPosition: ItemPosition?
  /// The latest position returned to any caller since the last jump; nil if none was. Corrected timing does not
  /// move the position back.
  var toldPosition: ItemPosition?
  /// Whether the observers' call with the exact position is pending until the device has stopped.
  var stopCallPending = false
  /// The time at which the current item was heard to its end or failed, or the later time at which `overrun`
  /// was updated, while the item remains current; nil otherwise.
  var endedAt: HostTime?
  /// The seconds that time had advanced after the item's end at `endedAt`.
  var overrun = 0.0
  /// Whether the decoder failed for all items; no item is opened until playback is requested again.
  var isDecoderUnusable = false

  // MARK: Discontinuities

  /// The generation of the frames that the decoder produces and the renderer accepts.
  var generation: UInt64 = 1
  /// The oldest generation whose frames count when heard. Lower than `generation` from a splice or a
  /// replacement until the frames taken before were heard and new ones were taken.
  var heardGeneration: UInt64 = 1
  var cursor = DecodeCursor.empty
  var pendingSeek: PendingSeek?
  var replacement: Replacement?
  /// The pending synchronized start; silence plays until then.
  var synchronizedStart: SynchronizedStart?
  /// Silence plays until the first frames of this generation.
  var silentGeneration: UInt64 = 0

  // MARK: Output

  var buffering = Buffering()
  /// The time at which the present start began to wait for data or for the item to be opened; nil if it has
  /// not.
  var waitingSince: HostTime?
  var output = OutputState()
  /// Whether frames left the device at the last check.
  var isMoving = false
  /// The format of new streams; nil before the first item is opened. Set by that item and, unless the output is
  /// offline, by each current item that is opened while no sound plays.
  var format: PCMFormat?
  let isOffline: Bool

  /// The deliveries that result from the present change, in order.
  var deliveries = Deque<Delivery>()

  /// Whether sound plays, so that nothing but steps, tags and the end of the heard run can be due before the next
  /// change. Set by `conduct`, reset by the owner before each other change.
  var isSteady = false

  init(isQueuePlayer: Bool, isOffline: Bool) {
    self.isQueuePlayer = isQueuePlayer
    self.isOffline = isOffline
    actionAtItemEnd = isQueuePlayer ? .advance : .pause
  }

  /// The decoder's position in the queue.
  enum DecodeCursor: Hashable {
    /// The start of the queue, whichever item comes first.
    case empty
    /// Waiting for the device to report which frames it discarded.
    case flushing
    /// Opening `item` and seeking to the given start of decoding.
    case start(ItemID, DecodeStart)
    case decoding(ItemID)
    case finished(ItemID)

    var item: ItemID? {
      switch self {
      case .empty, .flushing: nil
      case .start(let item, _), .decoding(let item), .finished(let item): item
      }
    }
  }

  enum DecodeStart: Hashable {
    case seconds(Double)
    /// A time whose position must not be estimated.
    case exactSeconds(Double)
    case frame(Int64)
  }

  /// New frames that replace frames held by the device: `generation` begins with the stream's frame `frame`.
  struct Replacement: Hashable {
    var generation: UInt64
    var frame: Int64
    /// The run before `frame`, whose continuation is replaced; nil without such a run, if an item ends there, or
    /// for silence.
    var replaced: RenderedTimeline.Run?
  }

  struct PendingSeek {
    var completion: (@Sendable (Bool) -> Void)?
  }

  var current: ItemID? { queue.first }

  /// The start of decoding at the resting position.
  var restingStart: DecodeStart { restingPosition.map { .frame($0.frame) } ?? .seconds(resting) }

  mutating func emit(_ notice: EngineNotice) { deliveries.append(.notice(notice)) }

  /// The information about the current item; nil before it was opened.
  var currentInfo: ItemInfo? { current.flatMap { queue.read($0) { $0.info } } }

  /// Whether the current item could not be opened. A plain player keeps such an item, which stays failed.
  var hasFailedToOpen: Bool { currentInfo == nil && current.flatMap { queue.read($0) { $0.failure } } != nil }

  /// The current item's sample rate in frames per second; nil before it was opened. Inlined, as a call from a
  /// mutating method copies the whole machine.
  @inline(__always)
  var itemRate: Int? {
    guard let current else { return nil }
    return queue.read(current) { $0.info?.format.sampleRate }
  }

  /// Invalidates all frames that are decoded and not yet heard, and moves the decoder to `cursor`. The
  /// position rests at `seconds` of the current item until new frames are heard.
  mutating func discontinue(to cursor: DecodeCursor, resting seconds: Double) {
    beginGeneration()
    self.cursor = cursor
    rest(at: seconds)
    waitingSince = nil
    buffering.waitAgain()
    output.hasMoved = false
    output.requestFlush()
  }

  /// Discards everything decoded so far by starting a new generation.
  mutating func beginGeneration() {
    generation += 1
    heardGeneration = generation
  }

  /// Sets the current item's position to `seconds`, with no frame heard yet.
  mutating func rest(at seconds: Double) {
    resting = seconds
    restingPosition = nil
    toldPosition = nil
    endedAt = nil
    overrun = 0
    synchronizedStart = nil
  }

  mutating func setSuspended(_ suspended: Bool, now: HostTime) {
    guard suspended != isSuspended else { return }
    settleOverrun(now: now)
    isSuspended = suspended
    if !suspended, rate != 0, !isOffline {
      lookAtBuffer()
      // The silence until the output has started again is not starvation.
      output.tryAnew()
    }
    lookAtStanding(now: now)
  }

  /// Returns `seconds` as a valid position: NaN and negative values become 0, and values above 10¹⁰ s (300
  /// years) become that limit. Up to there a double still distinguishes frames at 384 kHz.
  static func place(_ seconds: Double) -> Double {
    seconds >= 0 ? min(seconds, 1e10) : 0
  }
}
