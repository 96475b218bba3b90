import AppLifecycle
import Continuo
import Foundation

/// Carries out what a person asks for by key or by `--at`: some of it is the device's business, the rest the
/// player's.
@MainActor
final class RemoteControl {
  private let device: Device
  /// The application to be controlled; nil while none runs.
  weak var application: PlaybackApplication?
  /// Called for `quit`.
  var quit: (@MainActor () -> Void)?
  /// Gets a line for what cannot be done.
  var refuse: (@MainActor (String) -> Void)?

  init(device: Device) { self.device = device }

  /// After this many seconds into an item `previous` goes to its beginning first, as players do.
  private static let restartThreshold = 3.0

  func perform(_ command: PlayerCommand) {
    switch command {
    case .home: device.pressHomeButton()
    case .foreground: device.foreground()
    case .lock: device.lock()
    case .unlock: device.unlock()
    case .terminate: device.terminate()
    case .launch: device.launch()
    case .interruptBegin: device.beginInterruption()
    case .interruptEnd(let resumes): device.endInterruption(shouldResume: resumes)
    case .fetch: device.performBackgroundFetch()
    case .memoryWarning: device.sendMemoryWarning()
    case .quit: quit?()
    case .taskBegin, .taskEnd, .volume, .mute, .pause, .play, .toggle, .next, .previous, .seek:
      control(command)
    }
  }

  private func control(_ command: PlayerCommand) {
    guard let application else {
      refuse?("the application is not running")
      return
    }
    let player = application.player
    switch command {
    case .volume(.absolute(let percent)): player.volume = Float(percent) / 100
    case .volume(.relative(let percent)):
      player.volume = min(max((player.volume * 100).rounded() + Float(percent), 0), 100) / 100
    case .mute: player.isMuted.toggle()
    case .taskBegin(let name), .taskEnd(let name):
      // The application's own code, which does not run then.
      guard device.state != .suspended else {
        refuse?("the application is suspended and begins and ends no task")
        return
      }
      if command == .taskBegin(name: name) {
        application.beginTask(name)
      } else if !application.endTask(name) {
        refuse?("there is no task \(name)")
      }
    default: transport(command, player, application.feeder)
    }
  }

  /// What a lock screen's controls do: they wake a suspended application that may play in the background.
  private func transport(_ command: PlayerCommand, _ player: AVQueuePlayer, _ feeder: QueueFeeder) {
    if device.state == .suspended {
      guard device.modes.contains(.audio) else {
        refuse?("the application is suspended and has no audio background mode")
        return
      }
      device.wakeForRemoteControl()
    }
    switch command {
    case .pause: player.pause()
    case .play: player.play()
    case .toggle: if player.rate == 0 { player.play() } else { player.pause() }
    case .next: player.advanceToNextItem()
    case .previous:
      guard let index = feeder.index(of: player.currentItem) else { return }
      if player.currentTime().seconds > Self.restartThreshold || !feeder.jump(to: index - 1) {
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
      }
    case .seek(.absolute(let time)): seek(player, to: time.inSeconds)
    case .seek(.relative(let time)): seek(player, to: max(0, player.currentTime().seconds + time.inSeconds))
    default: break
    }
  }

  private func seek(_ player: AVQueuePlayer, to seconds: Double) {
    // Fine enough for any file's frames, and exact for what a person types in hundredths.
    let time = CMTime(seconds: seconds, preferredTimescale: 1_000_000)
    player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
  }
}
