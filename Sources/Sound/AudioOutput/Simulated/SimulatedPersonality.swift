package import AudioCore

extension SimulatedOutput {
  /// The behaviour of a simulated device. The default is an ideal device: it connects at once, starts at
  /// once, and reports the heard frame exactly. Times are seconds since the creation of the device; durations
  /// are in seconds.
  package struct Personality: Sendable, Hashable {
    /// The number of frames that the device pulls at a time. Above 0.
    package var blockFrames = 1024
    /// The latency of a full buffer in seconds, from `render` to the listener.
    package var latency = 0.1
    /// The seconds of `latency` that a flush cannot drop, as in a sink without rewinds. They are heard before
    /// later frames.
    package var undroppable = 0.0
    /// Whether the timing reports a `replacementLead`, so that unheard frames can be replaced during playback.
    package var replacesFrames = true
    /// The seconds from a start, or from the end of a suspension, to the first heard frame.
    package var startDelay = 0.0
    /// The number of frames buffered before playback starts, also after a flush or underrun (`prebuf` in PulseAudio).
    /// Fewer suffice at the source's end, and if the buffer has no room for another block.
    package var prebufferFrames = 0
    /// Whether the device fills its buffer while stopped, as a corked stream does.
    package var rendersWhileStopped = false
    /// The relative drift of the device's clock against the host clock: 0.0001 means 100 ppm faster.
    package var clockDrift = 0.0

    /// The granularity of the reported position in frames, rounded down, as of a server's quantum; 0: exact.
    package var timingStepFrames = 0
    /// The seconds between timing updates (`timingChanged`); 0: at once. Stops and flushes update the timing
    /// too.
    package var timingInterval = 0.0
    /// The seconds by which an underflow notice (`timingChanged`) precedes the empty buffer; 0: no such
    /// notice.
    package var earlyNotice = 0.0
    /// Whether the reported rate becomes 0 when the buffer is empty. If false, it stays above 0, and no
    /// `timingChanged` is sent.
    package var acknowledgesEnd = true

    /// The seconds that connecting takes, whether it succeeds or fails.
    package var connectDelay = 0.0
    /// The number of streams, counted from the first, that fail to open; `.max` for all.
    package var failingConnections = 0
    package var connectionError = OutputError("connection refused", isRecoverable: true)

    /// The time at which the device and all its streams die; nil for never.
    package var death: Double?
    package var deathCause = OutputError.Cause.server
    /// The time from which streams can be opened again; nil for never.
    package var revival: Double?
    /// The period during which the system takes the device away; nil for none.
    package var suspension: Range<Double>?
    /// The time at which the stream is moved to another sink; nil for never.
    package var move: Double?

    /// The period during which other applications play; nil for none.
    package var otherAudio: Range<Double>?
    /// The listener's system volume, 0…1.
    package var volume: Float = 1

    package init() {}

    package init(_ change: (inout Personality) -> Void) { change(&self) }
  }
}
