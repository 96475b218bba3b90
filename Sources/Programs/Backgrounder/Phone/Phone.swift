import AppLifecycle
import Clocks
import Continuo
import ContinuoLocation
import Dispatch
import Glibc
import PulseOutput
import RunTimeline
import Synchronization

/// The phone that runs the application. Performs a script of button presses and prints the events of the
/// system.
///
/// The phone does not use the main thread, so that the phone works even if the application blocks that
/// thread.
final class Phone: Sendable {
  private let device: Device
  private let mainThread: MainThread
  private let clock = SystemClock.shared
  private let start: HostTime
  private let hasPunished = Atomic<Bool>(false)
  private let source: LocationSource
  private let drawing: TimelineFile?
  private let lastTask = Mutex(RefreshScreen.refresh)
  private let signals = Mutex<[any DispatchSourceSignal]>([])
  /// The last reported reason for missing sound; nil while sound is available.
  private let silence = Mutex<String?>(nil)

  /// The phone's location source, and its owner's answer to the permission request.
  struct Location: Sendable {
    var source = LocationSource.none
    var answer = CLAuthorizationStatus.authorizedAlways
    var usage = LocationUsage(always: "Your way is shown on the map.")

    /// Sets up the location services of a device. `say` gets the questions that the owner sees.
    func apply(
      to services: DeviceLocation, say: @escaping @Sendable (String) -> Void,
      complain: @escaping @Sendable (String) -> Void
    ) {
      services.answer = answer
      services.usage = usage
      // The background mode alone allows updates in the background, as for an application linked before iOS
      // 9.
      services.isLinkedBeforeIOS9 = true
      services.onPermissionRequest = { say("permission asked: \"\($0)\"") }
      services.onDiagnostic = complain
    }
  }

  /// A run of the application, as a command line describes it.
  struct Plan {
    var presses: [Press]
    /// Whether the application is launched before the script begins.
    var launches = true
    var parts: ScreenParts
    var settings: LifecycleSettings
    var location: Location
    var drawing: TimelineFile?
  }

  /// Creates a phone. `makeDelegate` creates the application on the main thread, for each launch.
  @MainActor init(
    _ plan: Plan, sound: PulseDevice,
    makeDelegate: @escaping @MainActor () -> AppDelegate
  ) {
    start = clock.now
    source = plan.location.source
    drawing = plan.drawing
    mainThread = MainThread {
      let delegate = makeDelegate()
      UIApplication.shared.delegate = delegate
      return delegate
    }
    device = Device(
      modes: plan.parts.modes, clock: clock, mainQueue: mainThread, settings: plan.settings)
    Device.current = device
    var environment = PlaybackEnvironment(clock: clock, device: sound)
    environment.onDiagnostic = { [weak self] diagnostic in self?.note(diagnostic) }
    PlaybackEnvironment.current = environment
    device.onRecord = { [weak self] record in self?.note(record) }
    plan.location.apply(
      to: device.location, say: { [weak self] in self?.say($0) },
      complain: { complain("Backgrounder: \($0)") })
    device.location.onUpdate = { [drawing] in
      let place = $0.coordinate
      drawing?.record(.place(latitude: place.latitude, longitude: place.longitude))
    }
    device.onTermination = { [weak self] report in self?.note(report) }
    // The players come first, so that they are silent before the main thread blocks.
    device.connect(environment)
    if let service = plan.parts.service { device.add(service) }
    device.add(mainThread)
  }

  /// Starts the application, if the plan requires it, then performs its script and, if `readsInput`, the
  /// words of standard input. Returns immediately; without `quit` the phone is never switched off.
  ///
  /// A press waits for the effects of the previous one, as a person would. The watchdog limits that time.
  func run(_ plan: Plan, readsInput: Bool) {
    // Not on the main thread, which may be blocked.
    signals.withLock { $0 = [SIGINT, SIGTERM].map(quit(on:)) }
    Task {
      device.location.setSource(source)
      if plan.launches { await perform(.launch) }
      let start = ContinuousClock.now
      for press in plan.presses {
        try? await Task.sleep(until: start + .seconds(press.time), clock: .continuous)
        await perform(press.action)
      }
      guard readsInput else { return }
      for await word in Self.typedWords() {
        guard let action = Press.Action(rawValue: word) else {
          complain("Backgrounder: unknown word \"\(word)\"")
          continue
        }
        await perform(action)
      }
    }
  }

