public import Foundation
import PlaybackEngine

extension AVPlayer {
  /// Whether a player can be used.
  public enum Status: Int, Sendable {
    /// It has opened nothing yet.
    case unknown = 0
    /// It can be used.
    case readyToPlay = 1
    /// It cannot be used, now or later; `error` says why.
    case failed = 2
  }

  /// Whether sound flows.
  public enum TimeControlStatus: Int, Sendable {
    /// `rate` is 0.
    case paused = 0
    /// `rate` is not 0, but there is no sound now; `reasonForWaitingToPlay` says why.
    case waitingToPlayAtSpecifiedRate = 1
    /// Sound flows, or will at once: an item that is ready goes on.
    case playing = 2
  }

  /// What happens when an item was heard to its end.
  public enum ActionAtItemEnd: Int, Sendable {
    /// The next item follows without a gap; the old one leaves the queue.
    case advance = 0
    /// `rate` becomes 0; the item stays.
    case pause = 1
    /// Item and rate stay, and the time runs on.
    case none = 2
  }

  /// Why nothing sounds although `rate` is not 0.
  public struct WaitingReason: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String
    /// The reason of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no item; as soon as one is inserted it plays.
    public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    /// The item is being opened, or the output started.
    public static let evaluatingBufferingRate = WaitingReason(
      rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
    /// The output is lost, suspended or starved; playback resumes by itself. Not while
    /// `automaticallyWaitsToMinimizeStalling` is false.
    public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
  }

  /// Why `rate` changed.
  public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String
    /// The reason of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The application set it.
    public static let setRateCalled = RateDidChangeReason(
      rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
    /// The rate is not supported or not allowed, or could not be kept.
    public static let setRateFailed = RateDidChangeReason(
      rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
    /// The audio session was interrupted.
    public static let audioSessionInterrupted = RateDidChangeReason(
      rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
    /// The application went to the background.
    public static let appBackgrounded = RateDidChangeReason(
      rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
  }

  /// Posted on the main queue, with the player as object, when `rate` changed; `rateDidChangeReasonKey` has
  /// the reason. Without reason when an item came to its end under `pause`: Apple names none for that.
  nonisolated public static let rateDidChangeNotification = Notification.Name(
    "AVPlayerRateDidChangeNotification")

  /// The key of a `RateDidChangeReason` in `rateDidChangeNotification`.
  nonisolated public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
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
