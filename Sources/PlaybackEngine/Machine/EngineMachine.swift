import AudioCore
import DequeModule
import HostTime
import MediaTime

/// The player's logic as a value: calls and reports go in, commands and deliveries come out. No threads, no locks,
/// no I/O; its holder runs what it returns once the lock is released.
///
/// The parts are in extensions, one file each: the queue, seeks, progress of what is heard, the decoder's orders,
/// the output.
struct EngineMachine: Sendable {
  // MARK: What the user wants

  var queue = PlayQueue<ItemRecord>()
  /// What left the queue by itself, in that order, until the application was told.
  var departures = Deque<Departure>()
  /// A queue player lets items go; a plain player keeps its one, also when it fails.
  let isQueuePlayer: Bool
  var actionAtItemEnd: EngineActionAtItemEnd
  var rate: Float = 0
  /// Where the output is lost or starved playback waits, and goes on by itself; else it pauses.
  var waitsToMinimizeStalling = true
  /// Seconds of an item in a second of sound: the last rate above 0.
  var speed = 1.0
  var volume: Float = 1
  var isMuted = false
  /// The application is suspended: nothing moves, nothing is told.
  private(set) var isSuspended = false
  /// Since when the player stands still; nil while it does not, and before it was to play for the first time.
  var standsSince: HostTime?

  // MARK: What is

  var schedule = ObserverSchedule()
  var timeControl = EngineTimeControl.paused
  /// The current item's place as long as nothing of it is heard, and where it stood last.
  var resting = 0.0
  /// The same in exact form when it is known so.
  var restingPosition: ItemPosition?
  /// The furthest place that anyone who asked was told: a device that corrects its timing does not take it back.
  var toldPosition: ItemPosition?
  /// Playback stopped, and the observers are to be called with the place when the device stands.
  var stopCallPending = false
  /// The current item was heard to its end (and stays, by `actionAtItemEnd`) since then.
  var endedAt: HostTime?
  /// How far time had run on behind that end at `endedAt`, in seconds.
  var overrun = 0.0
  /// The decoder works for no item at all; nothing is opened until playback is asked for once more.
  var isDecoderUnusable = false

  // MARK: Discontinuities

  /// What the decoder makes and the renderer lets through.
  var generation: UInt64 = 1
  /// What is heard belongs to the present if it is of this generation or later. Behind `generation` only while a
  /// splice keeps what the device has taken already.
  var heardGeneration: UInt64 = 1
  var cursor = DecodeCursor.empty
  var pendingSeek: PendingSeek?
  var replacement: Replacement?
  /// Until then there is silence.
  var synchronizedStart: SynchronizedStart?
  /// Silence is played up to the first frames of this generation.
  var silentGeneration: UInt64 = 0

  // MARK: The output

  var buffering = Buffering()
  /// Since when there is not enough to begin.
  var waitingSince: HostTime?
  var output = OutputState()
  /// Frames leave the device, as it was seen last.
  var isMoving = false
  /// The format that streams are opened with; set by the first item that is opened while nothing sounds.
  var format: PCMFormat?
  let isOffline: Bool

  /// What the conductor is to tell, in order.
  var deliveries: [Delivery] = []

  init(isQueuePlayer: Bool, isOffline: Bool) {
    self.isQueuePlayer = isQueuePlayer
    self.isOffline = isOffline
    actionAtItemEnd = isQueuePlayer ? .advance : .pause
  }

  /// Where the decoder stands.
  enum DecodeCursor: Hashable {
    /// At the start of the queue, whatever comes.
    case empty
    /// Waiting for the device to say what it threw away.
    case flushing
    /// To open `item` and go to that many seconds.
    case start(ItemID, DecodeStart)
    /// Inside `item`.
    case decoding(ItemID)
    /// Behind the end of `item`.
    case finished(ItemID)

    var item: ItemID? {
      switch self {
      case .empty, .flushing: nil
      case .start(let item, _), .decoding(let item), .finished(let item): item
      }
    }
  }

  /// Where an item is entered: at a time that someone asked for, or at an exact frame.
  enum DecodeStart: Hashable {
    case seconds(Double)
    /// The same, and where it is must not be estimated.
    case exactSeconds(Double)
    case frame(Int64)
  }

  /// Sound that takes the place of what the device holds: that of `generation` begins with the stream's frame `frame`.
  struct Replacement: Hashable {
    var generation: UInt64
    var frame: Int64
    /// What the device holds there; nil if an item ends there.
    var replaced: RenderedTimeline.Run?
  }

  struct PendingSeek {
    var completion: (@Sendable (Bool) -> Void)?
  }

  var current: ItemID? { queue.first }

  mutating func emit(_ notice: EngineNotice) { deliveries.append(.notice(notice)) }

  /// What is known of the current item; nil before it was opened.
  var currentInfo: ItemInfo? { current.flatMap { queue[$0]?.info } }

  /// Makes everything that was decoded and not yet heard invalid; the position stands at `seconds` of the current
  /// item until the decoder has gone to `cursor`.
  mutating func discontinue(to cursor: DecodeCursor, resting seconds: Double) {
    beginGeneration()
    self.cursor = cursor
    rest(at: seconds)
    waitingSince = nil
    buffering.waitAgain()
    output.hasMoved = false
    output.requestFlush()
  }

  /// What was decoded up to now is not to be heard.
  mutating func beginGeneration() {
    generation += 1
    heardGeneration = generation
  }

  /// Nothing of the current item is heard yet; it will begin at `seconds`.
  mutating func rest(at seconds: Double) {
    resting = seconds
    restingPosition = nil
    toldPosition = nil
    endedAt = nil
    overrun = 0
    synchronizedStart = nil
  }

  /// Stops everything where it is, or lets it go on.
  mutating func setSuspended(_ suspended: Bool, now: HostTime) {
    guard suspended != isSuspended else { return }
    settleOverrun(now: now)
    isSuspended = suspended
    lookAtStanding(now: now)
  }

  /// `seconds` as a place in an item: what is no number becomes 0, and past 300 years (10¹⁰ s; a double still tells frames
  /// of 384 kHz apart there) all places are the same.
  static func place(_ seconds: Double) -> Double {
    seconds >= 0 ? min(seconds, 1e10) : 0
  }
}
