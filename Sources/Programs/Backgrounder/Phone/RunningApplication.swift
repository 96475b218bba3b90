import AppLifecycle
import Clocks
import Continuo
import ContinuoLocation
import Dispatch
import Foundation
import PulseOutput
import Synchronization

/// The application, as a process of the phone that has started it. Prints the events of its device.
final class RunningApplication: Sendable {
  private let device: Device
  private let clock = SystemClock.shared
  private let start: HostTime
  /// Whether the phone prints the events of its script, so that this process does not.
  private let isScripted: Bool
  private let stored: StoredPlayers?
  /// The last reported reason for missing sound; nil while sound is available.
  private let silence = Mutex<String?>(nil)

  /// Creates the application's device, which becomes the current one. `start` is the start of the phone; nil for a
  /// phone that prints nothing.
  @MainActor init(_ plan: Plan, sound: PulseDevice, start: HostTime?, stored: StoredPlayers?) {
    self.start = start ?? clock.now
    isScripted = start != nil
    self.stored = stored
    device = Device(
      modes: PhoneLink.shared?.modes ?? plan.parts.modes, clock: clock, settings: plan.settings)
    device.onRecord = { [weak self] in self?.note($0) }
    var environment = PlaybackEnvironment(clock: clock, device: sound)
    environment.onDiagnostic = { [weak self] in self?.note($0) }
    plan.location.apply(
      to: device.location, say: { [weak self] in self?.say($0) },
      complain: { complain("Backgrounder: \($0)") })
    device.location.onUpdate = { [clock] location in
      let place = location.coordinate
      PhoneLink.shared?.report(latitude: place.latitude, longitude: place.longitude, at: clock.now)
    }
    device.location.setSource(plan.location.source)
    Device.current = device
    PlaybackEnvironment.current = environment
    device.connect(environment)
    if let service = plan.parts.service { device.add(service) }
  }

  /// Launches the application, unless an event of the phone launches it in the background. Runs the main thread
  /// and never returns.
  @MainActor func run(_ delegate: AppDelegate) -> Never {
    device.application.delegate = delegate
    if PhoneLink.shared?.launchesInBackground != true { device.launch() }
    // The run loop serves timers as well as the main queue.
    while true { withExtendedLifetime((self, delegate)) { RunLoop.main.run() } }
  }

  /// Touches a control of the screen: its button or a tab.
  @MainActor private static func touch(_ control: String, say: (String) -> Void) {
    guard let application = UIApplication.shared.delegate as? AppDelegate,
      UIApplication.shared.applicationState == .active
    else { return say("the application is not active") }
    if let tab = Press.Action(rawValue: control)?.tab {
      application.select(tab: tab)
    } else {
      application.screen?.buttonTapped()
    }
  }

  // MARK: Events of the system

  private func note(_ record: LifecycleRecord) {
    switch record.event {
    // Subsequent output shows that a call has returned.
    case .callEnded: break
    // The phone reports the suspension, because this process still runs when its device records one. A process that is
    // stopped is killed without a record of it.
    case .state(.suspended): stored?.write(PlaybackEnvironment.current.suspension.snapshots)
    case .state:
      // Discards the players of the last suspension, because the application may change them from now on.
      stored?.write([])
      say("\(record.event)", at: record.time)
    case .happened(.keepAlive): say("\(record.event)", at: record.time)
    case .happened(let happening):
      if !isScripted { say("\(happening)", at: record.time) }
      guard case .touch(let control) = happening else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated { Self.touch(control) { [weak self] in self?.say($0) } }
      }
    case .terminated:
      stored?.write(PlaybackEnvironment.current.takeRestorableSnapshots())
      say("\(record.event)", at: record.time)
    default: say("\(record.event)", at: record.time)
    }
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
    sayAsSystem(text, at: time ?? clock.now, since: start)
  }
}