  private static func typedWords() -> AsyncStream<String> {
    AsyncStream { continuation in
      DispatchQueue.global().async {
        while let line = readLine() {
          for word in line.split(whereSeparator: \.isWhitespace) { continuation.yield(String(word)) }
        }
        continuation.finish()
      }
    }
  }

  private func perform(_ action: Press.Action) async {
    say(action.rawValue)
    switch action {
    case .tap, .play: touch { $0.screen?.buttonTapped() }
    case .tab1, .tab2, .tab3, .tab4: touch { if let tab = action.tab { $0.select(tab: tab) } }
    case .home: await device.pressHomeButton()
    case .foreground: await device.foreground()
    case .lock: await device.lock()
    case .unlock: await device.unlock()
    case .call: await device.beginInterruption()
    case .hangup: await device.endInterruption(shouldResume: true)
    case .memory: await device.sendMemoryWarning()
    case .fetch: await device.performBackgroundFetch()
    case .refresh: await launchTask(RefreshScreen.refresh)
    case .process: await launchTask(RefreshScreen.cleaning)
    case .expire: await device.expireTask(withIdentifier: lastTask.withLock { $0 })
    case .terminate: await device.terminate()
    case .launch: await device.launch()
    case .quit: quit()
    }
  }

  private func launchTask(_ identifier: String) async {
    lastTask.withLock { $0 = identifier }
    await device.launchTask(withIdentifier: identifier)
  }

  /// Touches the screen of an active application.
  private func touch(_ action: @escaping @MainActor (AppDelegate) -> Void) {
    guard device.state == .active else { return say("the application is not active") }
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        if let delegate = UIApplication.shared.delegate as? AppDelegate { action(delegate) }
      }
    }
  }

  /// Ends the process, even if the main thread hangs. Does not call `exit`, whose handlers would release
  /// objects that libpulse's threads may be using.
  private func quit() -> Never {
    PlaybackEnvironment.current.closePlayers()
    PrivatePulseServer.stopAll()
    writeDrawing()
    flushOutput()
    _exit(hasPunished.load(ordering: .relaxed) ? 1 : 0)
  }

  private func quit(on signal: Int32) -> any DispatchSourceSignal {
    Glibc.signal(signal, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
    source.setEventHandler { [weak self] in self?.quit() }
    source.resume()
    return source
  }

  private func writeDrawing() {
    do { try drawing?.write() } catch {
      complain("Backgrounder: no drawing was written: \(error)")
    }
  }

  // MARK: Events of the system

  private func note(_ record: LifecycleRecord) {
    if let entry = Timeline.Entry(record.event) { drawing?.record(entry, at: record.time) }
    switch record.event {
    case .happened(.voipData), .happened(.keepAlive): say("\(record.event)", at: record.time)
    // The script has printed the other events; subsequent output shows that a call has returned.
    case .happened, .callEnded: break
    default: say("\(record.event)", at: record.time)
    }
  }

  private func note(_ report: TerminationReport) {
    hasPunished.store(true, ordering: .relaxed)
    // Written now, in case the program does not reach its regular end.
    writeDrawing()
    complain("\(report)")
  }

  private func note(_ diagnostic: PlaybackDiagnostic) {
    switch diagnostic {
    case .outputOpened: silence.withLock { $0 = nil }
    case .outputUnavailable(let message, _):
      let isKnown = silence.withLock { silence in
        defer { silence = message }
        return silence == message
      }
      if !isKnown { complain("Backgrounder: no sound: \(message)") }
    case .rateUnavailable(let message), .replayGainIgnored(let message): complain("Backgrounder: \(message)")
    case .startDeferred: complain("Backgrounder: a player was started while the application is suspended")
    case .stepsCoalesced(let count): complain("Backgrounder: \(count) time steps left out: too slow")
    }
  }

  private func say(_ text: String, at time: HostTime? = nil) {
    let hundredths = Int(((time ?? clock.now).seconds(since: start) * 100).rounded())
    print("[\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)] \(text)")
  }
}
