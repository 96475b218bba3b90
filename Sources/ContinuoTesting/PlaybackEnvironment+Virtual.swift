import AudioOutput
import Continuo
import HostTime
import PlaybackEngine
import QueuePlayer

extension PlaybackEnvironment {
  /// Players in virtual time, with a session of their own. The main thread is the main queue's, except while it runs
  /// the clock. What is not in the library is a file.
  static func virtual(
    clock: VirtualClock, output: SimulatedOutput, mainQueue: VirtualMainQueue, library: SongLibrary
  ) -> PlaybackEnvironment {
    var environment = PlaybackEnvironment(
      clock: clock, device: output, mainQueue: mainQueue, isOnMainQueue: { mainQueue.isCurrent })
    environment.makeSource = { [file = environment.makeSource] url, isPrecise in
      library.source(at: url) ?? file(url, isPrecise)
    }
    return environment
  }
}
