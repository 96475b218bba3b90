public import AppLifecycle
import AudioOutput
@_exported public import Continuo
import HostTime
import QueuePlayer

/// A device in virtual time, with your application on it: you are the person who holds it.
///
/// Time passes only in ``advance(by:)``, at once and always in the same order. `UIApplication.shared`,
/// players and `AVAudioSession` belong to this device as long as it lasts: see
/// ``withTestDevice(modes:settings:output:recordsSound:operation:)``, which makes one.
///
/// The application's code runs on the main actor, as on a phone. After each call into it the tasks of the
/// main actor that follow from it run before anything else happens; what runs elsewhere (detached tasks,
/// other actors, dispatch queues other than the main one) is not waited for and makes a test depend on
/// chance.
@MainActor
public final class TestDevice {
  /// The device's system side, for everything that this class does not offer.
  public nonisolated let system: Device
  let hostClock = VirtualClock()
  let mainQueue: VirtualMainQueue
  let timers: ApplicationTimers
  let output: SimulatedOutput
  let library: SongLibrary
  /// The network, from which players fetch what has an http or https URL.
  public nonisolated let network: SimulatedNetwork
  let recorder: Recorder
  let environment: PlaybackEnvironment
  /// The delegate is the application's object, and the application does not keep it.
  private var delegate: (any UIApplicationDelegate)?
  private var watches: [PlayerWatch] = []

