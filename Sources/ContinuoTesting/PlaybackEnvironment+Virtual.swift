import AudioOutput
import Continuo
import HostTime
import PlaybackEngine
import QueuePlayer
import RemoteMedia

extension PlaybackEnvironment {
  /// Players in virtual time, with a session of their own. The main thread is the main queue's, except while it runs
  /// the clock. What is not in the library is a file. At rates other than 1 frames are left out or repeated, so that the marks
  /// stay readable. What is behind http and https URLs comes from `network`; nil: nothing is served there.
  static func virtual(
    clock: VirtualClock, output: SimulatedOutput, mainQueue: VirtualMainQueue, library: SongLibrary,
    network: SimulatedNetwork? = nil
  ) -> PlaybackEnvironment {
    var settings = NetworkSettings()
    // No test depends on the machine's disk, or on chance.
    settings.makeCache = { MediaCache(folders: []) }
    settings.makeSeed = { 1 }
    let network = network ?? SimulatedNetwork(clock: clock)
    settings.makeTransport = { _ in network }
    settings.makeOpening = MarkedStreamDecoder.open
    var environment = PlaybackEnvironment(
      clock: clock, device: output, network: settings, stretching: FramePicker(), mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent })
    environment.makeSource = { [file = environment.makeSource] url, isPrecise in
      library.source(at: url) ?? file(url, isPrecise)
    }
    return environment
  }
}
