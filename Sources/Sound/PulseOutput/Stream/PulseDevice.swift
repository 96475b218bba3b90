package import AudioCore
package import Clocks
import Synchronization

/// An output device of PulseAudio, or of PipeWire's PulseAudio server. All streams share one connection,
/// opened by the first method that needs it, and again after the server has died. Methods are thread-safe.
/// Except `probe` and `surroundings`, they wait only for libpulse's main loop, which is never busy for longer
/// than one `render` or event handler.
package final class PulseDevice: AudioOutputDevice {
  private let configuration: PulseConfiguration
  let connection: PulseConnection
  private let keeper: ServerKeeper?
  private let neighbours: PulseSurroundings

  /// The reason why libpulse cannot be used; nil if it can.
  package var unavailability: String? { connection.calls.unavailability }

  /// Creates a device for a server and a sink. Starts one idle thread, or two with a private server, but does
  /// not connect yet. Opens libpulse, which blocks on the disk.
  ///
  /// - Parameters:
  ///   - privateServer: the server to use instead of the configured one. The device retains it, and restarts
  ///     it after its death, unless `PrivatePulseServer.stop()` has ended it.
  ///   - configuration: the connection and playback settings.
  ///   - clock: the clock of `timing()`. It must run in real time, as the server does.
  package convenience init(
    privateServer: PrivatePulseServer? = nil, configuration: PulseConfiguration = PulseConfiguration(),
    clock: any HostClock
  ) {
    var configuration = configuration
    if let privateServer { configuration.server = privateServer.address }
    self.init(
      configuration: configuration, clock: clock, calls: LivePulseCalls(),
      keeper: privateServer.map { ServerKeeper($0, clock: clock) })
  }

  init(
    configuration: PulseConfiguration, clock: any HostClock, calls: any PulseCalls,
    keeper: ServerKeeper? = nil, lookUp: @escaping @Sendable (String) -> String? = ServerNames.lookUp
  ) {
    self.configuration = configuration
    self.keeper = keeper
    connection = PulseConnection(
      configuration: configuration, clock: clock, calls: calls, lookUp: lookUp
    ) { keeper?.look() }
    neighbours = PulseSurroundings(connection: connection)
  }

  deinit {
    neighbours.end()
    connection.retire()
  }

  /// Starts connecting ahead of the first stream, which reports any errors.
  package func prepare() { connection.withLock { _ = connection.connect() } }

  /// Returns whether the server accepts a connection. Blocks the caller until the server has answered, at
  /// most `limit` seconds; a local refusal takes about 1 ms. Starts no server. The first stream uses the
  /// connection.
  package func probe(limit: Double) -> Bool { ConnectionProbe(connection).isAnswered(within: limit) }

  /// Returns whether other clients of the server play, the volume of the chosen or default sink, and the server's
  /// sinks; see `AudioOutputDevice`. The first call connects if necessary; after that the server reports changes.
  package func surroundings(limit: Double) -> OutputSurroundings? { neighbours.current(limit: limit) }

  /// Moves all streams to a sink; see `AudioOutputDevice`. From then on the server reports changes, so that
  /// streams can return to the sink.
  package func choose(destination name: String) {
    connection.withLock { connection.choose(sink: name) }
    neighbours.watch()
  }

  /// Calls `handler` with the first known surroundings and with each change; see `AudioOutputDevice`.
  /// Connects if necessary. After a refusal the next call of this method or of `surroundings` retries.
  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    neighbours.follow(handler)
  }

  /// Opens a stream on the configured or last chosen sink. `opened` or `failed` follows within `replyTimeout` seconds.
  /// `events` and the source's `render` are called on the connection's thread with libpulse's lock held. They
  /// may take a short lock, but that lock must never be held during a call of a stream's or device's method.
  /// Without libpulse or without that thread, `events` is called with `failed` on the caller's thread.
  package func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream {
    keeper?.look()
    let stream = PulseStream(
      connection: connection, configuration: configuration, format: format, source: source,
      events: events)
    stream.open()
    return PulseOutputStream(stream)
  }
}

/// The engine's handle, whose release closes the stream. The connection retains the stream while callbacks
/// may come.
final class PulseOutputStream: AudioOutputStream {
  private let stream: PulseStream

  init(_ stream: PulseStream) { self.stream = stream }
  deinit { stream.close() }

  func start() { stream.start() }
  func stop() { stream.stop() }
  func flush(completion: @escaping @Sendable (Int64) -> Void) { stream.flush(completion: completion) }
  func dataAvailable() { stream.dataAvailable() }
  func replaceFrames() { stream.replaceFrames() }
  func setVolume(_ volume: Float, muted: Bool) { stream.setVolume(volume, muted: muted) }
  func timing() -> OutputTiming { stream.timing() }
  var isStill: Bool { stream.isStill }
  func close() { stream.close() }
}
