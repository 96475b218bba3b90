import AppLifecycle
import Clocks
import ControlProtocol
import JukeboxPlayback

struct ApplicationCommands: Sendable {
  let device: Device
  let clock: any HostClock

  /// Performs a command. Returns when all its effects are complete.
  func perform(_ command: Command.Application) async -> Reply {
    switch command {
    case .home: await device.pressHomeButton()
    case .foreground: await device.foreground()
    case .lock: await device.lock()
    case .unlock: await device.unlock()
    case .interrupt(.begin): await device.beginInterruption()
    case .interrupt(.end(let shouldResume)): await device.endInterruption(shouldResume: shouldResume)
    case .terminate: await device.terminate()
    case .launch: await device.launch()
    case .lifecycle: return lifecycle()
    }
    return Reply()
  }

  func lifecycle() -> Reply {
    let now = clock.now
    let reason = device.keptRunningBy
    var reply = Reply()
    LifecycleReply(
      application: device.state.rawValue,
      backgroundModes: BackgroundMode.known.filter(device.modes.contains).map(\.rawValue),
      keptRunningBy: reason == .none ? [] : [reason.rawValue],
      backgroundTimeRemaining: device.backgroundTimeRemaining == .greatestFiniteMagnitude
        ? .infinity : device.backgroundTimeRemaining,
      tasks: device.openTasks.map { task in
        LifecycleReply.Task(name: task.name ?? "", age: now.seconds(since: task.beganAt))
      },
      lastTermination: device.lastTermination.map { report in
        LifecycleReply.Termination(code: report.code.description, reason: report.reason)
      }
    ).write(into: &reply)
    return reply
  }
}
