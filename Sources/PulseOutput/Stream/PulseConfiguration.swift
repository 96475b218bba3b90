/// How a `PulseDevice` connects and plays. Every field has a default that suits a music player.
package struct PulseConfiguration: Hashable, Sendable {
  /// The server's address as libpulse writes it ("unix:/path", "tcp:host:port"); nil: libpulse's own rules
  /// (PULSE_SERVER, client.conf, the user's session).
  package var server: String?
  /// The sink's name; nil: the server's default sink.
  package var sink: String?
  /// Whether the named sink must be there when the first stream opens: its absence is then no error that passes. Later,
  /// and by default at once, streams fail until the sink appears.
  package var requiresSink = false
  /// What mixers call the application.
  package var applicationName = "Continuo"
  /// What mixers call the stream.
  package var streamName = "Music"
  /// An icon's name for mixers.
  package var applicationIconName: String? = "multimedia-player"
  /// How long a stream may take to open, and the server to answer, in seconds. Shorter than libpulse's own 30 s:
  /// PipeWire answers only once it has a sink, which can take for ever.
  package var replyTimeout: Double = 5
  /// How much sound lies between the source and the listener's ear, in seconds. The server may choose otherwise.
  package var bufferDuration: Double = 1
  /// How much of that the sink takes for itself, in seconds: what is heard after a flush or a start comes within
  /// this. 40 ms keeps PipeWire at its own quantum of 1024 frames (50 ms would double it, and with it the grain of
  /// its timing information).
  package var sinkDuration: Double = 0.04
  /// How much must be there before playback begins, in seconds.
  package var startThreshold: Double = 0.04

  /// How long sound takes from the sink to the listener beyond what the server knows, in seconds, 0 or more: what
  /// distributes it to other rooms has a buffer of its own.
  package var delayBehindSink: Double = 0

  /// A configuration for this server and sink.
  package init(server: String? = nil, sink: String? = nil) {
    self.server = server
    self.sink = sink
  }
}
