public import AppLifecycle
import AudioOutput
import Clocks
@_exported public import Continuo
import QueuePlayer

/// A device in virtual time that runs the application under test; the test is its user.
///
/// Time passes only when the test advances it (``advance(by:)``) or the application spends it
/// (``spend(_:)``, ``hang()``). The test does not wait in real time, and events occur in the same order in each
/// run. ``withTestDevice(modes:settings:output:recordsSound:operation:)`` creates a device. Inside its `operation`,
/// `UIApplication.shared`, players and `AVAudioSession` belong to this device.
///
/// The application's code runs on the main actor, as on a phone. After each call into it, the resulting
/// main-actor tasks run before anything else happens. Other code (detached tasks, other actors, dispatch
/// queues other than the main one) is not waited for and can make a test unrepeatable.
@MainActor public final class TestDevice {
  /// The device's system side, for functions not offered by this class.
  public nonisolated let system: Device
  let hostClock = VirtualClock()
  let mainQueue: VirtualMainQueue
  let timers: ApplicationTimers
  let output: SimulatedOutput
  let library: SongLibrary
  /// The network that serves the http and https URLs of players and URL sessions.
  public nonisolated let network: SimulatedNetwork
  let recorder: Recorder
  let environment: PlaybackEnvironment
  /// The delegate, retained here because the application's reference to it is weak.
  private var delegate: (any UIApplicationDelegate)?
  private var watches: [PlayerWatch] = []

  init(modes: Set<BackgroundMode>, settings: LifecycleSettings, output: TestOutput, recordsSound: Bool) {
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
      // The test's own sockets do not belong to the application.
      reclaimSockets: { [] })
    environment = .virtual(
      clock: hostClock, output: self.output, mainQueue: mainQueue, library: library, network: network)
    system.onRecord = { recorder.add($0) }
    system.connect(environment)
    system.add(timers)
    useNetwork()
    system.location.onUpdate = { recorder.add($0) }
    // Create the application now, because observers of its notifications may never access it.
    _ = system.application
  }

  // MARK: The application

  /// The application on this device, which is `UIApplication.shared` in the test.
  public var application: UIApplication { system.application }

  /// The application's state, including `suspended` and `notRunning`, which its own code never sees.
  public var state: ApplicationState { system.state }

  /// The report on the latest termination for a fault; nil if none occurred.
  public var termination: TerminationReport? { system.lastTermination }

  /// Launches the application with this delegate, which the device retains.
  public func launch(_ delegate: any UIApplicationDelegate) async {
    self.delegate = delegate
    application.delegate = delegate
    await launch()
  }

  /// Returns snapshots (queue and position) of the players that the last termination closed, in the order of their
  /// creation. `AVQueuePlayer(snapshot:)` restores a player. Each snapshot is returned only once.
  public func takeRestorableSnapshots() -> [PlayerSnapshot] {
    environment.suspension.takeRestorableSnapshots()
  }

  // MARK: Time

  /// The device's clock, for application code that takes `any Clock<Duration>`.
  public nonisolated var clock: DeviceClock { DeviceClock(timers: timers) }

  /// The time since the device's start.
  public nonisolated var now: Duration { Duration(timers.now) }

  /// Advances the time by `duration`, and performs everything due up to and including that time.
  public func advance(by duration: Duration) async {
    await run(until: hostClock.now.advanced(by: max(.zero, duration)))
  }

  /// Advances the time to `moment` on the device's clock, as `advance(by:)` does. If that time has passed,
  /// only performs everything due now.
  public func advance(to moment: Duration) async { await run(until: HostTime(moment)) }

  /// Calls `action` on the main queue after `delay`, like a timer of the application. The call is postponed
  /// during a suspension, and never made if the application was terminated first. Returns a handle to cancel
  /// the call.
  @discardableResult public func schedule(
    after delay: Duration, _ action: @escaping @MainActor @Sendable () -> Void
  ) -> ScheduledCall {
    let id = timers.makeID()
    timers.add(id, due: hostClock.now.advanced(by: delay)) { outcome in
      if outcome == .due { MainActor.assumeIsolated(action) }
    }
    return ScheduledCall(id: id, timers: timers)
  }

  /// Keeps the main thread busy for `duration`, like slow application code. No other work runs on the main
  /// queue; sound, clock and watchdog continue. Returns even if the watchdog terminates the application,
  /// since running code cannot be removed.
  public func spend(_ duration: Duration) {
    mainQueue.aside { hostClock.advance(to: hostClock.now.advanced(by: max(.zero, duration))) }
  }

  /// Keeps the main thread busy until the application is terminated, like application code that never
  /// returns. Stops the program if the application is not terminated within a day of virtual time.
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

  /// The events so far, in order.
  public var record: DeviceRecord { recorder.record(with: heard, now: now) }

  /// The sound heard so far. Empty for a device that does not record sound.
  public var heard: HeardSound { HeardSound(output.recording, songs: library.names) }

  /// The samples heard, interleaved and without the silences. Intended for sound of real files.
  public var heardSamples: [Float] { output.recording.samples }

  /// Adds a line to the record.
  public nonisolated func note(_ text: String) { recorder.add(text) }

  /// Observes `player` as an application does and records its observers' calls: items, status, rate, ends,
  /// and the time at every `interval`. `name` distinguishes several players.
  public func watch(
    _ player: AVPlayer, every interval: CMTime = CMTime(value: 1, timescale: 100), as name: String? = nil
  ) { watches.append(PlayerWatch(player, interval: interval, name: name, recorder: recorder)) }

  // MARK: Execution

  /// The number of steps without an advance of the clock that counts as an endless loop.
  private static let stepLimit = 10_000_000

  /// Performs everything due until `moment`: calls into the application one at a time, each followed by its
  /// tasks, and then the work of other threads.
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

  func happen(_ action: (Device) -> Void) async {
    // Earlier requests, above all for playback, take effect first.
    await run(until: hostClock.now)
    mainQueue.aside { action(system) }
    await run(until: hostClock.now)
  }

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

/// A call scheduled with `TestDevice.schedule(after:_:)`.
public struct ScheduledCall: Sendable {
  let id: ApplicationTimers.ID
  let timers: ApplicationTimers

  /// Cancels the call, unless it was made. Any thread.
  public func cancel() { timers.cancel(id) }
}
