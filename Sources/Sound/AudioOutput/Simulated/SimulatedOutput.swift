package import AudioCore
package import Clocks
import Synchronization

/// A virtual output device: pulls and buffers frames, plays them at a clock's rate, and records which frames
/// a listener would have heard and when.
///
/// On `SystemClock` it plays in real time without sound. On `VirtualClock` every moment of an output's life
/// is repeatable. Its `Personality` adds the faults of real devices, for tests of code that uses outputs.
///
/// A device whose buffer is empty stops and resumes when frames arrive, as PulseAudio does with prebuffering.
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

  /// The device's audio surroundings and the handlers for their changes.
  private struct Listener {
    var volume: Float
    var handlers = SurroundingsHandlers()
    /// Wakes when other applications start and stop playing.
    var worker: (any Worker)?
  }

  /// Creates a device that plays in the time of `clock`. If `recordsSound` is true, `recording` keeps the
  /// samples, and memory use grows with playing time.
  package init(clock: any HostClock, personality: Personality = Personality(), recordsSound: Bool = true) {
    precondition(personality.blockFrames > 0, "a device pulls at least one frame at a time")
    self.clock = clock
    self.personality = personality
    self.tape = SimulatedTape(recordsSound: recordsSound)
    self.created = clock.now
    listener = Mutex(Listener(volume: personality.volume))
  }

  deinit { listener.withLock { $0.worker }?.cancel() }

  /// The recording of all sound heard so far. Thread-safe; copied only on mutation.
  package var recording: Recording {
    for stream in streams.withLock({ $0.cores }) { stream.core?.catchUp() }
    return tape.recording
  }

  /// Returns whether the personality's other audio plays now, and the volume set last. Thread-safe; never
  /// waits.
  package func surroundings(limit: Double) -> OutputSurroundings? {
    let seconds = clock.now.seconds(since: created)
    return OutputSurroundings(
      isOtherAudioPlaying: personality.otherAudio?.contains(seconds) ?? false,
      volume: listener.withLock { $0.volume })
  }

  package func followSurroundings(_ handler: @escaping @Sendable (OutputSurroundings) -> Void) {
    let worker: (any Worker)? = personality.otherAudio.map { span in
      clock.makeWorker("sim-others") { [weak self] in self?.tell(span) ?? .whenSignalled }
    }
    let last = listener.withLock { listener in
      defer { listener.worker = worker }
      listener.handlers.add(handler)
      return listener.worker
    }
    last?.cancel()
    tell()
  }

  /// Sets the listener's system volume, 0…1. Thread-safe.
  package func setListenerVolume(_ volume: Float) {
    listener.withLock { $0.volume = volume }
    tell()
  }

  private func tell() {
    guard let present = surroundings(limit: 0) else { return }
    for handler in listener.withLock({ $0.handlers.due(for: present) }) { handler(present) }
  }

  private func tell(_ span: Range<Double>) -> WorkerNext {
    tell()
    let seconds = clock.now.seconds(since: created)
    let next = [span.lowerBound, span.upperBound].first { $0 > seconds }
    return next.map { .at(created.advanced(bySeconds: $0)) } ?? .whenSignalled
  }

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
    // Outside the lock, because checking a weak reference may briefly hold the last reference to a stream.
    let gone = Set(streams.withLock { $0.cores }.filter { $0.core == nil }.map(\.number))
    let new = WeakCore(core: core, number: number)
    streams.withLock { streams in
      streams.cores.removeAll { gone.contains($0.number) }
      streams.cores.append(new)
    }
    return OrderedStream(core: core, worker: clock.makeWorker("sim-output") { core.run() })
  }
}
