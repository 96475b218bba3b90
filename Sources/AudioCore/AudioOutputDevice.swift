package import HostTime

/// The engine's side of an output: where the frames come from.
package protocol RenderSource: AnyObject, Sendable {
  /// Takes the next frames. Called by the output's thread only, never concurrently with itself; takes no lock that
  /// anyone holds for long, allocates nothing, does no I/O, calls no user code.
  ///
  /// - Parameters:
  ///   - buffer: room for whole frames, interleaved.
  ///   - firstFrame: the stream's number of the first frame: the count of frames handed out before.
  /// - Returns: how many frames were written, from the buffer's start; fewer than asked for, or 0, when there is
  ///   nothing more *now*. The output then waits for `AudioOutputStream.dataAvailable()` and need not poll.
  func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int

  /// The frame that the next call of `render` is to begin with, if that is one that was rendered before: the source has
  /// other sound for that place and for all behind it. Only for streams that know a `replacementLead`; others let
  /// it be. Output's thread; never blocks.
  var replacedFrame: Int64? { get }

  /// Whether nothing will follow what was rendered unless the queue is changed. An output that holds frames back
  /// until it has more of them (prebuffering) then lets them go. Output's thread; never blocks.
  var isAtEnd: Bool { get }
}

extension RenderSource {
  /// Nil: everything is rendered once.
  package var replacedFrame: Int64? { nil }
}

/// What a listener hears, and how that moves.
///
/// Frames are numbered from 0 in the order they were rendered, for the life of the stream; a flush makes the heard
/// frame jump to the next one that will be rendered. A frame that takes the place of one rendered before takes over its
/// number too (`RenderSource.replacedFrame`).
package struct OutputTiming: Hashable, Sendable {
  /// The frame that leaves the device at `hostTime`: fractional, because it is computed and not counted.
  package var heardFrame: Double
  /// When that is. It may lie a little ahead (after a start or a flush the device still holds something else): until
  /// then the heard frame stands here.
  package var hostTime: HostTime
  /// How many frames pass in a second of host time; 0 while nothing moves (not started, paused, starved, suspended,
  /// flushing).
  package var frameRate: Double
  /// Frames rendered so far: the heard frame never passes this.
  package var renderedFrames: Int64
  /// How many frames behind the heard one other sound can take the place of what was rendered, if it comes within some
  /// milliseconds; nil where nothing moves, or nothing can be changed any more except by a flush.
  package var replacementLead: Double?

  /// A timing with these properties.
  package init(
    heardFrame: Double, hostTime: HostTime, frameRate: Double, renderedFrames: Int64,
    replacementLead: Double? = nil
  ) {
    self.heardFrame = heardFrame
    self.hostTime = hostTime
    self.frameRate = frameRate
    self.renderedFrames = renderedFrames
    self.replacementLead = replacementLead
  }

  /// The frame heard at `time`, extrapolated from `hostTime` on and limited to what was rendered.
  package func heardFrame(at time: HostTime) -> Double {
    let elapsed = max(0, time.seconds(since: hostTime))
    return min(heardFrame + elapsed * frameRate, max(heardFrame, Double(renderedFrames)))
  }

  /// When `frame` is heard if nothing changes; nil while nothing moves.
  package func hostTime(ofFrame frame: Double) -> HostTime? {
    guard frameRate > 0 else { return nil }
    return hostTime.advanced(bySeconds: (frame - heardFrame) / frameRate)
  }
}

/// Why an output could not be had or was lost.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for a person: what failed and why.
  package var message: String
  /// Whether trying again later makes sense (the server is away) or not (the file cannot be written).
  package var isRecoverable: Bool
  /// What is gone, as far as that is known.
  package var cause: Cause

  /// What is gone when an output is lost.
  package enum Cause: Hashable, Sendable {
    /// The server: its connection broke.
    case server
    /// The device that sound went to; the server is there.
    case device
    /// Something else, or nobody knows.
    case other
  }

  /// An error with these properties.
  package init(_ message: String, isRecoverable: Bool, cause: Cause = .other) {
    self.message = message
    self.isRecoverable = isRecoverable
    self.cause = cause
  }

  /// `message`.
  package var description: String { message }
}

/// What an output tells the engine.
package enum OutputEvent: Hashable, Sendable {
  /// The stream is connected and stopped; its timing is valid from now on. Sent once, first. `route` names where
  /// sound goes (a sink's name, a path).
  case opened(route: String)
  /// `timing` no longer continues the line it was on: started, stopped, starved, resumed, corrected.
  case timingChanged
  /// The system took the device away (true) or gave it back (false); the stream stays and goes on by itself.
  case suspended(Bool)
  /// The stream now plays somewhere else.
  case moved(route: String)
  /// The stream is dead; nothing follows. `heardFrame` is what was heard last, in whole frames.
  case failed(OutputError, heardFrame: Int64)
}

/// One connection to a device: it pulls frames from its source and plays them.
///
/// All methods may be called from any thread (the engine calls them from one worker, in order) but not from
/// inside `render` or an event handler; none waits for the server.
package protocol AudioOutputStream: AnyObject, Sendable {
  /// Lets sound flow. Also before `opened`; idempotent.
  func start()

  /// Stops sound where it is; what was rendered stays and is heard after the next `start`. Idempotent.
  func stop()

  /// Throws away what was rendered and is not heard yet. `completion` is called once, on the output's thread, with
  /// the first frame that was dropped (frames before it are or will be heard), before any later `render`; it is
  /// not called if the stream fails or is closed first. A stopped stream stays stopped.
  func flush(completion: @escaping @Sendable (_ firstDroppedFrame: Int64) -> Void)

  /// The source has frames again after a short `render`, or has come to its end. Cheap when there is no need.
  func dataAvailable()

  /// The source has a `replacedFrame`: to be asked for now, although nothing is missing. Sound that flows goes on
  /// meanwhile. Without effect on a stream that knows no `replacementLead`.
  func replaceFrames()

  /// Sets the stream's volume: 0 silence … 1 unchanged, linear in amplitude; `muted` silences it whatever that is.
  /// At 1.0, not muted, no sample is changed.
  func setVolume(_ volume: Float, muted: Bool)

  /// What is heard. Short lock at most.
  func timing() -> OutputTiming

  /// Ends the stream at once; no event and no `render` begins after the return. Idempotent.
  func close()
}

/// Where sound can go. Opens streams; knows nothing of items and queues.
package protocol AudioOutputDevice: AnyObject, Sendable {
  /// Whether the device takes frames as fast as it gets them (a file) instead of in real time.
  var isOffline: Bool { get }

  /// Starts whatever takes time before a stream can be opened (connecting); returns at once. Optional.
  func prepare()

  /// What else is to be known of the device now; nil if that is not known. The first call may ask, and then waits at
  /// most `limit` seconds for the answer; later ones return at once with what is known by then. Any thread but the
  /// output's. Optional.
  func surroundings(limit: Double) -> OutputSurroundings?

  /// From now on calls `handler`, and no earlier one, with what is to be known of the device: when that is known first,
  /// and whenever it has changed. Returns at once. `handler` is called on the output's thread or the caller's and must
  /// not block. Optional.
  func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void)

  /// Opens a stream. Returns at once; `opened` or `failed` follows through `events`, within the device's own time
  /// limit. `events` is called on the output's thread and must not block.
  func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream
}

extension AudioOutputDevice {
  /// False: in real time.
  package var isOffline: Bool { false }
  /// Does nothing.
  package func prepare() {}
  /// Nil: not known.
  package func surroundings(limit: Double) -> OutputSurroundings? { nil }
  /// Does nothing: they are not known.
  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {}
}
