import AudioOutput
import AudioSession
import Clocks
import Continuo
import PlaybackEngine
import RemoteMedia

extension PlaybackEnvironment {
  /// Creates an environment in virtual time. The main thread acts as the main queue while
  /// `mainQueue.isCurrent` is true. File URLs that are not in the library are real files. At rates other than 1, frames
  /// are dropped or repeated, so that the marks stay readable. `network` serves http and https URLs; nil means an
  /// empty network.
  static func virtual(
    clock: VirtualClock, output: SimulatedOutput, mainQueue: VirtualMainQueue, library: SongLibrary,
    network: SimulatedNetwork? = nil
  ) -> PlaybackEnvironment {
    var settings = NetworkSettings()
    // Tests must depend neither on the machine's disk nor on random numbers.
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
