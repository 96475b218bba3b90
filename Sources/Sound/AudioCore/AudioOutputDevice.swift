package import Clocks

/// A source of frames: the engine's side of an output.
package protocol RenderSource: AnyObject, Sendable {
  /// Writes the next frames into `buffer`. Called by the output's thread only, never concurrently with
  /// itself. Takes no lock that is ever held for long, allocates nothing, does no I/O, calls no user code.
  ///
  /// - Parameters:
  ///   - buffer: room for whole frames, interleaved.
  ///   - firstFrame: the number of the first frame in the stream: the count of frames rendered before, or less
  ///     if rendered frames are replaced.
  /// - Returns: the number of frames written, from the buffer's start. A number below the requested one, or
  ///   0, means that no more frames are available *now*. The output then waits for
  ///   `AudioOutputStream.dataAvailable()` and need not poll.
  func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int

  /// The earlier frame at which the next call of `render` begins, in order to replace that frame and all
  /// frames after it; nil if rendering continues with the next frame. Used by streams that report a
  /// `replacementLead`; other streams ignore it. Called on the output's thread; never blocks.
  var replacedFrame: Int64? { get }

  /// A Boolean value that indicates whether all frames have been rendered, so that none follows unless the
  /// queue changes. A prebuffering output then plays the frames it has. Called on the output's thread; never
  /// blocks.
  var isAtEnd: Bool { get }
}

extension RenderSource {
  package var replacedFrame: Int64? { nil }
}

/// The playback position of an output, and its rate of change. Frames are numbered from 0 in the order they
/// were rendered, for the life of the stream. A flush makes the heard frame jump to the next frame that will
/// be rendered. A frame that replaces an earlier one takes over its number (`RenderSource.replacedFrame`).
package struct OutputTiming: Hashable, Sendable {
  /// The frame that leaves the device at `hostTime`: fractional, because it is computed and not counted.
  package var heardFrame: Double
  /// The time at which `heardFrame` is heard. After a start or a flush the time may lie slightly in the
  /// future, because the device still plays older frames. Until then `heardFrame` does not change.
  package var hostTime: HostTime
  /// The number of frames that pass in a second of host time; 0 while the position does not move (not
  /// started, paused, starved, suspended, flushing).
  package var frameRate: Double
  /// The number of frames rendered so far, an upper limit of the heard frame.
  package var renderedFrames: Int64
  /// The distance, in frames, from the heard frame to the first rendered frame that can be replaced, if the
  /// new frames arrive within milliseconds. Nil while the position does not move, or if only a flush can
  /// discard rendered frames.
  package var replacementLead: Double?

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

  /// Returns the frame heard at `time`, extrapolated from `hostTime` on and limited to the rendered frames.
  package func heardFrame(at time: HostTime) -> Double {
    let elapsed = max(0, time.seconds(since: hostTime))
    return min(heardFrame + elapsed * frameRate, max(heardFrame, Double(renderedFrames)))
  }

  /// Returns the time at which `frame` is heard at the present rate; nil while the position does not move.
  package func hostTime(ofFrame frame: Double) -> HostTime? {
    guard frameRate > 0 else { return nil }
    return hostTime.advanced(bySeconds: (frame - heardFrame) / frameRate)
  }
}

/// A failure to open an output, or the loss of one.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for people: the failed operation and the reason.
  package var message: String
  /// Whether a retry may succeed (the server is away) or not (the file cannot be written).
  package var isRecoverable: Bool
  package var cause: Cause

  /// The part of the audio system that was lost.
  package enum Cause: Hashable, Sendable {
    /// The server: the connection to it broke.
    case server
    /// The device that played the stream. The server is still reachable.
    case device
    case other
  }

  package init(_ message: String, isRecoverable: Bool, cause: Cause = .other) {
    self.message = message
    self.isRecoverable = isRecoverable
    self.cause = cause
  }

  package var description: String { message }
}

/// An event that an output reports to the engine.
package enum OutputEvent: Hashable, Sendable {
  /// The stream is connected; its timing is valid from now on. Sent once, as the first event, unless opening
  /// fails. `route` names the destination of the sound (a sink's name, a path).
  case opened(route: String)
  /// The timing no longer matches its extrapolation, because playback started, stopped, starved or resumed,
  /// or because the position was corrected.
  case timingChanged
  /// The system suspended (true) or resumed (false) the device. The stream stays open and resumes by itself.
  case suspended(Bool)
  case moved(route: String)
  /// The stream failed; no event follows. `heardFrame` is the frame heard last, rounded down to a whole number.
  case failed(OutputError, heardFrame: Int64)
}

