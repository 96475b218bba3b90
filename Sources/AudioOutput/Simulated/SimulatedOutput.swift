package import AudioCore
package import HostTime
import Synchronization

/// A device that exists only in time: it pulls frames, holds them, lets them be heard at the rate of a clock and
/// keeps a record of what a listener would have heard and when.
///
/// Over `SystemClock` it plays in real time to nobody; over `VirtualClock` it makes every moment of an output's
/// life repeatable. Its `Personality` makes it a bad device, so that what uses outputs can be tested with everything that
/// real ones do.
///
/// A device that has run empty stands still and goes on when frames come, as PulseAudio does with prebuffering.
package final class SimulatedOutput: AudioOutputDevice {
  private struct Streams {
    var opened = 0
    var cores: [WeakCore] = []
  }

  private struct WeakCore {
    weak var core: SimulatedStreamCore?
    let number: Int
  }

  private let clock: any HostClock
  private let personality: Personality
  private let tape: SimulatedTape
  private let created: HostTime
  private let streams = Mutex(Streams())
  private let listener: Mutex<Listener>

  /// What is to be known of the device beside its sound, and who is told of it.
  private struct Listener {
    var volume: Float
    var told: OutputSurroundings?
    var handler: (@Sendable (OutputSurroundings) -> Void)?
    /// Looks when other applications begin and end.
    var worker: (any Worker)?
  }

  /// A device on `clock`'s time.
  ///
  /// - Parameters:
  ///   - clock: what passes for real time.
  ///   - personality: how the device behaves.
  ///   - recordsSound: whether samples are kept in `recording`. Without, memory stays the same however long it plays.
  package init(clock: any HostClock, personality: Personality = Personality(), recordsSound: Bool = true) {
    precondition(personality.blockFrames > 0, "a device pulls at least one frame at a time")
    self.clock = clock
    self.personality = personality
    self.tape = SimulatedTape(recordsSound: recordsSound)
    self.created = clock.now
    listener = Mutex(Listener(volume: personality.volume))
  }

  deinit { listener.withLock { $0.worker }?.cancel() }

  /// What a listener has heard up to now. Any thread; copies nothing until it is changed.
  package var recording: Recording {
    for stream in streams.withLock({ $0.cores }) { stream.core?.catchUp() }
    return tape.recording
  }

  /// What the personality says of this moment, and the volume that was set last. Any thread; never waits.
  package func surroundings(limit: Double) -> OutputSurroundings? {
    let seconds = clock.now.seconds(since: created)
    return OutputSurroundings(
      isOtherAudioPlaying: personality.otherAudio?.contains(seconds) ?? false,
      volume: listener.withLock { $0.volume })
  }

  /// Tells of them at once, and of each change; see `AudioOutputDevice`.
  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    let worker: (any Worker)? = personality.otherAudio.map { span in
      clock.makeWorker("sim-others") { [weak self] in self?.tell(span) ?? .whenSignalled }
    }
    var handler: (@Sendable (OutputSurroundings) -> Void)? = handler
    let last = listener.withLock { listener in
      defer { listener.worker = worker }
      swap(&listener.handler, &handler)
      listener.told = nil
      return listener.worker
    }
    last?.cancel()
    tell()
  }

  /// The listener sets the volume for everything, from 0 to 1. Any thread.
  package func setListenerVolume(_ volume: Float) {
    listener.withLock { $0.volume = volume }
    tell()
  }

  private func tell() {
    let present = surroundings(limit: 0)
    let handler = listener.withLock { listener in
      defer { listener.told = present }
      return listener.told == present ? nil : listener.handler
    }
    if let present { handler?(present) }
  }

  private func tell(_ span: Range<Double>) -> WorkerNext {
    tell()
    let seconds = clock.now.seconds(since: created)
    let next = [span.lowerBound, span.upperBound].first { $0 > seconds }
    return next.map { .at(created.advanced(bySeconds: $0)) } ?? .whenSignalled
  }

  /// Opens a stream; see `AudioOutputDevice`. It has a worker of its own on the device's clock.
  package func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream {
    let number = streams.withLock { streams in
      defer { streams.opened += 1 }
      return streams.opened
    }
    let machine = SimulatedMachine(
      format: format, personality: personality, created: created, opening: clock.now, number: number,
      tape: tape)
    let core = SimulatedStreamCore(clock: clock, machine: machine, source: source, events: events)
    // Outside the lock: the check of a weak reference may hold the last reference to a stream.
    let gone = Set(streams.withLock { $0.cores }.filter { $0.core == nil }.map(\.number))
    let new = WeakCore(core: core, number: number)
    streams.withLock { streams in
      streams.cores.removeAll { gone.contains($0.number) }
      streams.cores.append(new)
    }
    return OrderedStream(core: core, worker: clock.makeWorker("sim-output") { core.run() })
  }
}
