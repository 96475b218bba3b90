import Clocks
public import Foundation
import Synchronization

/// The metadata and state of the item that the application plays, published to other programs.
///
/// On Linux the information is published on the session bus, where the application is an MPRIS player that
/// desktops display and `playerctl` controls. The player appears, under the program's name, with the first
/// dictionary, state or command handler, and exists until the process ends. Without a session bus, and in
/// virtual time, values are only stored and returned. In real time, each later change retries the connection.
/// Any thread; nothing blocks. Changes are published together in a later turn of the main queue, or on resumption if
/// the application is suspended then.
public final class MPNowPlayingInfoCenter: NSObject, Sendable {
  private struct State {
    var values: Values?
    var info: NowPlayingInfo?
    var playbackState = MPNowPlayingPlaybackState.unknown
    var itemNumber = 0
    var line = PlaybackLine()

    /// Restarts `line` at `now` from `line.position`, with the dictionary's duration. The rate follows from the
    /// playback state and the dictionary.
    mutating func continueLine(at now: HostTime) {
      line.moment = now
      line.duration = info?.duration
      line.rate = MPRISState.status(playbackState, info) == .playing ? info?.rate ?? 0 : 0
    }
  }

  /// The application's dictionary. Unchecked because it is a constant whose content is only read here. As
  /// with Apple's framework, the application must not change the content after setting it.
  private struct Values: @unchecked Sendable { let dictionary: [String: Any] }

  private let state = Mutex(State())
  private let clock: any HostClock
  private let onChange: @Sendable () -> Void

  init(clock: any HostClock, _ onChange: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.onChange = onChange
  }

  /// Returns the shared center of the process.
  public static func `default`() -> MPNowPlayingInfoCenter { NowPlayingContext.shared.center }

  /// The metadata and playback position of the current item, under the keys `MPMediaItemProperty…` and
  /// `MPNowPlayingInfoProperty…`; nil if nothing is played.
  ///
  /// The elapsed time applies to the moment when the dictionary is set. Without an elapsed time, the same
  /// item continues at its position, and a new item begins at 0. From that moment on, the position is
  /// computed from the rate.
  public var nowPlayingInfo: [String: Any]? {
    get { state.withLock { $0.values }?.dictionary }
    set {
      let values = newValue.map { Values(dictionary: $0) }
      let info = newValue.map { NowPlayingInfo($0) }
      let now = clock.now
      let old = state.withLock { state -> Values? in
        let isSame = info?.isSameItem(as: state.info) ?? false
        let going = isSame ? state.line.position(at: now) : 0
        if !isSame { state.itemNumber += 1 }
        state.line.position = info?.elapsed ?? going
        state.info = info
        state.continueLine(at: now)
        defer { state.values = values }
        return state.values
      }
      // Releasing the old values may run the application's code, so it must not happen under the lock.
      withExtendedLifetime(old) {}
      onChange()
    }
  }

  /// The playback state. While it is `unknown`, the initial value, the rate in `nowPlayingInfo` decides: 0
  /// means paused, any other rate playing, and no dictionary stopped.
  public var playbackState: MPNowPlayingPlaybackState {
    get { state.withLock { $0.playbackState } }
    set {
      let now = clock.now
      state.withLock { state in
        state.line.position = state.line.position(at: now)
        state.playbackState = newValue
        state.continueLine(at: now)
      }
      onChange()
    }
  }

  /// The state to publish, without commands and artwork, and whether a dictionary or a playback state is set.
  var shown: (state: MPRISState, isAnything: Bool) {
    state.withLock { state in
      var shown = MPRISState()
      shown.info = state.info
      shown.itemNumber = state.itemNumber
      shown.status = MPRISState.status(state.playbackState, state.info)
      shown.line = state.line
      return (shown, state.info != nil || state.playbackState != .unknown)
    }
  }

  var artwork: MPMediaItemArtwork? { nowPlayingInfo?[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork }
}
