import AppLifecycle
import ControlProtocol
import Jukebox
import JukeboxPlayback
import TextFormatting

/// Performs the commands of keys and of `--at`, on the device or in the jukebox.
@MainActor
final class RemoteControl {
  private let device: Device
  private let host: JukeboxHost
  weak var application: JukeboxApplication?
  var quit: (@MainActor () -> Void)?
  /// Called with a message if the application accepts no command, or has no such background task.
  var refuse: (@MainActor (String) -> Void)?

  init(device: Device, host: JukeboxHost) {
    self.device = device
    self.host = host
  }

  /// The position in seconds after which `previous` returns to the item's beginning, as in other players.
  private static let restartThreshold = 3.0

  func perform(_ command: PlayerCommand) {
    switch command {
    case .system(let happening): device.happen(happening) {}
    case .quit: quit?()
    case .taskBegin, .taskEnd, .volume, .speed, .mute, .pause, .play, .toggle, .next, .previous, .seek:
      control(command)
    }
  }

  private func control(_ command: PlayerCommand) {
    guard let application else {
      refuse?(Device.notRunning)
      return
    }
    switch command {
    case .volume(.absolute(let percent)): change { $0.setVolume(percent) }
    case .volume(.relative(let percent)): change { $0.setVolume($0.volume + percent) }
    case .speed(let target): change { $0.setSpeed(target.speed(from: $0.speed)) }
    case .mute: change { $0.setMuted(!$0.isMuted) }
    case .taskBegin(let name), .taskEnd(let name):
      // Tasks are the application's own code, which does not run while it is suspended.
      guard device.state != .suspended else {
        refuse?("the application is suspended: background tasks cannot begin or end")
        return
      }
      if command == .taskBegin(name: name) {
        application.beginTask(name)
      } else if !application.endTask(name) {
        refuse?("no background task \(name)")
      }
    default: transport(command)
    }
  }

  /// Performs a command as the lock screen's controls do, which wake an application that may play.
  private func transport(_ command: PlayerCommand) {
    if let refusal = device.admitTransport() {
      refuse?(refusal)
      return
    }
    let seconds = host.seconds
    switch command {
    case .pause: change { $0.pause(true) }
    case .play: change { $0.play() }
    case .toggle: change { if $0.state == .playing { $0.pause(true) } else { $0.play() } }
    case .next: change { machine throws(JukeboxError) in try machine.next() }
    case .previous:
      change { machine throws(JukeboxError) in
        if seconds > Self.restartThreshold { try machine.seekCurrent(0) } else { try machine.previous() }
      }
    case .seek(.absolute(let time)): seek(to: time.inSeconds)
    case .seek(.relative(let time)): seek(to: seconds + time.inSeconds)
    default: break
    }
  }

  private func seek(to seconds: Double) {
    let progress = host.read { $0.currentID }.flatMap(host.place.progress)
    change { machine throws(JukeboxError) in try machine.seekCurrent(seconds, progress: progress) }
  }

  /// Changes the jukebox. Ignores errors, because a user knows that nothing can be skipped if nothing plays.
  private func change(_ body: (inout JukeboxMachine) throws(JukeboxError) -> Void) { try? host.change(body) }
}
