extension SimulatedOutput {
  /// How a simulated device behaves. The default is the ideal device: it connects at once, starts at once, and
  /// reports the frame heard exactly.
  ///
  /// Moments are seconds since the device was made; spans are seconds.
  public struct Personality: Sendable, Hashable {
    /// Frames that the device pulls at a time. Above 0.
    public var blockFrames = 1024
    /// How much sound the device holds between `render` and the ear when its buffer is full.
    public var latency = 0.1
    /// How much of that a flush cannot take back: it is heard to its end, and what follows starts after it. (A sink
    /// that does not rewind.)
    public var undroppable = 0.0
    /// How long the device takes from a start, or the end of a suspension, until the first frame is heard.
    public var startDelay = 0.0
    /// Frames that must be rendered before sound starts, at first, after a flush and after running empty; fewer do
    /// only when the source is at its end. (PulseAudio's prebuf.)
    public var prebufferFrames = 0
    /// Whether the device fills its buffer also while it is stopped, as a corked stream does.
    public var rendersWhileStopped = false
    /// By how much the device's clock is faster than the host's: 0.0001 is 100 ppm.
    public var clockDrift = 0.0

    /// In steps of how many frames the reported position moves, lagging behind what is heard; 0 for the exact one.
    /// (A server that reports in quanta.)
    public var timingStepFrames = 0
    /// Every how many seconds the reported timing is brought up to date; `timingChanged` comes no earlier than that.
    /// A stop and a flush bring it up to date as well. 0 for at once.
    public var timingInterval = 0.0
    /// How long before the buffer is empty a `timingChanged` comes that means nothing; 0 for none. (PulseAudio's
    /// underflow notice.)
    public var earlyNotice = 0.0
    /// Whether the timing says that nothing moves when the buffer is empty. If not, it claims to move for ever and
    /// stays at the last frame, and no `timingChanged` comes.
    public var acknowledgesEnd = true

    /// How long connecting takes, also in vain.
    public var connectDelay = 0.0
    /// How many streams, counted from the first, fail to open; `.max` for all.
    public var failingConnections = 0
    /// How they fail.
    public var connectionError = OutputError("connection refused", isRecoverable: true)

    /// When the device dies, with all its streams; nil for never.
    public var death: Double?
    /// What is said to be gone then.
    public var deathCause = OutputError.Cause.server
    /// When streams can be opened again after that; nil for never.
    public var revival: Double?
    /// When the system takes the device away and gives it back; nil for never.
    public var suspension: Range<Double>?
    /// When the stream is moved to another sink; nil for never.
    public var move: Double?

    /// The ideal device.
    public init() {}

    /// A personality that differs from the ideal in what `change` does.
    public init(_ change: (inout Personality) -> Void) {
      change(&self)
    }
  }
}
