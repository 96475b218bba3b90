public import Foundation
import PlaybackEngine

nonisolated extension AVPlayer {
  /// The status of a player.
  public enum Status: Int, Sendable {
    /// The player has not opened an item yet.
    case unknown = 0
    /// The player can be used.
    case readyToPlay = 1
    /// The player can no longer be used; `error` contains the reason.
    case failed = 2
  }

  /// The state of playback.
  public enum TimeControlStatus: Int, Sendable {
    /// Paused: `rate` is 0.
    case paused = 0
    /// `rate` is not 0, but no audio plays now; `reasonForWaitingToPlay` contains the reason.
    case waitingToPlayAtSpecifiedRate = 1
    /// Audio is playing. Includes brief interruptions, the start of an item that is ready, and the time after an
    /// item's end under `ActionAtItemEnd.none`.
    case playing = 2
  }

  /// The action when an item has played to its end.
  public enum ActionAtItemEnd: Int, Sendable {
    /// Removes the item from the queue and plays the next one without a gap.
    case advance = 0
    /// Sets `rate` to 0 and keeps the item.
    case pause = 1
    /// Keeps the item and `rate`; the current time continues to advance.
    case none = 2
  }

  /// The reason why no audio plays although `rate` is not 0.
  public struct WaitingReason: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the reason.
    public let rawValue: String
    /// Creates a reason from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The player has no current item. The next item that is inserted plays at once.
    public static let noItemToPlay = Self(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    /// The item is being opened or buffered, for the first second, or the output is being started.
    public static let evaluatingBufferingRate = Self(
      rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
    /// The output is lost, suspended or starved, or opening and buffering the item take longer than a second. Playback
    /// resumes automatically. Does not occur while `automaticallyWaitsToMinimizeStalling` is false.
    public static let toMinimizeStalls = Self(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
  }

  /// The reason for a change of `rate`.
  public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the reason.
    public let rawValue: String
    /// Creates a reason from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The application set the rate, or deactivated the audio session.
    public static let setRateCalled = Self(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
    /// The rate is not supported or not allowed, or playback could not continue.
    public static let setRateFailed = Self(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
    /// The audio session was interrupted.
    public static let audioSessionInterrupted = Self(
      rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
    /// The application is in the background, where the audio session does not allow it to play.
    public static let appBackgrounded = Self(rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
  }

  /// Posted on the main queue, with the player as object, when `rate` has changed or could not be set.
  /// `userInfo` contains the reason under `rateDidChangeReasonKey`. `userInfo` is nil if the end of an item
  /// paused playback (`ActionAtItemEnd.pause`), because Apple defines no reason for that.
  public static let rateDidChangeNotification = Notification.Name("AVPlayerRateDidChangeNotification")

  /// The key of a `RateDidChangeReason` in `rateDidChangeNotification`.
  public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}

extension AVPlayer.TimeControlStatus {
  init(_ timeControl: EngineTimeControl) {
    switch timeControl {
    case .paused: self = .paused
    case .waiting: self = .waitingToPlayAtSpecifiedRate
    case .playing: self = .playing
    }
  }
}

extension AVPlayer.WaitingReason {
  init?(_ timeControl: EngineTimeControl) {
    guard case .waiting(let reason) = timeControl else { return nil }
    switch reason {
    case .noItemToPlay: self = .noItemToPlay
    case .evaluatingBufferingRate: self = .evaluatingBufferingRate
    case .toMinimizeStalls: self = .toMinimizeStalls
    }
  }
}

extension AVPlayer.RateDidChangeReason {
  init?(_ reason: EngineRateReason) {
    switch reason {
    case .setRateCalled: self = .setRateCalled
    case .setRateFailed: self = .setRateFailed
    case .audioSessionInterrupted: self = .audioSessionInterrupted
    case .appBackgrounded: self = .appBackgrounded
    case .itemEnded: return nil
    }
  }
}

extension AVPlayer.ActionAtItemEnd {
  init(_ action: EngineActionAtItemEnd) {
    switch action {
    case .advance: self = .advance
    case .pause: self = .pause
    case .none: self = .none
    }
  }

  var engineAction: EngineActionAtItemEnd {
    switch self {
    case .advance: .advance
    case .pause: .pause
    case .none: .none
    }
  }
}
