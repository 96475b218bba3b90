import Continuo
import HostTime
import MusicFiles
import Transfer

extension QueueBuilder {
  /// Builds the queue from a command's arguments. Reports problems on standard error, and the progress of a
  /// long read on a terminal. The read has no time limit, since the user can end the command.
  init(
    arguments: [String], keepsMissing: Bool = false, network: NetworkSettings = NetworkSettings(),
    clock: any HostClock
  ) {
    let progress = ReadingProgress(clock: clock)
    self.init(
      directory: .workingDirectory(), keepsMissing: keepsMissing,
      interruption: { count in
        progress.note(count)
        return nil
      }, readPlaylist: NetworkReader(network, clock: clock).readPlaylist)
    for argument in arguments { add(argument: RawArguments.bytes(of: argument)) }
    progress.finish()
    for complaint in complaints { StandardOutput.complain(complaint) }
  }
}
