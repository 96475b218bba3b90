import Continuo
import HostTime
import MusicFiles
import Transfer

extension QueueBuilder {
  /// The queue of a command's arguments. What cannot be played is said on standard error, and at a terminal how far a
  /// long reading is. There is no limit on its time: who waits for it can end the command.
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
      }, readPlaylist: NetworkPlaylists(network, clock: clock).read)
    for argument in arguments { add(argument: RawArguments.bytes(of: argument)) }
    progress.finish()
    for complaint in complaints { StandardOutput.complain(complaint) }
  }
}
