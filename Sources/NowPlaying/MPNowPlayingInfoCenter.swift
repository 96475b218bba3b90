public import Foundation
import HostTime
import Synchronization

/// What the application plays, as it tells others.
///
/// On Linux these others are on the session bus: the application is an MPRIS player there, which desktops show
/// and `playerctl` drives, from the first dictionary, state or handler of a command on until the process ends. Its
/// name is that of the program. Without a session bus, and in virtual time, all of this is kept and given back, and has no
/// other effect; a later change tries again to find a bus.
///
/// Any thread; nothing blocks. Changes are told after the main queue's present turn, together.
public final class MPNowPlayingInfoCenter: NSObject, Sendable {
  private struct State {
    var values: Values?
    var info: NowPlayingInfo?
    var playbackState = MPNowPlayingPlaybackState.unknown
    var itemNumber = 0
    var line = PlaybackLine()

    /// Lets the line go on from its position, as status and rate have it.
    mutating func continueLine(at now: HostTime) {
      line.moment = now
      line.duration = info?.duration
      line.rate = MPRISState.status(playbackState, info) == .playing ? info?.rate ?? 0 : 0
    }
  }

  /// An application's dictionary. Unchecked: it is a constant, and what is in it is only read here, never changed; the
  /// application must not change it either after it was set, as with Apple.
  private struct Values: @unchecked Sendable {
    let dictionary: [String: Any]
  }

  private let state = Mutex(State())
  private let clock: any HostClock
  private let onChange: @Sendable () -> Void

  init(clock: any HostClock, _ onChange: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.onChange = onChange
  }

  /// The center of the process.
  public static func `default`() -> MPNowPlayingInfoCenter { NowPlayingContext.shared.center }

  /// The item and its playback, by the keys `MPMediaItemProperty…` and `MPNowPlayingInfoProperty…`; nil: nothing is
  /// played.
  ///
  /// The elapsed time is that of the moment when the dictionary is set. Without one an item that was shown before
  /// goes on, and another one begins at 0. From then on the position is computed with the rate.
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
      // Releasing the old values may run the application's code: not under the lock.
      withExtendedLifetime(old) {}
      onChange()
    }
  }

  /// Whether the application plays. While it is `unknown`, which it is until it is set, the rate in
  /// `nowPlayingInfo` decides: 0 is paused, anything else playing, and no dictionary stopped.
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

  /// What is to be shown, but for commands and artwork, and whether anything is to be shown at all.
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

  /// The picture of the item.
  var artwork: MPMediaItemArtwork? { nowPlayingInfo?[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork }
}
