package import AudioCore

extension SimulatedOutput {
  /// How a simulated device behaves. The default is the ideal device: it connects at once, starts at once, and
  /// reports the frame heard exactly.
  ///
  /// Moments are seconds since the device was made; spans are seconds.
  package struct Personality: Sendable, Hashable {
    /// Frames that the device pulls at a time. Above 0.
    package var blockFrames = 1024
    /// How much sound the device holds between `render` and the ear when its buffer is full.
    package var latency = 0.1
    /// How much of that a flush cannot take back: it is heard to its end, and what follows starts after it. (A sink
    /// that does not rewind.)
    package var undroppable = 0.0
    /// Whether frames that are not heard yet can be replaced while sound flows.
    package var replacesFrames = true
    /// How long the device takes from a start, or the end of a suspension, until the first frame is heard.
    package var startDelay = 0.0
    /// Frames that must be rendered before sound starts, at first, after a flush and after running empty; fewer do
    /// only when the source is at its end. (PulseAudio's prebuf.)
    package var prebufferFrames = 0
    /// Whether the device fills its buffer also while it is stopped, as a corked stream does.
    package var rendersWhileStopped = false
    /// By how much the device's clock is faster than the host's: 0.0001 is 100 ppm.
    package var clockDrift = 0.0

    /// In steps of how many frames the reported position moves, lagging behind what is heard; 0 for the exact one.
    /// (A server that reports in quanta.)
    package var timingStepFrames = 0
    /// Every how many seconds the reported timing is brought up to date; `timingChanged` comes no earlier than that.
    /// A stop and a flush bring it up to date as well. 0 for at once.
    package var timingInterval = 0.0
    /// How long before the buffer is empty a `timingChanged` comes that means nothing; 0 for none. (PulseAudio's
    /// underflow notice.)
    package var earlyNotice = 0.0
    /// Whether the timing says that nothing moves when the buffer is empty. If not, it claims to move for ever and
    /// stays at the last frame, and no `timingChanged` comes.
    package var acknowledgesEnd = true

    /// How long connecting takes, whether it succeeds or not.
    package var connectDelay = 0.0
    /// How many streams, counted from the first, fail to open; `.max` for all.
    package var failingConnections = 0
    /// How they fail.
    package var connectionError = OutputError("connection refused", isRecoverable: true)

    /// When the device dies, with all its streams; nil for never.
    package var death: Double?
    /// What is said to be gone then.
    package var deathCause = OutputError.Cause.server
    /// When streams can be opened again after that; nil for never.
    package var revival: Double?
    /// When the system takes the device away and gives it back; nil for never.
    package var suspension: Range<Double>?
    /// When the stream is moved to another sink; nil for never.
    package var move: Double?

    /// When other applications sound; nil for never.
    package var otherAudio: Range<Double>?
    /// The volume that the listener has set for everything, from 0 to 1.
    package var volume: Float = 1

    /// The ideal device.
    package init() {}

    /// A personality that differs from the ideal in what `change` does.
    package init(_ change: (inout Personality) -> Void) {
      change(&self)
    }
  }
}
