/// The connection and playback settings of a `PulseDevice`. All defaults suit a music player.
package struct PulseConfiguration: Hashable, Sendable {
  /// The server ("unix:/path", "tcp:host:port"); nil for libpulse's rules (PULSE_SERVER, client.conf,
  /// session).
  package var server: String?
  /// The sink's name; nil for the server's default sink.
  package var sink: String?
  /// Whether a missing sink is a permanent error until a stream has opened. After that the error is
  /// temporary.
  package var requiresSink = false
  package var applicationName = "Continuo"
  package var streamName = "Music"
  package var applicationIconName: String? = "multimedia-player"
  /// The timeout in seconds for opening a stream and for server replies. Shorter than libpulse's own 30 s,
  /// because PipeWire answers only once it has a sink, which may never happen.
  package var replyTimeout: Double = 5
  /// The requested latency from the source to the listener in seconds. The server may choose another value.
  package var bufferDuration: Double = 1
  /// The sink's share of `bufferDuration`, in seconds, limited to a quarter of the total. Sound after a flush or a
  /// start is heard within this time. 40 ms keeps PipeWire at its own quantum of 1024 frames. 50 ms would double
  /// the quantum, and with it the granularity of PipeWire's timing information.
  package var sinkDuration: Double = 0.04
  /// The buffered seconds required before playback starts.
  package var startThreshold: Double = 0.04

  /// The latency after the sink, in seconds, which the server does not know, for example of a multi-room
  /// system.
  package var delayBehindSink: Double = 0

  package init(server: String? = nil, sink: String? = nil) {
    self.server = server
    self.sink = sink
  }
}