  init(
    modes: Set<BackgroundMode>, settings: LifecycleSettings, output: TestOutput, recordsSound: Bool
  ) {
    let mainQueue = VirtualMainQueue()
    let recorder = Recorder(clock: hostClock)
    self.mainQueue = mainQueue
    self.recorder = recorder
    library = SongLibrary(isHeard: recordsSound)
    network = SimulatedNetwork(clock: hostClock)
    timers = ApplicationTimers(clock: hostClock, mainQueue: mainQueue)
    self.output = SimulatedOutput(
      clock: hostClock, personality: output.personality, recordsSound: recordsSound)
    system = Device(
      modes: BackgroundModes(modes), clock: hostClock, mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent }, settings: settings,
      // The test's own sockets are none of the application's.
      reclaimSockets: { [] })
    environment = .virtual(
      clock: hostClock, output: self.output, mainQueue: mainQueue, library: library, network: network)
    system.onRecord = { recorder.add($0) }
    system.connect(environment)
    system.add(timers)
    useNetwork()
    system.location.onUpdate = { recorder.add($0) }
    // Observers of the application's notifications need not have asked for the application before.
    _ = system.application
  }

  // MARK: The application

  /// The application on this device: what `UIApplication.shared` is in the test.
  public var application: UIApplication { system.application }

  /// Its state, including `suspended` and `notRunning`, which the application itself never sees.
  public var state: ApplicationState { system.state }

  /// The report on its latest termination for a fault; nil if there was none.
  public var termination: TerminationReport? { system.lastTermination }

  /// Launches the application with this delegate, which the device keeps.
  public func launch(_ delegate: any UIApplicationDelegate) async {
    self.delegate = delegate
    application.delegate = delegate
    await launch()
  }

  /// The queues of the players of the application that was terminated last, with the place that each had come
  /// to: what an application restores on its launch with `AVQueuePlayer(snapshot:)`. Each can be taken once.
  public func takeRestorableSnapshots() -> [PlayerSnapshot] {
    environment.suspension.takeRestorableSnapshots()
  }

  // MARK: Time

  /// The device's clock, for application code that takes `any Clock<Duration>`.
  public nonisolated var clock: DeviceClock { DeviceClock(timers: timers) }

  /// The time since the device's start.
  public nonisolated var now: Duration { Duration(timers.now) }

  /// Lets `duration` pass, and does everything that is due up to and including that moment.
  public func advance(by duration: Duration) async {
    await run(until: hostClock.now.advanced(by: max(.zero, duration)))
  }

  /// Lets time pass up to `moment` of the device's clock. Without effect if that has passed.
  public func advance(to moment: Duration) async { await run(until: HostTime(moment)) }

  /// Calls `action` on the main queue after `delay`, like a timer of the application: not while that is
  /// suspended but as soon as it runs again, and never when it was terminated meanwhile.
  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @MainActor @Sendable () -> Void
  ) -> ScheduledCall {
    let id = timers.makeID()
    timers.add(id, due: hostClock.now.advanced(by: delay)) { outcome in
      if outcome == .due { MainActor.assumeIsolated(action) }
    }
    return ScheduledCall(id: id, timers: timers)
  }

  /// Keeps the main thread busy for `duration`, like slow code of the application. Nothing else runs on the
  /// main queue meanwhile; sound, clock and watchdog go on.
  ///
  /// If the watchdog terminates the application meanwhile, this still returns, since running code cannot be
  /// removed: the caller then runs on in an application that has ended.
  public func spend(_ duration: Duration) {
    mainQueue.aside { hostClock.advance(to: hostClock.now.advanced(by: max(.zero, duration))) }
  }

  /// Keeps the main thread busy until the application is terminated, like code of the application that never
  /// returns. Stops the program if nothing terminates it within a day.
  public func hang() {
    let limit = hostClock.now.advanced(by: .seconds(86_400))
    mainQueue.aside {
      while system.state != .notRunning {
        guard let next = hostClock.nextDeadline, next <= limit else {
          preconditionFailure("hang() outside of any call that the system waits for")
        }
        hostClock.advance(to: next)
      }
    }
  }

  // MARK: Results

  /// Everything that happened up to now, in order.
  public var record: DeviceRecord { recorder.record(with: heard, now: now) }

  /// What a listener has heard up to now. Empty for a device that does not record sound.
  public var heard: HeardSound { HeardSound(output.recording, songs: library.names) }

  /// Everything heard as it left the device, interleaved and without the silences: for sound of real files.
  public var heardSamples: [Float] { output.recording.samples }

  /// Writes a line into the record.
  public nonisolated func note(_ text: String) { recorder.add(text) }

  /// Observes `player` as an application does and records what its observers are told: items, status, rate,
  /// ends, and the time, every `interval`. `name` tells several players apart.
  public func watch(
    _ player: AVPlayer, every interval: CMTime = CMTime(value: 1, timescale: 100), as name: String? = nil
  ) {
    watches.append(PlayerWatch(player, interval: interval, name: name, recorder: recorder))
  }

  // MARK: Running it

  /// More steps than this at one moment are taken for an endless loop.
  private static let stepLimit = 10_000_000

  /// Does what is due until `moment`, step by step: calls into the application one at a time, each followed
  /// by the tasks that it starts, and only then what has threads of its own.
  func run(until moment: HostTime) async {
    await MainActorTurns.runAll()
    var steps = 0
    var lastMoment = hostClock.now
    repeat {
      while mainQueue.runNext() {
        await MainActorTurns.runAll()
        steps = hostClock.now == lastMoment ? steps + 1 : 0
        lastMoment = hostClock.now
        precondition(steps < Self.stepLimit, "the application never rests at \(lastMoment.inSeconds) s")
      }
      mainQueue.advance(hostClock, to: moment)
    } while !mainQueue.isEmpty || hostClock.now < moment
  }

  /// Does something as a person or the system, and what follows from it at this moment.
  func happen(_ action: (Device) -> Void) async {
    // What was asked for before has begun by then: sound above all.
    await run(until: hostClock.now)
    mainQueue.aside { action(system) }
    await run(until: hostClock.now)
  }

  /// Ends everything, so that nothing of this test is left.
  func close() async {
    for watch in watches { watch.close() }
    watches = []
    timers.cancelAll()
    closeSessions()
    await MainActorTurns.runAll()
    environment.suspension.closeAll()
    mainQueue.clear()
    application.delegate = nil
  }
}

/// A call that was scheduled with `TestDevice.schedule(after:_:)`.
public struct ScheduledCall: Sendable {
  let id: ApplicationTimers.ID
  let timers: ApplicationTimers

  /// Cancels the call, unless it was made. Any thread.
  public func cancel() { timers.cancel(id) }
}
