/// The connection and playback settings of a `PulseDevice`. All defaults suit a music player.
package struct PulseConfiguration: Hashable, Sendable {
  /// The server's address in libpulse's notation ("unix:/path", "tcp:host:port"); nil: libpulse's own rules
  /// (PULSE_SERVER, client.conf, the user's session).
  package var server: String?
  /// The sink's name; nil: the server's default sink.
  package var sink: String?
  /// Whether the named sink must exist when the first stream opens, so that its absence is a permanent error.
  /// Otherwise, and for later streams, opening fails until the sink appears.
  package var requiresSink = false
  package var applicationName = "Continuo"
  package var streamName = "Music"
  package var applicationIconName: String? = "multimedia-player"
  /// The timeout in seconds for opening a stream and for server replies. Shorter than libpulse's own 30 s,
  /// because PipeWire answers only once it has a sink, which may never happen.
  package var replyTimeout: Double = 5
  /// The requested latency from the source to the listener in seconds. The server may choose another value.
  package var bufferDuration: Double = 1
  /// The sink's share of that latency in seconds; sound after a flush or a start is heard within this time.
  /// 40 ms keeps PipeWire at its own quantum of 1024 frames. 50 ms would double the quantum, and with it the
  /// granularity of its timing information.
  package var sinkDuration: Double = 0.04
  /// The buffered seconds required before playback starts.
  package var startThreshold: Double = 0.04

  /// The latency after the sink in seconds, 0 or more, unknown to the server: for example the buffer of a
  /// system that distributes the sound to other rooms.
  package var delayBehindSink: Double = 0

  package init(server: String? = nil, sink: String? = nil) {
    self.server = server
    self.sink = sink
  }
}
