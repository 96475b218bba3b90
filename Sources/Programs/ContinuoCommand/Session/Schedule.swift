import Dispatch
import TextFormatting

/// The pending commands of `--at`.
@MainActor
final class Schedule {
  private var waiting: [Int: (command: PlayerCommand, timer: any DispatchSourceTimer)] = [:]
  private let perform: @MainActor (PlayerCommand) -> Void

  /// Schedules the commands, with times from now on. `perform` is called for each on the main queue.
  init(_ commands: [ScheduledCommand], perform: @escaping @MainActor (PlayerCommand) -> Void) {
    self.perform = perform
    for (index, scheduled) in commands.enumerated() {
      let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
      timer.schedule(deadline: .now() + scheduled.time.inSeconds, leeway: .nanoseconds(0))
      timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.run(index) } }
      waiting[index] = (scheduled.command, timer)
      timer.resume()
    }
  }

  var isEmpty: Bool { waiting.isEmpty }

  func includes(_ command: PlayerCommand) -> Bool { waiting.values.contains { $0.command == command } }

  private func run(_ index: Int) {
    guard let (command, timer) = waiting.removeValue(forKey: index) else { return }
    timer.cancel()
    perform(command)
  }
}
