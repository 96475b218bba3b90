import AudioOutput
import Continuo
import HostTime
import PlaybackEngine
import QueuePlayer

extension PlaybackEnvironment {
  /// Players in virtual time, with a session of their own. The main thread is the main queue's, except while it runs
  /// the clock. What is not in the library is a file. At rates other than 1 frames are left out or repeated, so that the marks
  /// stay readable.
  static func virtual(
    clock: VirtualClock, output: SimulatedOutput, mainQueue: VirtualMainQueue, library: SongLibrary
  ) -> PlaybackEnvironment {
    var environment = PlaybackEnvironment(
      clock: clock, device: output, stretching: FramePicker(), mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent })
    environment.makeSource = { [file = environment.makeSource] url, isPrecise in
      library.source(at: url) ?? file(url, isPrecise)
    }
    return environment
  }
}
