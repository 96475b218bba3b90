package import AudioCore
package import HostTime
import Synchronization

/// PulseAudio (or PipeWire's PulseAudio server) as an output device.
///
/// One connection for all its streams, made by `prepare()` or the first `makeStream`, and again after the server
/// has died. Methods may be called from any thread and wait for nothing but libpulse's main loop, which is never held
/// for longer than one `render` or event handler.
package final class PulseDevice: AudioOutputDevice {
  private let configuration: PulseConfiguration
  let connection: PulseConnection
  private let keeper: ServerKeeper?
  private let neighbours: PulseSurroundings

  /// A device on that server and sink. Nothing is connected yet; one idle thread is started.
  ///
  /// - Parameter clock: what `timing()` counts in. It must run in real time: the server does.
  package convenience init(configuration: PulseConfiguration = PulseConfiguration(), clock: any HostClock) {
    self.init(configuration: configuration, clock: clock, calls: LivePulseCalls())
  }

  /// A device on a private server, which is started again when it has died: by itself, or by `kill`. The server is kept
  /// as long as the device.
  ///
  /// - Parameters:
  ///   - configuration: `server` is replaced by the private one's address.
  ///   - clock: as above.
  package convenience init(
    privateServer: PrivatePulseServer, configuration: PulseConfiguration = PulseConfiguration(),
    clock: any HostClock
  ) {
    var configuration = configuration
    configuration.server = privateServer.address
    self.init(
      configuration: configuration, clock: clock, calls: LivePulseCalls(),
      keeper: ServerKeeper(privateServer, clock: clock))
  }

  /// A device on anything that behaves like libpulse.
  init(
    configuration: PulseConfiguration, clock: any HostClock, calls: any PulseCalls,
    keeper: ServerKeeper? = nil, lookUp: @escaping @Sendable (String) -> String? = ServerNames.lookUp
  ) {
    self.configuration = configuration
    self.keeper = keeper
    connection = PulseConnection(
      configuration: configuration, clock: clock, calls: calls, lookUp: lookUp
    ) { keeper?.look() }
    neighbours = PulseSurroundings(connection: connection, sink: configuration.sink)
  }

  deinit {
    neighbours.end()
    connection.retire()
  }

  /// Begins to connect, so that this overlaps with whatever comes before the first stream. Errors are kept for that.
  package func prepare() { connection.withLock { _ = connection.connect() } }

  /// Whether the server answers: blocks the caller until it has accepted or refused the connection, at most `limit`
  /// seconds. A refusal takes about a millisecond. Starts no server. Where it answers, the connection stays and the
  /// first stream finds it.
  package func probe(limit: Double) -> Bool { ConnectionProbe(connection).isAnswered(within: limit) }

  /// Whether other clients of the server play, and the volume of the configured sink; see `AudioOutputDevice`. The first
  /// call connects, if nobody has; from then on the server tells of changes.
  package func surroundings(limit: Double) -> OutputSurroundings? { neighbours.current(limit: limit) }

  /// Tells of them as the server does; see `AudioOutputDevice`. Connects, if nobody has. Where that is refused, the next
  /// call of this or of `surroundings` tries again.
  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    neighbours.follow(handler)
  }

  /// Opens a stream on the configured sink. `opened` or `failed` comes within `replyTimeout` seconds.
  ///
  /// `events` and the source's `render` are called on the connection's thread with libpulse's lock held: they may
  /// take a short lock, but that lock must never be held while a method of a stream or device is called.
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

/// What the engine holds of a stream. The stream itself is held by its connection while callbacks may come; dropping
/// this closes it.
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
  func close() { stream.close() }
}
