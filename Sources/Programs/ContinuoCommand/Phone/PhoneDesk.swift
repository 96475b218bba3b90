import AppLifecycle
import Clocks
import ControlProtocol
import ControlServer
import Dispatch

/// Performs the commands of a phone's clients: commands about the application, and commands with which MPD's
/// clients show a song. The program is shown as the song.
struct PhoneDesk: ControlHandler {
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo,
    completion: Completion
  ) {
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        guard let run = PhoneRun.current else { return }
        switch command {
        case .application(.lifecycle): completion(run.lifecycle)
        case .application(let command):
          guard let happening = command.happening else { return }
          run.perform(
            happening,
            forClient: { refusal in
              if let refusal { completion(Ack(.playerSync, refusal)) } else { completion(Reply()) }
            })
        case .playback(.status): completion(run.status)
        case .playback(.currentsong): completion(run.song)
        default:
          completion(
            Ack(.unknown, "a phone plays nothing itself; its commands are those of applications"))
        }
      }
    }
  }
}

extension Command.Application {
  /// The event that the command requests; nil for `lifecycle`.
  fileprivate var happening: LifecycleHappening? {
    switch self {
    case .home: .home
    case .foreground: .foreground
    case .lock: .lock
    case .unlock: .unlock
    case .interrupt(.begin): .interruptionBegan
    case .interrupt(.end(let shouldResume)): .interruptionEnded(shouldResume: shouldResume)
    case .terminate: .terminate
    case .launch: .launch
    case .lifecycle: nil
    }
  }
}

extension PhoneRun {
  /// The reply to `lifecycle`. The remaining background time of a running application is shown as unlimited,
  /// because only the application knows it.
  fileprivate var lifecycle: Reply {
    var reply = Reply()
    let isInFront = machine.state == .active || machine.state == .inactive
    LifecycleReply(
      application: machine.state.rawValue,
      backgroundModes: BackgroundMode.known.filter(machine.profile.modes.contains).map(\.rawValue),
      keptRunningBy: isInFront
        ? [RunningReason.foreground.rawValue]
        : machine.profile.tasks.isEmpty ? [] : [RunningReason.task.rawValue],
      backgroundTimeRemaining: machine.isRunning ? .infinity : 0,
      tasks: machine.profile.tasks.map { task in
        LifecycleReply.Task(name: task.name ?? "", age: now.seconds(since: task.beganAt))
      },
      lastTermination: machine.profile.lastFault.map {
        LifecycleReply.Termination(code: $0.code, reason: $0.reason)
      }
    ).write(into: &reply)
    return reply
  }

  fileprivate var status: Reply {
    let runs =
      machine.state == .active || machine.state == .inactive || machine.state == .background
    return Reply([
      "repeat": "0", "random": "0", "single": "0", "consume": "0", "playlist": "1",
      "playlistlength": "1",
      "state": runs ? "play" : machine.isRunning ? "pause" : "stop", "song": "0", "songid": "1",
    ])
  }

  fileprivate var song: Reply {
    Reply(["file": machine.name, "Title": "\(title) (\(machine.state))", "Pos": "0", "Id": "1"])
  }

  private var title: String {
    machine.name.split(separator: "/").last.map(String.init) ?? machine.name
  }
}