/// A connection to a device that pulls frames from its source and plays them. All methods may be called from
/// any thread, but not from inside `render` or an event handler. The engine calls them from one worker, in
/// order, except `timing`, `isStill` and `close`. No method waits for the server.
package protocol AudioOutputStream: AnyObject, Sendable {
  /// Starts playback. May be called before `opened`; idempotent.
  func start()

  /// Pauses at the current position. Rendered frames are heard after the next `start`. Idempotent.
  func stop()

  /// Discards the frames that were rendered and not heard yet. `completion` is called once, on the output's
  /// thread, before any later `render`. Its argument is the first dropped frame; earlier frames are or will
  /// be heard. Not called if the stream fails or is closed first. A stopped stream stays stopped.
  func flush(completion: @escaping @Sendable (_ firstDroppedFrame: Int64) -> Void)

  /// Notifies the stream that the source has frames again after a short `render`, or has reached its end.
  /// Cheap if no notification was needed.
  func dataAvailable()

  /// Notifies the stream that the source has a `replacedFrame`, so that the stream renders from that frame
  /// although no frames are missing. Playback continues. Without effect on a stream without
  /// `replacementLead`.
  func replaceFrames()

  /// Sets the stream's volume, linear in amplitude, from 0 (silence) to 1 (unchanged). `muted` silences the
  /// stream at any volume. At 1.0, not muted, no sample is changed.
  func setVolume(_ volume: Float, muted: Bool)

  /// Returns the current playback position. Takes a short lock at most.
  func timing() -> OutputTiming

  /// Whether the device has carried out the last `stop`, so that no frame is heard until the next `start`,
  /// whatever happens to this process. May be read on any thread; takes the output's locks.
  var isStill: Bool { get }

  /// Closes the stream without waiting for buffered frames. No event and no `render` begins after the return; those in
  /// progress have ended. Idempotent.
  func close()
}

/// A destination for sound. Opens streams; does not depend on items and queues.
package protocol AudioOutputDevice: AnyObject, Sendable {
  /// Whether the device takes frames as fast as it gets them (a file) instead of in real time.
  var isOffline: Bool { get }

  /// Starts the slow steps that precede the opening of a stream, such as connecting. Returns at once.
  /// Optional.
  func prepare()

  /// Returns the device's volume and other activity; nil if unknown. The first call may query the server, and
  /// then waits at most `limit` seconds for the answer. Later calls return the known state at once. May be
  /// called on any thread but the output's. Optional.
  func surroundings(limit: Double) -> OutputSurroundings?

  /// Adds a handler that receives the device's surroundings, once they are known and after each change.
  /// Returns at once. `handler` is called on the output's thread or the caller's; must not block. Optional.
  func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void)

  /// Moves all streams to the destination named `name`, without losing a frame, and opens later streams
  /// there. If the destination disappears, the streams return to it once it exists again. Returns at once.
  /// May be called on any thread but the output's. Optional.
  func choose(destination name: String)

  /// Opens a stream. Returns at once; `opened` or `failed` follows through `events`, within the device's own
  /// timeout. `events` is called on the output's thread and must not block. Only a device without a thread
  /// calls `events` on the caller's thread, with `failed`, before this method returns. A device has no thread
  /// if its library is missing or the process cannot start one.
  func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream
}

extension AudioOutputDevice {
  package var isOffline: Bool { false }
  package func prepare() {}
  package func surroundings(limit: Double) -> OutputSurroundings? { nil }
  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {}
  package func choose(destination name: String) {}
}

/// The state of a device apart from the frames sent to it.
package struct OutputSurroundings: Hashable, Sendable {
  /// Whether other applications play audio.
  package var isOtherAudioPlaying: Bool
  /// The listener's volume setting for the whole device, as a slider shows it, from 0 (silence) to 1 (full).
  package var volume: Float
  /// The destinations that can be chosen; empty if there is no choice.
  package var destinations: [OutputDestination]
  /// The name of the destination of new streams; nil if it is unknown or does not exist.
  package var destination: String?

  package init(
    isOtherAudioPlaying: Bool = false, volume: Float = 1, destinations: [OutputDestination] = [],
    destination: String? = nil
  ) {
    self.isOtherAudioPlaying = isOtherAudioPlaying
    self.volume = volume
    self.destinations = destinations
    self.destination = destination
  }
}

/// A destination of a device's sound, such as a sink of a sound server.
package struct OutputDestination: Hashable, Sendable {
  /// The name, unique on the device, by which it is chosen.
  package var name: String
  /// The name for people; may equal `name`.
  package var description: String

  package init(name: String, description: String) {
    self.name = name
    self.description = description
  }
}
